"""Defines trainings with several criteria on the same word counts, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from piecework._result import MAX_ROWS
from piecework._settings.choices import Criterion
from piecework.training._tracing.base import Saved, as_range
from piecework.training._tracing.merges import COLUMNS, MergeTrace

if TYPE_CHECKING:
    from piecework._show.document import Block
    from piecework.training._tracing.steps import MergeTraceStep


class CriteriaTrace(Saved, Mapping[Criterion, "MergeTrace"]):
    """Holds a trace for each criterion; a mapping by their names. Print it for a table of steps by criterion.

    >>> import piecework as pw
    >>> hug = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> print(pw.trace_criteria(hug, pw.WordPieceTrainer(15, ties="first")))
    step  likelihood     pmi             sum             frequency
       1  ##ug  28.0178  ##gs      0.05  ##ug  0.357143  ##ug  20
       2  ##un  42.6973  hu   0.0277778  ##un       0.5  ##un  16
       3  hug   26.7232  hugs 0.0666667  hug   0.428571  hug   15
    """

    _traces: dict[Criterion, MergeTrace]
    _function = "trace_criteria"

    def __init__(self, traces: Mapping[Criterion, MergeTrace]) -> None:
        """Holds traces by criterion, in their order."""
        self.__dict__["_traces"] = dict(traces)

    def __getitem__(self, criterion: Criterion) -> MergeTrace:
        return self._traces[criterion]

    def steps(
        self, steps: slice = slice(None)
    ) -> Iterator[tuple[int, dict[Criterion, MergeTraceStep | None]]]:
        """Iterates over the numbers of steps, from 1, with the step of each criterion; None after its end.

        Args:
            steps: The range of steps, by their indices from 0.
        """
        indices = range(max(map(len, self.values()), default=0))
        for index in indices[as_range(steps)]:
            row = {
                criterion: trace[index] if index < len(trace) else None
                for criterion, trace in self.items()
            }
            yield index + 1, row

    def to_dict(self) -> dict[str, Any]:
        """Returns the traces as JSON values, by criterion."""
        return {criterion: trace.to_dict() for criterion, trace in self.items()}

    def columns(self) -> list[tuple[str, str]]:
        """Returns the names of the columns of :meth:`to_rows`, with their types as Arrow names them."""
        return [("criterion", "string"), *COLUMNS]

    def to_rows(self) -> list[dict[str, Any]]:
        """Returns the rows of all traces, with their criterion."""
        return [
            {"criterion": criterion} | row
            for criterion, trace in self.items()
            for row in trace.to_rows()
        ]

    def to_lines(self, steps: slice = slice(None)) -> Iterator[dict[str, Any]]:
        """Iterates over the steps of all traces as JSON values, with their criterion.

        Args:
            steps: The range of steps, by their indices from 0.
        """
        for criterion, trace in self.items():
            for line in trace.to_lines(steps):
                yield {"criterion": criterion} | line

    @property
    def _rows(self) -> tuple[Criterion, ...]:
        return tuple(self._traces)

    def _summary(self) -> str:
        return ", ".join(f"{name} {len(trace)}" for name, trace in self.items())

    def _document(self, steps: slice = slice(MAX_ROWS)) -> list[Block]:
        from piecework.training._tracing.document import criteria_table

        return [criteria_table(self, steps)]
