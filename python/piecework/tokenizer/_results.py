"""Defines the results of calls other than batches: merges and steps of a training, scored encodings, and progress."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

from piecework._result import MAX_ROWS, Result
from piecework._settings.immutable import Record, as_plain, dataclass

if TYPE_CHECKING:
    from piecework._core import Encoding
    from piecework._show.document import Table


@dataclass(frozen=True, slots=True)
class CountsSummary(Record):
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
class Merge(Record):
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
class UnigramStep(Record):
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


Step = TypeVar("Step")


class _History(tuple[Step, ...], Result[Step]):  # type: ignore[misc]  # has the hash of a tuple
    """Holds the steps of a training in order."""

    __slots__ = ()
    _columns: tuple[str, ...]
    _align: str
    _unit: str

    @abstractmethod
    def _cells(self, step: Step) -> tuple[str, ...]:
        """Returns the cells of a step after its number."""

    @property
    def _rows(self) -> tuple[Step, ...]:
        return tuple(self)

    def _summary(self) -> str:
        return f"{len(self):,} {self._unit}"

    def _document(self) -> list[Table]:
        from piecework._show.document import Table

        shown = enumerate(self[:MAX_ROWS], 1)
        rows = [(str(number), *self._cells(step)) for number, step in shown]
        columns = ("step", *self._columns)
        return [Table(columns, rows, self._align, self._summary(), len(self))]

    def to_dict(self) -> dict[str, Any]:
        """Returns the steps as JSON values."""
        return {self._unit: as_plain(tuple(self))}

    __repr__ = Result.__repr__

    def _instead(self, name: str) -> str:  # noqa: ARG002  # one answer for all
        """Returns the error for an assignment."""
        return f"a {type(self).__name__} is immutable"


class MergeHistory(_History[Merge]):
    """Holds the merges of a training in order; print it for a table.

    >>> import piecework as pw
    >>> pw.train({"hug": 10, "hugs": 5}, pw.WordPieceTrainer(11)).training.history
    MergeHistory(2 merges)
    """

    __slots__ = ()
    _columns = ("left", "right", "token", "score", "count", "left", "right", "ties")
    _align = "rlllr"
    _unit = "merges"

    def _cells(self, merge: Merge) -> tuple[str, ...]:
        counts = (merge.pair_count, merge.left_count, merge.right_count, merge.ties)
        return (merge.left, merge.right, merge.token, f"{merge.score:.6g}", *map(str, counts))


class UnigramHistory(_History[UnigramStep]):
    """Holds the steps of a Unigram training in order; print it for a table."""

    __slots__ = ()
    _columns = ("kind", "pieces", "log-likelihood", "removed")
    _align = "rlr"
    _unit = "steps"

    def _cells(self, step: UnigramStep) -> tuple[str, ...]:
        return (
            "pruning" if step.log_likelihood is None else "em",
            str(step.pieces),
            "" if step.log_likelihood is None else f"{step.log_likelihood:.4f}",
            "unknown" if step.removed is None else str(len(step.removed)),
        )


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
