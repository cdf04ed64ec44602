"""Defines the results of calls other than batches: merges and steps of a training, scored encodings, and progress."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Self

from piecework._core import Encoding
from piecework._immutable import Immutable, dataclass

__all__ = [
    "CountsSummary",
    "Document",
    "Encoding",
    "Merge",
    "MergeHistory",
    "Progress",
    "ProgressLike",
    "ScoredEncoding",
    "TruncatedText",
    "UnigramHistory",
    "UnigramStep",
]


@dataclass(frozen=True, slots=True)
class CountsSummary(Immutable):
    """Describes a file of word counts.

    Attributes:
        words: The number of different words.
        total: The sum of all counts.
        fingerprint: The SHA-256 of words and counts in hexadecimal digits, as :attr:`WordCounts.fingerprint`.
    """

    words: int
    total: int
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Merge(Immutable):
    """Describes one merge of a training.

    Attributes:
        left: The left token, as rendered.
        right: The right token, as rendered.
        token: The merged token, as rendered.
        score: The score of the pair by the criterion.
        pair_count: The count of the pair.
        left_count: The count of the left token.
        right_count: The count of the right token.
        ties: The number of pairs with this score, the merged one included.
    """

    left: str
    right: str
    token: str
    score: float
    pair_count: int
    left_count: int
    right_count: int
    ties: int


@dataclass(frozen=True, slots=True)
class UnigramStep(Immutable):
    """Describes an EM step or a pruning of a Unigram training.

    Attributes:
        pieces: The number of pieces before the step.
        log_likelihood: The natural log-likelihood of the training words before the step; None for a pruning.
        removed: The removed pieces: those of an EM step by expected count, those of a pruning by loss, least first. None if
            unknown, since files do not store them.
    """

    pieces: int
    log_likelihood: float | None
    removed: tuple[str, ...] | None


class MergeHistory(tuple[Merge, ...]):
    """Holds the merges of a training in order; a notebook shows them as a table.

    >>> import piecework as pw
    >>> history = pw.train({"hug": 10, "hugs": 5}, pw.WordPieceTrainer(11)).training.history
    >>> "<p>2 merges</p><table><tr><th>step</th>" in history._repr_html_()
    True
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Returns an HTML table of the first merges."""
        from piecework.html import MAX_ROWS, text_table

        columns = ("step", "left", "right", "token", "score", "count", "left", "right", "ties")
        rows = (
            (
                str(step),
                *(merge.left, merge.right, merge.token),
                f"{merge.score:.6g}",
                *map(str, (merge.pair_count, merge.left_count, merge.right_count, merge.ties)),
            )
            for step, merge in enumerate(self[:MAX_ROWS], 1)
        )
        return text_table(f"{len(self):,} merges", columns, rows, total=len(self))


class UnigramHistory(tuple[UnigramStep, ...]):
    """Holds the steps of a Unigram training in order; a notebook shows them as a table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Returns an HTML table of the first steps."""
        from piecework.html import MAX_ROWS, text_table

        columns = ("step", "kind", "pieces", "log-likelihood", "removed")
        rows = (
            (
                str(number),
                "pruning" if step.log_likelihood is None else "em",
                str(step.pieces),
                "" if step.log_likelihood is None else f"{step.log_likelihood:.4f}",
                "unknown" if step.removed is None else str(len(step.removed)),
            )
            for number, step in enumerate(self[:MAX_ROWS], 1)
        )
        return text_table(f"{len(self):,} steps", columns, rows, total=len(self))


@dataclass(frozen=True, slots=True)
class Progress(Immutable):
    """Describes the progress of a long call.

    Attributes:
        stage: The current activity, in a word or two.
        done: The amount done.
        total: The total amount; 0 if unknown.
    """

    stage: str
    done: int
    total: int


ProgressLike = bool | Callable[[Progress], object]


class Document(NamedTuple):
    """Holds a text of a corpus and where it comes from.

    Attributes:
        text: The text.
        file: The name of the file.
        line: The line where it begins, or the row of a table, from 1.
        byte: The byte of the file where its line begins, decompressed, from 0; None in a table and in an encoding other than
            UTF-8.
    """

    text: str
    file: str
    line: int
    byte: int | None


class ScoredEncoding(NamedTuple):
    """Pairs a segmentation of a text with its score.

    Attributes:
        encoding: The segmentation.
        score: The natural logarithm of its probability.
    """

    encoding: Encoding
    score: float


class TruncatedText(str):
    r"""Holds what is kept of a text that was truncated, as a string.

    Attributes:
        is_longest: Whether no longer part fits; False if that is not proven.

    >>> import piecework as pw
    >>> kept = pw.Tokenizer.from_str("[UNK]\nhug\n").truncate_text("hug hug", 1)
    >>> kept, kept.is_longest
    ('hug ', True)
    """

    __slots__ = ("is_longest",)
    is_longest: bool

    def __new__(cls, text: str, is_longest: bool) -> Self:
        """Returns the string with its attribute."""
        kept = super().__new__(cls, text)
        kept.is_longest = is_longest
        return kept

    def __getnewargs__(self) -> tuple[str, bool]:  # type: ignore[override]  # the arguments of `__new__`
        """Returns the arguments that make a copy."""
        return str(self), self.is_longest
