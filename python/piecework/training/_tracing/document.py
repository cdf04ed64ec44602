"""Shows traces as documents."""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING

from piecework._show.document import Table, Text, Token, Tree, enumerated, spaced, tokens_line
from piecework.training._tracing.steps import Candidate, MergeTraceStep, TracedWord, log_likelihood

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from piecework._show.document import Block, Line, Spans
    from piecework.training._tracing.criteria import CriteriaTrace
    from piecework.training._tracing.merges import MergeTrace
    from piecework.training._tracing.unigram import ScoredPiece, UnigramTrace, UnigramTraceStep

_MAX_TOKENS = 200
"""The number of tokens of a vocabulary or of a word, and of words, that are listed."""
_MAX_SYMBOLS = 10
"""The number of the most frequent tokens that are listed for each step."""
_DROPPED = "□"
"""A character of a word that is not in the alphabet."""

_CANDIDATE_COLUMNS = ("rank", "pair", "score", "count", "left", "right")
_MERGE_COLUMNS = ("step", "merge", "token", "score", "count", "left", "right", "ties", "next best")
_UNIGRAM_COLUMNS = ("step", "kind", "pieces", "log-likelihood", "removed", "most probable")


def _number(value: float) -> str:
    """Returns a score with six significant digits."""
    return f"{value:.6g}"


def _pair(found: Candidate) -> Spans:
    return Token(found.left), " ", Token(found.right)


def word_line(word: TracedWord) -> Line:
    """Returns a word, its count and its tokens."""
    tokens = (_DROPPED if token is None else Token(token) for token in word.tokens[:_MAX_TOKENS])
    return Token(word.word), f" ({word.count:,}): ", *spaced(tokens, len(word.tokens))


# Merges


def step_table(trace: MergeTrace | UnigramTrace | CriteriaTrace, steps: slice) -> Table:
    """Returns a table with one row for each step."""
    from piecework.training._tracing.criteria import CriteriaTrace
    from piecework.training._tracing.merges import MergeTrace

    if isinstance(trace, CriteriaTrace):
        return criteria_table(trace, steps)
    if isinstance(trace, MergeTrace):
        return Table(_MERGE_COLUMNS, list(map(_merge_row, trace[steps])), "rllrrrrrl")
    return Table(_UNIGRAM_COLUMNS, list(map(_unigram_row, trace[steps])), "rlrrrl")


def _merge_row(step: MergeTraceStep) -> Sequence[Line]:
    won = step.winner
    merge = (str(step.number), _pair(won), (Token(won.token),), _number(won.score))
    counts = map(str, (won.pair_count, won.left_count, won.right_count, step.ties))
    runner_up = chain.from_iterable(
        (*_pair(found), f" {_number(found.score)}") for found in step.runners_up[:1]
    )
    return *merge, *counts, tuple(runner_up)


def _candidates(candidates: Iterable[Candidate]) -> Table:
    rows: list[Sequence[Line]] = []
    for found in candidates:
        counts = map(str, (found.pair_count, found.left_count, found.right_count))
        rows.append((str(found.rank), _pair(found), _number(found.score), *counts))
    return Table(_CANDIDATE_COLUMNS, rows, "rlr")


def merge_step(step: MergeTraceStep, below: Iterable[Block] = ()) -> Tree:
    """Returns a step: the merge with its score and counts, and the table of candidates with further blocks."""
    won = step.winner
    counts = f"pair {won.pair_count}, left {won.left_count}, right {won.right_count}"
    ties = f"; {step.ties:,} candidates have this score" if step.ties > 1 else ""
    title = (
        f"step {step.number}: ",
        *(Token(won.left), " + ", Token(won.right), " -> ", Token(won.token)),
        f", score {_number(won.score)}, {counts}{ties}",
    )
    shown = len(step.candidates)
    of_all = [Text(f"{shown} of {step.pairs:,} pairs")] if step.pairs > shown else []
    return Tree(title, [_candidates(step.candidates), *of_all, *below], is_open=False)


def _symbols(counts: Mapping[str, int]) -> Text:
    """Returns the number of tokens, the log-likelihood, and the most frequent tokens."""
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    total, value = sum(counts.values()), log_likelihood(counts.values())
    rest = f" and {len(ranked) - _MAX_SYMBOLS:,} more" if len(ranked) > _MAX_SYMBOLS else ""
    shown = enumerated((Token(token), f" {count}") for token, count in ranked[:_MAX_SYMBOLS])
    return Text((f"{total:,} tokens, log-likelihood {value:.4f}: ", *shown, rest))


def _words(trace: MergeTrace, state: int) -> Tree:
    words = trace.words(state)
    others = trace.other_words + max(len(words) - _MAX_TOKENS, 0)
    rest = [Text(f"and {others:,} other words")] if others else []
    return Tree("words:", [*_word_texts(words), *rest])


def _word_texts(words: Sequence[TracedWord]) -> list[Text]:
    return [Text(word_line(word)) for word in words[:_MAX_TOKENS]]


def _vocabulary(title: str, tokens: Sequence[str]) -> Text:
    return tokens_line(title, tokens, _MAX_TOKENS)


def merge_document(trace: MergeTrace, steps: slice) -> Iterator[Block]:
    """Iterates over the start, the steps and the end of a trace."""
    tokenizer, (start, stop, _) = trace.tokenizer, steps.indices(len(trace))
    criterion = (tokenizer.training.trainer or {}).get("criterion", "frequency")
    yield Text(f"{tokenizer.model_type} by {criterion}: {len(trace):,} merges")
    yield _vocabulary("initial vocabulary", trace.initial_vocab)
    if start:
        yield Text(f"after {start:,} merges")
    yield _words(trace, start)
    pruned = dict(trace.pruned)
    for step, counts in trace.states(steps):
        tokens = pruned.get(step.number)
        changed = _word_texts(trace.changed_words(step.number))
        yield Text("")
        yield merge_step(
            step,
            [_symbols(counts), *changed, *([_vocabulary("pruned", tokens)] if tokens else [])],
        )
    yield Text("")
    if stop < len(trace):
        yield Text(f"and {len(trace) - stop:,} more steps")
        return
    end: list[Block] = [_symbols(trace.symbols(len(trace)))]
    if trace.remaining:
        end.append(_candidates(trace.remaining))
    yield Tree(f"after {len(trace):,} merges", end)
    yield _vocabulary("vocabulary", list(tokenizer.vocab))


# Unigram


def _pieces(found: Iterable[ScoredPiece]) -> Spans:
    return enumerated((Token(each.piece), f" {_number(each.value)}") for each in found)


def unigram_step(step: UnigramTraceStep) -> Tree:
    """Returns a step of Unigram with the lists of its pieces."""
    value = step.log_likelihood
    likelihood = "pruning" if value is None else f"EM, log-likelihood {value:.4f}"
    title = (
        f"step {step.number}: {step.pieces:,} pieces, {likelihood}, removed {step.removed_number:,}"
    )
    what = "loss" if step.kind == "pruning" else "expected count"
    lists = (
        (f"removed, by {what}: ", step.removed),
        (f"kept, by {what}: ", step.kept),
        ("most probable: ", step.most_probable),
    )
    return Tree(title, [Text((name, *_pieces(found))) for name, found in lists if found])


def unigram_document(trace: UnigramTrace, steps: slice) -> Iterator[Block]:
    """Iterates over the steps of a trace of Unigram."""
    yield Text(f"Unigram: {len(trace):,} steps to {len(trace.tokenizer):,} tokens")
    yield from map(unigram_step, trace[steps])
    if (rest := len(trace) - steps.indices(len(trace))[1]) > 0:
        yield Text(f"and {rest:,} more steps")


def _unigram_row(step: UnigramTraceStep) -> Sequence[Line]:
    return (
        str(step.number),
        step.kind,
        str(step.pieces),
        "" if step.log_likelihood is None else f"{step.log_likelihood:.4f}",
        str(step.removed_number),
        _pieces(islice(step.most_probable, 3)),
    )


# Criteria


def criteria_table(trace: CriteriaTrace, steps: slice) -> Table:
    """Returns a row for each step: the token and the score by each criterion, empty after its end."""
    rows: list[Sequence[Line]] = [
        [str(step), *chain.from_iterable(map(_winner, row.values()))]
        for step, row in trace.steps(steps)
    ]
    columns = ["step", *chain.from_iterable((criterion, "") for criterion in trace)]
    longest = max(map(len, trace.values()), default=0)
    rest = max(longest - steps.indices(longest)[1], 0)
    return Table(columns, rows, "r" + "lr" * len(trace), total=len(rows) + rest)


def _winner(found: MergeTraceStep | None) -> tuple[Line, Line]:
    """Returns the token of a step and its score."""
    return (
        ("", "") if found is None else ((Token(found.winner.token),), _number(found.winner.score))
    )
