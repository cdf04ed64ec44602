"""Writes a report in Markdown."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from piecework.evaluation.metrics import METRICS, PARITY_METRICS
from piecework.evaluation.shapes import lengths_of, shown_shares
from piecework.evaluation.tables import Table, figure_tables, name_text, text_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework.evaluation.result import Evaluation

__all__ = ["markdown_report"]

_SYNTAX = re.compile(r"([\\`*_{}\[\]#|~!$^:])")
"""The characters that Markdown reads as markup."""


def markdown_report(evaluation: Evaluation) -> str:
    """Returns a report with tables alone; see :meth:`Evaluation.to_markdown`."""
    tables = [*figure_tables(evaluation), *_length_tables(evaluation), *text_tables(evaluation)]
    parts = ["# Evaluation of tokenizers", *map(_section, tables), _definitions()]
    return "\n\n".join(parts) + "\n"


def _length_tables(evaluation: Evaluation) -> Iterator[Table]:
    """Iterates over the distributions of lengths."""
    names = tuple(name_text(result.name) for result in evaluation.tokenizers)
    for lengths in lengths_of(evaluation):
        rows = tuple(
            (label, *shares)
            for label, shares in zip(lengths.labels, shown_shares(lengths), strict=True)
        )
        yield Table(lengths.title, (lengths.unit, *names), rows)


def _section(table: Table) -> str:
    """Returns a table with its title as a heading."""
    columns = len(table.header)
    alignment = ["---", *(["---:" if table.is_figures else "---"] * (columns - 1))]
    lines = [table.header, tuple(alignment), *table.rows]
    rows = (
        line if number == 1 else tuple(map(_escaped, line)) for number, line in enumerate(lines)
    )
    return "\n".join(
        [f"## {_escaped(table.title)}", "", *(f"| {' | '.join(row)} |" for row in rows)]
    )


def _escaped(text: str) -> str:
    r"""Returns a text without markup.

    >>> _escaped("<b>|*a*")
    '&lt;b&gt;\\|\\*a\\*'
    """
    return _SYNTAX.sub(r"\\\1", escape(text, quote=False))


def _definitions() -> str:
    metrics = (*METRICS.values(), *PARITY_METRICS.values())
    rows = (
        f"| {_escaped(each.name)} | {_escaped(each.definition)} | {each.better} |"
        for each in metrics
    )
    return "\n".join(
        ["## Definitions", "", "| metric | definition | better |", "|---|---|---|", *rows]
    )
