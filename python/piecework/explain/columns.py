"""Writes the aligned segmentations of a text as columns, with marks below the blocks that are cut differently."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from piecework.display import abridged, cell_width, padded, quoted, table_cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from piecework.explain.comparison import Block

__all__ = ["MARK", "aligned_lines", "columns"]

MARK = "^"
"""The mark below a block that is cut differently."""


class Column(NamedTuple):
    """Holds a block as a column: a cell for each tokenizer, and one with the marks."""

    cells: tuple[str, ...]
    width: int

    @classmethod
    def of(cls, block: Block) -> Column:
        """Returns the column of a block."""
        texts = [" ".join(quoted(table_cell(token)) for token in tokens) for tokens in block.tokens]
        width = max(map(cell_width, texts), default=0)
        return cls((*texts, "" if block.agrees else MARK * width), width)


def columns(blocks: Iterable[Block], width: int | None = None) -> Iterator[list[str]]:
    """Iterates over the lines of columns that fit into a width: one line for each tokenizer, then the marks.

    Args:
        blocks: The blocks.
        width: The maximum number of terminal columns, unless a single block is wider; None for no limit.

    Yields:
        The lines; the last one is empty if all tokenizers agree on the blocks.
    """
    group: list[Column] = []
    used = 0
    # Text that every tokenizer drops has no column.
    for column in (each for each in map(Column.of, blocks) if each.width):
        if width is not None and group and used + column.width > width:
            yield _lines(group)
            group, used = [], 0
        group.append(column)
        used += column.width + 1
    if group:
        yield _lines(group)


def _lines(group: Sequence[Column]) -> list[str]:
    rows = zip(*(column.cells for column in group), strict=True)
    widths = [column.width for column in group]
    return [
        " ".join(padded(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def aligned_lines(
    names: Sequence[str], blocks: Sequence[Block], width: int | None = None
) -> Iterator[str]:
    """Iterates over the lines of a table of aligned segmentations.

    Args:
        names: The name of each tokenizer.
        blocks: The blocks.
        width: The number of columns of the terminal, to which the table is divided; None for no limit.

    Yields:
        For each part of the table a line for each tokenizer, and one with marks unless all agree; an empty line between two
        parts.
    """
    cells = list(map(abridged, names))
    space = max(map(cell_width, cells), default=0) + 2
    heads = [padded(cell, space) for cell in [*cells, ""]]
    parts = list(columns(blocks, None if width is None else max(1, width - space)))
    for number, part in enumerate(parts or [[""] * len(heads)]):
        if number:
            yield ""
        lines = (f"{head}{tokens}".rstrip() for head, tokens in zip(heads, part, strict=True))
        yield from filter(None, lines)
