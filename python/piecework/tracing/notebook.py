"""Writes traces as HTML tables for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework.html import MAX_ROWS, text_table
from piecework.tracing.text import (
    candidate_rows,
    criteria_rows,
    merge_rows,
    step_title,
    unigram_rows,
)

if TYPE_CHECKING:
    from piecework.tracing.criteria import CriteriaTrace
    from piecework.tracing.merges import MergeTrace
    from piecework.tracing.steps import MergeTraceStep
    from piecework.tracing.unigram import UnigramTrace

__all__ = ["criteria_table", "merge_table", "step_table", "unigram_table"]


def step_table(step: MergeTraceStep) -> str:
    """Returns the candidates of a step."""
    return text_table(step_title(step), *candidate_rows(step.candidates))


def merge_table(trace: MergeTrace) -> str:
    """Returns the first steps of a trace, one row a merge."""
    return text_table(repr(trace), *merge_rows(trace[:MAX_ROWS]), total=len(trace))


def unigram_table(trace: UnigramTrace) -> str:
    """Returns the first steps of a trace of Unigram, one row a step."""
    return text_table(repr(trace), *unigram_rows(trace[:MAX_ROWS]), total=len(trace))


def criteria_table(trace: CriteriaTrace) -> str:
    """Returns the first steps by criterion, one row a step."""
    columns = ["step", *(title for criterion in trace for title in (criterion, "score"))]
    longest = max(map(len, trace.values()), default=0)
    rows = criteria_rows(trace, slice(MAX_ROWS))
    return text_table(repr(trace), columns, rows, total=longest)
