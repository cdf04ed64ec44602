"""Defines the steps of a training by merging: candidates with their counts, and words with their segmentations."""

from __future__ import annotations

from itertools import zip_longest
from math import fsum, log
from typing import TYPE_CHECKING, Any, get_args

from piecework import _core
from piecework._result import Result
from piecework._settings.choices import Criterion
from piecework._settings.immutable import Record, dataclass
from piecework.tokenizer._results import Merge

if TYPE_CHECKING:
    from collections.abc import Iterable

    from piecework._show.document import Tree

CRITERIA: tuple[Criterion, ...] = get_args(Criterion)
"""The criteria in the order of the scores that the core returns."""


@dataclass(frozen=True, slots=True)
class Candidate(Record):
    """Describes a pair that may be merged, with the counts before the merge.

    Attributes:
        left: The left token, as rendered.
        right: The right token, as rendered.
        token: The token that their merge would make, as rendered.
        rank: One more than the number of candidates with a greater score; candidates of equal score share a rank.
        score: The score by the criterion of the training.
        pair_count: The count of the pair, as the criterion counts it.
        left_count: The count of the left token.
        right_count: The count of the right token.
        occurrences: The number of adjacent occurrences of the pair (``aaa`` contains ``a a`` twice).
        merge_count: The number of merges that a pass from left to right makes (one in ``aaa``).
        total: The number of tokens in all words.
    """

    left: str
    right: str
    token: str
    rank: int
    score: float
    pair_count: int
    left_count: int
    right_count: int
    occurrences: int
    merge_count: int
    total: int

    def scores(self) -> dict[str, float]:
        """Returns the scores of the pair by the four criteria of WordPiece, whichever the training has.

        >>> import piecework as pw
        >>> trace = pw.trace({"hug": 10, "hugs": 5}, pw.BpeTrainer(ties="first"))
        >>> {name: round(score, 3) for name, score in trace[0].winner.scores().items()}
        {'likelihood': 30.543, 'pmi': 0.067, 'sum': 0.5, 'frequency': 15.0}
        """
        counts = (self.occurrences, self.merge_count, self.left_count, self.right_count, self.total)
        return dict(zip(CRITERIA, _core.pair_scores(counts, self.left == self.right), strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Returns the candidate as JSON values."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "total"}


@dataclass(frozen=True, slots=True, repr=False)
class MergeTraceStep(Result["Candidate"]):
    """Describes a merge, and the best candidates before it, which are its rows.

    Attributes:
        number: The number of the merge, from 1.
        candidates: The best candidates in order; the first is merged.
        ties: The number of candidates with the best score, the merged one included.
        total: The number of tokens in all words before the merge.
        pairs: The number of different pairs before the merge whose `pair_count` is at least ``min_frequency``.
    """

    number: int
    candidates: tuple[Candidate, ...]
    ties: int
    total: int
    pairs: int

    @property
    def winner(self) -> Candidate:
        """Returns the candidate that is merged."""
        return self.candidates[0]

    @property
    def runners_up(self) -> tuple[Candidate, ...]:
        """Returns the best of the other candidates, in order."""
        return self.candidates[1:]

    @property
    def tied(self) -> tuple[Candidate, ...]:
        """Returns the recorded candidates with the best score, the merged one first."""
        return tuple(found for found in self.candidates if found.rank == 1)

    @property
    def merge(self) -> Merge:
        """Returns the merge as in ``Tokenizer.training.history``.

        >>> import piecework as pw
        >>> trace = pw.trace({"hug": 10, "hugs": 5}, pw.WordPieceTrainer(10))
        >>> [step.merge for step in trace] == list(trace.tokenizer.training.history)
        True
        """
        won = self.winner
        counts = (won.pair_count, won.left_count, won.right_count)
        return Merge(won.left, won.right, won.token, won.score, *counts, self.ties)

    def to_dict(self) -> dict[str, Any]:
        """Returns the step as JSON values."""
        return {
            "step": self.number,
            "ties": self.ties,
            "total": self.total,
            "pairs": self.pairs,
            "candidates": [found.to_dict() for found in self.candidates],
        }

    @property
    def _rows(self) -> tuple[Candidate, ...]:
        return self.candidates

    def _summary(self) -> str:
        from piecework._show.terminal import line_text

        return line_text(self._document()[0].line)

    def _document(self) -> list[Tree]:
        from piecework.training._tracing.document import merge_step

        return [merge_step(self)]


@dataclass(frozen=True, slots=True)
class TracedWord(Record):
    """Holds a word as it is segmented at a step.

    Attributes:
        word: The word.
        count: Its count.
        tokens: The tokens, as rendered; None for a character that is not in the alphabet.
    """

    word: str
    count: int
    tokens: tuple[str | None, ...]

    def __str__(self) -> str:
        """Returns the word, its count and its tokens."""
        from piecework._show.terminal import line_text
        from piecework.training._tracing.document import word_line

        return line_text(word_line(self))


@dataclass(frozen=True, slots=True)
class WordTrace(Record):
    """Holds all segmentations of a word during a training, in memory for one.

    Attributes:
        word: The word.
        count: Its count.
        symbols: The tokens at the start, as rendered; None for a character that is not in the alphabet.
        merged_at: The number of the merge, from 1, that closes the gap after each token but the last; None if none does.
        prefix: The prefix of tokens that continue a word, which a merge drops from its right token.
    """

    word: str
    count: int
    symbols: tuple[str | None, ...]
    merged_at: tuple[int | None, ...]
    prefix: str

    def at(self, step: int) -> TracedWord:
        """Returns the word after `step` merges; this takes time linear in its characters.

        >>> import piecework as pw
        >>> trace = pw.trace({"hug": 10, "hugs": 5}, pw.WordPieceTrainer(20, max_merges=2))
        >>> print(trace.word_traces[1].at(1))
        hugs (5): h ##ug ##s
        """
        tokens: list[str | None] = []
        part: list[str] = []
        for symbol, merge in zip_longest(self.symbols, self.merged_at):
            if symbol is None:
                tokens.append(None)
                continue
            part.append(symbol[len(self.prefix) :] if part else symbol)
            if merge is None or merge > step:
                tokens.append("".join(part))
                part = []
        return TracedWord(self.word, self.count, tuple(tokens))

    def to_dict(self) -> dict[str, Any]:
        """Returns the word as JSON values."""
        return {
            "word": self.word,
            "count": self.count,
            "symbols": list(self.symbols),
            "merged_at": list(self.merged_at),
        }


def log_likelihood(counts: Iterable[int]) -> float:
    """Returns the log-likelihood (nats) of tokens with these counts under their own frequencies.

    >>> round(log_likelihood([15, 36, 20, 17, 16, 4, 5]), 4)
    -198.5343
    """
    positive = [count for count in counts if count]
    total = sum(positive)
    return fsum(n * log(n) for n in positive) - total * log(total) if total else 0.0
