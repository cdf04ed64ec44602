"""Defines the trace of a Unigram training."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from piecework._result import MAX_ROWS
from piecework._settings.immutable import Record, dataclass
from piecework.training._tracing.base import Trace, as_range

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from piecework._core._trace import UnigramRow
    from piecework._show.document import Block
    from piecework.tokenizer import Tokenizer


class ScoredPiece(NamedTuple):
    """Pairs a piece with a number: its loss, its expected count or its probability."""

    piece: str
    value: float


_COLUMNS = (
    ("step", "uint64"),
    ("kind", "string"),
    ("pieces", "uint64"),
    ("log_likelihood", "double"),
    ("removed_number", "uint64"),
    ("list", "string"),
    ("place", "uint64"),
    ("piece", "string"),
    ("value", "double"),
)
"""The columns of the flat table."""
_LISTS = ("removed", "kept", "most_probable")
"""The lists of pieces of a step."""


@dataclass(frozen=True, slots=True)
class UnigramTraceStep(Record):
    """Describes an EM step or a pruning of a Unigram training.

    Attributes:
        number: The number of the step, from 1.
        kind: ``"em"`` or ``"pruning"``.
        pieces: The number of pieces before the step.
        log_likelihood: The natural log-likelihood of the training words before an EM step; None for a pruning.
        removed_number: The number of removed pieces.
        removed: The first removed pieces, least first: those of an EM step with their expected counts, those of a pruning
            with their losses of log-likelihood. ``tokenizer.training.steps`` has the names of all.
        kept: The first pieces that a pruning kept, with their losses, least first; empty for an EM step.
        most_probable: The most probable pieces after the step, with their probabilities.
    """

    number: int
    kind: str
    pieces: int
    log_likelihood: float | None
    removed_number: int
    removed: tuple[ScoredPiece, ...]
    kept: tuple[ScoredPiece, ...]
    most_probable: tuple[ScoredPiece, ...]

    def to_dict(self) -> dict[str, Any]:
        """Returns the step as JSON values; a piece is a list of its text and its number."""
        return {
            "step": self.number,
            "kind": self.kind,
            "pieces": self.pieces,
            "log_likelihood": self.log_likelihood,
            "removed_number": self.removed_number,
            **{name: [list(found) for found in getattr(self, name)] for name in _LISTS},
        }

    def __str__(self) -> str:
        """Returns the step as lines of text."""
        from piecework._show.terminal import as_text
        from piecework.training._tracing.document import unigram_step

        return as_text([unigram_step(self)])


class UnigramTrace(Trace[UnigramTraceStep]):
    """Records a Unigram training; a sequence of its EM steps and prunings.

    >>> import piecework as pw
    >>> trace = pw.trace({"▁hug": 10, "▁hugs": 5, "▁bun": 3}, pw.UnigramTrainer(12), top=2)
    >>> [(step.kind, step.pieces, step.removed_number) for step in trace]
    [('em', 10, 0), ('pruning', 10, 1), ('em', 9, 0), ('em', 9, 0), ('em', 9, 0)]
    >>> [(piece, round(loss, 3)) for piece, loss in trace[1].removed + trace[1].kept[:1]]
    [('▁hugs', 19.435), ('▁bun', 53.728)]
    """

    def __init__(self, tokenizer: Tokenizer, top: int, rows: Sequence[UnigramRow]) -> None:
        """Creates a trace from the record of the core."""
        steps = tuple(_step(number, row) for number, row in enumerate(rows, 1))
        self.__dict__.update(tokenizer=tokenizer, top=top, _steps=steps)

    def to_dict(self) -> dict[str, Any]:
        """Returns the trace as JSON values; its size is bounded by the limit of pieces."""
        return {**self._training(), "steps": [step.to_dict() for step in self]}

    def columns(self) -> list[tuple[str, str]]:
        """Returns the names of the columns of :meth:`to_rows`, with their types as Arrow names them."""
        return list(_COLUMNS)

    def to_rows(self) -> list[dict[str, Any]]:
        """Returns one row for each recorded piece of each step, with the list that contains it."""
        return [
            {
                "step": step.number,
                "kind": step.kind,
                "pieces": step.pieces,
                "log_likelihood": step.log_likelihood,
                "removed_number": step.removed_number,
                "list": name,
                "place": place,
                "piece": found.piece,
                "value": found.value,
            }
            for step in self
            for name in _LISTS
            for place, found in enumerate(getattr(step, name), 1)
        ]

    def to_lines(self, steps: slice = slice(None)) -> Iterator[dict[str, Any]]:
        """Iterates over the steps as JSON values.

        Args:
            steps: The range of steps, by their indices from 0.
        """
        return (step.to_dict() for step in self[as_range(steps)])

    def _document(self, steps: slice = slice(MAX_ROWS)) -> Iterator[Block]:
        from piecework.training._tracing.document import unigram_document

        return unigram_document(self, steps)


def _step(number: int, row: UnigramRow) -> UnigramTraceStep:
    pieces, log_likelihood, removed_number, *lists = row
    kind = "pruning" if log_likelihood is None else "em"
    removed, kept, most_probable = (tuple(ScoredPiece(*found) for found in each) for each in lists)
    return UnigramTraceStep(
        number, kind, pieces, log_likelihood, removed_number, removed, kept, most_probable
    )
