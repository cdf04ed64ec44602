"""Writes traces as lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING

from piecework.display import abridged, cell_width, padded, quoted
from piecework.tracing.steps import log_likelihood

if TYPE_CHECKING:
    from piecework.tracing.criteria import CriteriaTrace
    from piecework.tracing.merges import MergeTrace
    from piecework.tracing.steps import Candidate, MergeTraceStep, TracedWord
    from piecework.tracing.unigram import ScoredPiece, UnigramTrace, UnigramTraceStep

__all__ = [
    "aligned",
    "candidate_rows",
    "criteria_lines",
    "criteria_rows",
    "merge_lines",
    "merge_rows",
    "step_lines",
    "step_title",
    "table_lines",
    "unigram_lines",
    "unigram_rows",
    "unigram_step_lines",
    "word_line",
]

Table = tuple[Sequence[str], list[Sequence[str]]]
"""The names of columns, and rows."""

_MAX_TOKENS = 200
"""The number of tokens of a vocabulary or of a word, and of words, that a text lists."""
_MAX_SYMBOLS = 10
"""The number of the most frequent tokens that a text lists for each step."""
_DROPPED = "□"
"""A character of a word that is not in the alphabet."""

_CANDIDATE_COLUMNS = ("rank", "pair", "score", "count", "left", "right")
_MERGE_COLUMNS = ("step", "merge", "token", "score", "count", "left", "right", "ties", "next best")
_UNIGRAM_COLUMNS = ("step", "kind", "pieces", "log-likelihood", "removed", "most probable")
_LEFT = {"pair", "merge", "token", "next best", "kind", "most probable"}
"""The columns of text; the others are aligned to the right."""


def _token(token: str) -> str:
    """Returns a token on one line, in quotes if it contains a space; a long one is cut."""
    return quoted(abridged(token))


def _number(value: float) -> str:
    """Returns a score with six significant digits."""
    return f"{value:.6g}"


def _pair(found: Candidate) -> str:
    return f"{_token(found.left)} {_token(found.right)}"


def word_line(word: TracedWord) -> str:
    """Returns a word, its count and its tokens."""
    tokens = word.tokens[:_MAX_TOKENS]
    shown = " ".join(_DROPPED if token is None else _token(token) for token in tokens)
    more = f" and {rest:,} more" if (rest := len(word.tokens) - len(tokens)) else ""
    return f"{_token(word.word)} ({word.count:,}): {shown}{more}"


def aligned(
    columns: Sequence[str], rows: Iterable[Sequence[str]], titles: Sequence[str] | None = None
) -> Iterator[str]:
    """Iterates over the lines of a table, whose columns decide the alignment; `titles` are shown instead of their names."""
    table = [titles or columns, *rows]
    widths = [max(map(cell_width, column)) for column in zip(*table, strict=True)]
    for row in table:
        cells = (
            padded(cell, width) if name in _LEFT else cell.rjust(width)
            for name, cell, width in zip(columns, row, widths, strict=True)
        )
        yield "  ".join(cells).rstrip()


def candidate_rows(candidates: Iterable[Candidate]) -> Table:
    """Returns the columns and the rows of a table of candidates."""
    rows: list[Sequence[str]] = [
        (
            str(found.rank),
            _pair(found),
            _number(found.score),
            str(found.pair_count),
            str(found.left_count),
            str(found.right_count),
        )
        for found in candidates
    ]
    return _CANDIDATE_COLUMNS, rows


def _candidate_lines(candidates: Iterable[Candidate], pairs: int | None) -> Iterator[str]:
    columns, rows = candidate_rows(candidates)
    yield from aligned(columns, rows)
    if pairs is not None and pairs > len(rows):
        yield f"{len(rows)} of {pairs:,} pairs"


def step_title(step: MergeTraceStep) -> str:
    """Returns the merge of a step, with its score and counts."""
    won = step.winner
    equation = f"{_token(won.left)} + {_token(won.right)} -> {_token(won.token)}"
    counts = f"pair {won.pair_count}, left {won.left_count}, right {won.right_count}"
    ties = f"; {step.ties:,} candidates have this score" if step.ties > 1 else ""
    return f"step {step.number}: {equation}, score {_number(won.score)}, {counts}{ties}"


def step_lines(step: MergeTraceStep) -> Iterator[str]:
    """Iterates over the lines of a step: the merge, and the table of candidates."""
    yield step_title(step)
    yield from _indented(_candidate_lines(step.candidates, step.pairs))


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)


def _symbol_line(counts: Mapping[str, int]) -> str:
    """Returns the number of tokens, the log-likelihood, and the most frequent tokens."""
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    listed = [f"{_token(token)} {count}" for token, count in ranked[:_MAX_SYMBOLS]]
    more = f" and {len(ranked) - _MAX_SYMBOLS:,} more" if len(ranked) > _MAX_SYMBOLS else ""
    total, value = sum(counts.values()), log_likelihood(counts.values())
    return f"{total:,} tokens, log-likelihood {value:.4f}: {', '.join(listed)}{more}"


def _word_lines(trace: MergeTrace, state: int) -> Iterator[str]:
    words = trace.words(state)
    yield "words:"
    yield from _indented(map(word_line, words[:_MAX_TOKENS]))
    if others := trace.other_words + max(len(words) - _MAX_TOKENS, 0):
        yield f"  and {others:,} other words"


def _vocabulary_line(title: str, tokens: Sequence[str]) -> str:
    more = f" and {rest:,} more" if (rest := len(tokens) - _MAX_TOKENS) > 0 else ""
    return f"{title} ({len(tokens):,}): {' '.join(map(_token, tokens[:_MAX_TOKENS]))}{more}"


def merge_lines(trace: MergeTrace, steps: slice = slice(None)) -> Iterator[str]:
    """Iterates over the lines of a trace."""
    tokenizer, (start, stop, _) = trace.tokenizer, steps.indices(len(trace))
    criterion = (tokenizer.training.trainer or {}).get("criterion", "frequency")
    yield f"{tokenizer.model_type} by {criterion}: {len(trace):,} merges"
    yield _vocabulary_line("initial vocabulary", trace.initial_vocab)
    if start:
        yield f"after {start:,} merges"
    yield from _word_lines(trace, start)
    pruned = dict(trace.pruned)
    for step, counts in trace.states(steps):
        yield ""
        yield from step_lines(step)
        yield f"  {_symbol_line(counts)}"
        yield from _indented(map(word_line, trace.changed_words(step.number)[:_MAX_TOKENS]))
        if tokens := pruned.get(step.number):
            yield "  " + _vocabulary_line("pruned", tokens)
    yield ""
    if stop < len(trace):
        yield f"and {len(trace) - stop:,} more steps"
        return
    yield f"after {len(trace):,} merges"
    yield f"  {_symbol_line(trace.symbols(len(trace)))}"
    if trace.remaining:
        yield from _indented(_candidate_lines(trace.remaining, None))
    yield _vocabulary_line("vocabulary", list(tokenizer.vocab))


def _next_best(step: MergeTraceStep) -> str:
    """Returns the first runner-up and its score; empty if there is none."""
    return " ".join(f"{_pair(found)} {_number(found.score)}" for found in step.runners_up[:1])


def merge_rows(steps: Iterable[MergeTraceStep]) -> Table:
    """Returns the columns and the rows of a table with one row for each merge."""
    rows: list[Sequence[str]] = [
        (
            str(step.number),
            _pair(step.winner),
            _token(step.winner.token),
            _number(step.winner.score),
            str(step.winner.pair_count),
            str(step.winner.left_count),
            str(step.winner.right_count),
            str(step.ties),
            _next_best(step),
        )
        for step in steps
    ]
    return _MERGE_COLUMNS, rows


def table_lines(
    trace: MergeTrace | UnigramTrace | CriteriaTrace, steps: slice = slice(None)
) -> Iterator[str]:
    """Iterates over the lines of a table with one row for each step."""
    from piecework.tracing.criteria import CriteriaTrace
    from piecework.tracing.merges import MergeTrace

    if isinstance(trace, CriteriaTrace):
        return criteria_lines(trace, steps)
    if isinstance(trace, MergeTrace):
        return aligned(*merge_rows(trace[steps]))
    return aligned(*unigram_rows(trace[steps]))


def _pieces(found: Iterable[ScoredPiece]) -> str:
    return ", ".join(f"{_token(each.piece)} {_number(each.value)}" for each in found)


def unigram_step_lines(step: UnigramTraceStep) -> Iterator[str]:
    """Iterates over the lines of a step of Unigram."""
    likelihood = (
        "pruning"
        if step.log_likelihood is None
        else f"EM, log-likelihood {step.log_likelihood:.4f}"
    )
    yield f"step {step.number}: {step.pieces:,} pieces, {likelihood}, removed {step.removed_number:,}"
    what = "loss" if step.kind == "pruning" else "expected count"
    lists = (
        (f"removed, by {what}", step.removed),
        (f"kept, by {what}", step.kept),
        ("most probable", step.most_probable),
    )
    for title, found in lists:
        if found:
            yield f"  {title}: {_pieces(found)}"


def unigram_lines(trace: UnigramTrace, steps: slice = slice(None)) -> Iterator[str]:
    """Iterates over the lines of a trace of Unigram."""
    yield f"Unigram: {len(trace):,} steps to {len(trace.tokenizer):,} tokens"
    for step in trace[steps]:
        yield from unigram_step_lines(step)
    if (rest := len(trace) - steps.indices(len(trace))[1]) > 0:
        yield f"and {rest:,} more steps"


def unigram_rows(steps: Iterable[UnigramTraceStep]) -> Table:
    """Returns the columns and the rows of a table with one row for each step of Unigram."""
    rows: list[Sequence[str]] = [
        (
            str(step.number),
            step.kind,
            str(step.pieces),
            "" if step.log_likelihood is None else f"{step.log_likelihood:.4f}",
            str(step.removed_number),
            _pieces(islice(step.most_probable, 3)),
        )
        for step in steps
    ]
    return _UNIGRAM_COLUMNS, rows


def criteria_rows(trace: CriteriaTrace, steps: slice = slice(None)) -> list[Sequence[str]]:
    """Returns a row for each step: its number, and the token and the score by each criterion, empty after its end."""
    return [
        [
            str(step),
            *chain.from_iterable(
                ("", "")
                if found is None
                else (_token(found.winner.token), _number(found.winner.score))
                for found in row.values()
            ),
        ]
        for step, row in trace.steps(steps)
    ]


def criteria_lines(trace: CriteriaTrace, steps: slice = slice(None)) -> Iterator[str]:
    """Iterates over the lines of a table of steps by criterion."""
    names = [name for criterion in trace for name in ("token", criterion)]
    titles = [title for criterion in trace for title in (criterion, "")]
    rows = criteria_rows(trace, steps)
    longest = max(map(len, trace.values()), default=0)
    yield from aligned(["step", *names], rows, ["step", *titles])
    if (rest := longest - steps.indices(longest)[1]) > 0:
        yield f"and {rest:,} more steps"
