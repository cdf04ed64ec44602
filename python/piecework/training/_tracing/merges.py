"""Defines the trace of a training by merging: WordPiece and BPE."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from piecework._messages import shown
from piecework._result import MAX_ROWS
from piecework._settings.arguments import check_index
from piecework.errors import ConfigError
from piecework.training._tracing.base import Trace, as_range
from piecework.training._tracing.steps import (
    Candidate,
    MergeTraceStep,
    TracedWord,
    WordTrace,
    log_likelihood,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from piecework._core._trace import CandidateRow, MergesRow, WordRow
    from piecework._show.document import Block
    from piecework.tokenizer import Tokenizer

COLUMNS = (
    ("step", "uint64"),
    ("place", "uint64"),
    ("left", "string"),
    ("right", "string"),
    ("token", "string"),
    ("rank", "uint64"),
    ("score", "double"),
    ("pair_count", "uint64"),
    ("left_count", "uint64"),
    ("right_count", "uint64"),
    ("occurrences", "uint64"),
    ("merge_count", "uint64"),
    ("ties", "uint64"),
    ("total", "uint64"),
    ("pairs", "uint64"),
)
"""The columns of the flat table; counts are below 2^64."""


class MergeTrace(Trace[MergeTraceStep]):
    """Records a training by merging; a sequence of its steps.

    A state of the training is the number of merges made: 0 is the start, ``len(trace)`` the end. Each state is computed from
    what is recorded, so that one can go to any of them, forwards or back.

    Attributes:
        tokenizer: The trained tokenizer, equal to that of :func:`piecework.train`.
        top: The largest number of candidates that are recorded for each step.
        word_traces: The segmentations of the most frequent words, in order of first occurrence.
        other_words: The number of words whose segmentations are not recorded.
        remaining: The best candidates after the last merge.
        pruned: The tokens that ``prune_unused`` removed, with the number of merges before it.

    >>> import piecework as pw
    >>> hug = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> trace = pw.trace(hug, pw.WordPieceTrainer(18, criterion="pmi", ties="first"), top=2)
    >>> for step in trace[:2]:
    ...     print(step.number, step.winner.token, step.winner.score, step.ties, step.runners_up[0].token)
    1 ##gs 0.05 1 hu
    2 hu 0.027777777777777776 6 ##ug
    """

    word_traces: tuple[WordTrace, ...]
    other_words: int
    remaining: tuple[Candidate, ...]
    pruned: tuple[tuple[int, tuple[str, ...]], ...]
    _initial: dict[str, int]

    def __init__(self, tokenizer: Tokenizer, top: int, record: MergesRow) -> None:
        """Creates a trace from the record of the core."""
        names, initial_counts, steps, remaining, pruned, words, other_words = record
        reader = _Reader(names, tokenizer.training.trainer or {})
        rows = enumerate(steps, 1)
        recorded = tuple(
            MergeTraceStep(number, reader.candidates(found, total), ties, total, pairs)
            for number, (ties, total, pairs, found) in rows
        )
        total = recorded[-1].total - recorded[-1].winner.merge_count if recorded else 0
        self.__dict__.update(
            tokenizer=tokenizer,
            top=top,
            word_traces=tuple(map(reader.word, words)),
            other_words=other_words,
            remaining=reader.candidates(remaining, total or sum(initial_counts)),
            pruned=tuple(
                (step, tuple(names[token] for token in tokens)) for step, tokens in pruned
            ),
            _steps=recorded,
            _initial={name: n for name, n in zip(names, initial_counts, strict=False) if n},
        )

    @cached_property
    def initial_vocab(self) -> tuple[str, ...]:
        """Returns the entries before the first merge, in the order of their ids.

        >>> import piecework as pw
        >>> pw.trace({"hug": 1}, pw.BpeTrainer()).initial_vocab
        ('<unk>', 'g', 'h', 'u')
        """
        trainer = self.tokenizer.training.trainer or {}
        named = {*trainer.get("special_tokens", ()), *trainer.get("user_defined_symbols", ())}
        learned = {step.winner.token for step in self} - named
        return tuple(token for token in self.tokenizer.vocab if token not in learned)

    def words(self, step: int) -> tuple[TracedWord, ...]:
        """Returns the recorded words as they are segmented after `step` merges.

        Raises:
            ConfigError: `step` is below 0 or above the number of merges.

        >>> import piecework as pw
        >>> trace = pw.trace({"low": 5, "lower": 2}, pw.BpeTrainer(max_merges=2))
        >>> [str(word) for word in trace.words(1)]
        ['low (5): lo w', 'lower (2): lo w e r']
        """
        state = self._state(step)
        return tuple(word.at(state) for word in self.word_traces)

    def changed_words(self, step: int) -> tuple[TracedWord, ...]:
        """Returns the recorded words that merge number `step` changed, as they are after it.

        Raises:
            ConfigError: `step` is below 0 or above the number of merges.
        """
        state = self._state(step)
        return tuple(self.word_traces[place].at(state) for place in self._changed.get(state, ()))

    @cached_property
    def _changed(self) -> dict[int, list[int]]:
        """Returns the indices of the words that each merge changed."""
        changed: dict[int, list[int]] = {}
        for place, word in enumerate(self.word_traces):
            for step in {step for step in word.merged_at if step is not None}:
                changed.setdefault(step, []).append(place)
        return changed

    def symbols(self, step: int) -> dict[str, int]:
        """Returns the number of occurrences of each token in all words after `step` merges, in order of creation.

        Raises:
            ConfigError: `step` is below 0 or above the number of merges.

        >>> import piecework as pw
        >>> trace = pw.trace({"low": 5, "lower": 2}, pw.BpeTrainer(max_merges=2))
        >>> trace.symbols(0)
        {'e': 2, 'l': 7, 'o': 7, 'r': 2, 'w': 7}
        >>> trace.symbols(1)
        {'e': 2, 'r': 2, 'w': 7, 'lo': 7}
        """
        counts = dict(self._initial)
        for merged in self[: self._state(step)]:
            _apply(counts, merged.winner)
        return {token: count for token, count in counts.items() if count}

    def states(self, steps: slice = slice(None)) -> Iterator[tuple[MergeTraceStep, dict[str, int]]]:
        """Iterates over steps with the counts of the tokens before each, as :meth:`symbols` returns them.

        Args:
            steps: The range of steps, by their indices from 0; without gaps.

        Raises:
            ConfigError: The range has gaps.
        """
        if as_range(steps).step not in (None, 1):
            raise ConfigError("expected a range without gaps", setting="steps")
        chosen = self[steps]
        counts = self.symbols(chosen[0].number - 1) if chosen else {}
        for step in chosen:
            yield step, {token: count for token, count in counts.items() if count}
            _apply(counts, step.winner)

    def log_likelihood(self, step: int) -> float:
        """Returns the log-likelihood (nats) of all words after `step` merges, under the tokens' own frequencies.

        Raises:
            ConfigError: `step` is below 0 or above the number of merges.

        >>> import piecework as pw
        >>> trace = pw.trace(*pw.training.example("note-002"))
        >>> round(trace.log_likelihood(0), 4), round(trace.log_likelihood(7), 4)
        (-198.5343, -54.5224)
        """
        return log_likelihood(self.symbols(step).values())

    def _state(self, step: int) -> int:
        """Returns a checked number of merges."""
        state = check_index("step", step)
        if not 0 <= state <= len(self):
            raise ConfigError(
                f"expected a number of merges from 0 to {len(self)}, found {shown(state)}",
                setting="step",
            )
        return state

    def to_dict(self) -> dict[str, Any]:
        """Returns the trace as JSON values; its size is bounded by the limits of candidates and words.

        The counts of tokens at any state follow from ``symbols`` by the steps: a merge takes ``merge_count`` from the counts
        of its left and right token and gives it to the merged one. A word at a state is its symbols, joined where
        ``merged_at`` is not above the state; a joined symbol loses the prefix.
        """
        return {
            **self._training(),
            "prefix": (self.tokenizer.training.trainer or {}).get("continuing_subword_prefix", ""),
            "initial_vocab": list(self.initial_vocab),
            "symbols": dict(self._initial),
            "words": [word.to_dict() for word in self.word_traces],
            "other_words": self.other_words,
            "steps": [step.to_dict() for step in self],
            "remaining": [found.to_dict() for found in self.remaining],
            "pruned": [[step, list(tokens)] for step, tokens in self.pruned],
        }

    def columns(self) -> list[tuple[str, str]]:
        """Returns the names of the columns of :meth:`to_rows`, with their types as Arrow names them."""
        return list(COLUMNS)

    def to_rows(self) -> list[dict[str, Any]]:
        """Returns one row for each recorded candidate: those of :meth:`to_dict`, with the columns of the step.

        >>> import piecework as pw
        >>> rows = pw.trace({"low": 5, "lower": 2}, pw.BpeTrainer(max_merges=2), top=2).to_rows()
        >>> [(row["step"], row["place"], row["token"]) for row in rows]
        [(1, 1, 'lo'), (1, 2, 'ow'), (2, 1, 'low'), (2, 2, 'er')]
        """
        return [
            {"step": step.number, "place": place}
            | found.to_dict()
            | {"ties": step.ties, "total": step.total, "pairs": step.pairs}
            for step in self
            for place, found in enumerate(step.candidates, 1)
        ]

    def to_lines(self, steps: slice = slice(None)) -> Iterator[dict[str, Any]]:
        """Iterates over the steps as JSON values, with the words that each changed.

        Args:
            steps: The range of steps, by their indices from 0.
        """
        for step in self[as_range(steps)]:
            words = [
                {"word": word.word, "count": word.count, "tokens": list(word.tokens)}
                for word in self.changed_words(step.number)
            ]
            yield step.to_dict() | {"words": words}

    def _document(self, steps: slice = slice(MAX_ROWS)) -> Iterator[Block]:
        from piecework.training._tracing.document import merge_document

        return merge_document(self, steps)


def _apply(counts: dict[str, int], merged: Candidate) -> None:
    """Updates the counts of tokens by a merge."""
    for token, sign in ((merged.left, -1), (merged.right, -1), (merged.token, 1)):
        counts[token] = counts.get(token, 0) + sign * merged.merge_count


class _Reader:
    """Reads rows of the core."""

    def __init__(self, names: Sequence[str], trainer: dict[str, Any]) -> None:
        self._names = names
        self._prefix = trainer.get("continuing_subword_prefix", "")
        self._counts_merges = trainer.get("criterion") == "likelihood"

    def candidates(self, rows: Iterable[CandidateRow], total: int) -> tuple[Candidate, ...]:
        """Returns candidates with their names; `total` is the number of tokens in all words."""
        return tuple(self._candidate(row, total) for row in rows)

    def _candidate(self, row: CandidateRow, total: int) -> Candidate:
        left_id, right_id, score, rank, occurrences, merges, left_count, right_count = row
        left, right = self._names[left_id], self._names[right_id]
        token = left + right[len(self._prefix) :]
        counts = (merges if self._counts_merges else occurrences, left_count, right_count)
        return Candidate(left, right, token, rank, score, *counts, occurrences, merges, total)

    def word(self, row: WordRow) -> WordTrace:
        """Returns a word with the names of its tokens."""
        word, count, symbols, merged_at = row
        named = (None if symbol is None else self._names[symbol] for symbol in symbols)
        return WordTrace(word, count, tuple(named), tuple(merged_at), self._prefix)
