"""Writes the figures of tokenizers on files as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework.display import cell_width, padded, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from piecework.explain.files import FilesComparison, GroupComparison

__all__ = ["table"]

_HEAD = ("", "tokenizer", "documents", "tokens", "chars/token", "bytes/token", "unknown")
_LEFT = 2
"""The number of columns that are aligned left."""
_UNDEFINED = "-"


def table(comparison: FilesComparison) -> Iterator[str]:
    """Iterates over the lines of a table: the figures of each group, their agreement, and the first disagreements."""
    rows: list[tuple[str, ...]] = [_HEAD]
    for group in (*comparison.groups, comparison.total):
        rows += _rows(group)
    yield from _aligned(rows)
    yield ""
    for group in (*comparison.groups, comparison.total):
        yield (
            f"{visible(group.name)}: all tokenizers agree on {group.document_agreement:.1%} of documents, "
            f"{group.text_agreement:.1%} of the text"
        )
    for each in comparison.disagreements:
        yield ""
        yield from str(each).splitlines()


def _rows(group: GroupComparison) -> Iterator[tuple[str, ...]]:
    name, documents = visible(group.name), f"{group.documents:,}"
    for tokenizer, figures in group.figures.items():
        yield (
            name,
            visible(tokenizer),
            documents,
            f"{figures.tokens:,}",
            _number(figures.chars_per_token, ".3f"),
            _number(figures.bytes_per_token, ".3f"),
            _number(figures.unknown_rate, ".2%"),
        )
        name = documents = ""


def _number(value: float | None, form: str) -> str:
    return _UNDEFINED if value is None else format(value, form)


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Iterates over the lines of a table, with numbers aligned right."""
    widths = [max(map(cell_width, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (
            padded(cell, width) if number < _LEFT else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()
