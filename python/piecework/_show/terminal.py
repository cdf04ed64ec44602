"""Writes documents as lines of text, for a terminal.

No line contains control characters, marks that are piled on others, or characters that change the order of others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._display import abridged, cell_width, is_mark, padded, quoted, table_cell
from piecework._show.document import Alignment, Heading, Lattice, Table, Text, Token, Tree, spans_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from piecework._show.document import Block, Column, Line, Span

_MARK = "^"
"""The mark below a column that is cut differently."""
_DOTTED_CIRCLE = "\u25cc"
"""The base on which a combining mark without base is drawn."""
_MAX_INDENT = 40
"""The maximum indentation in levels."""
_MAX_ROWS = 40
"""The maximum number of characters of a lattice."""
_MAX_CHARACTERS = 10_000
"""The maximum number of characters of a text in a line."""


def as_text(document: Iterable[Block]) -> str:
    """Returns a document as text."""
    return "\n".join(lines(document))


def lines(document: Iterable[Block], width: int | None = None) -> Iterator[str]:
    """Iterates over the lines of a document.

    Args:
        document: The blocks.
        width: The number of columns of the terminal, to which alignments are divided; None for no limit.
    """
    return _below(document, width, "")


def _below(document: Iterable[Block], width: int | None, indent: str) -> Iterator[str]:
    """Iterates over indented lines."""
    for block in document:
        match block:
            case Text(line, depth):
                yield f"{indent}{'  ' * min(depth, _MAX_INDENT)}{line_text(line)}".rstrip()
            case Tree(line, blocks):
                yield f"{indent}{line_text(line)}".rstrip()
                yield from _below(blocks, width, indent + "  ")
            case _:
                yield from (f"{indent}{line}".rstrip() for line in _block(block, width))


def _block(block: Heading | Table | Alignment | Lattice, width: int | None) -> Iterator[str]:
    match block:
        case Heading(text):
            yield line_text(text)
        case Table():
            yield from _table(block)
        case Alignment():
            yield from _alignment(block, width)
        case Lattice():
            yield from _lattice(block)


def line_text(line: Line) -> str:
    """Returns a line as text."""
    return "".join(map(_span, spans_of(line)))


def _span(span: Span) -> str:
    if not isinstance(span, Token):
        return abridged(str(span), _MAX_CHARACTERS)
    base = _DOTTED_CIRCLE if span.text and is_mark(span.text[0]) else ""
    return quoted(base + abridged(span.text))


def _cell(line: Line) -> str:
    """Returns a cell of a table, in which long texts are cut."""
    return "".join(cut_span(span, table_cell) for span in spans_of(line))


def cut_span(span: Span, cut: Callable[[str], str]) -> str:
    """Returns a part of a line as text that a function cuts; a token is in quotes if it contains a space."""
    return quoted(cut(span.text)) if isinstance(span, Token) else cut(str(span))


def _table(table: Table) -> Iterator[str]:
    if table.title:
        yield line_text(table.title)
    cells = [[_cell(cell) for cell in row] for row in (table.columns, *table.rows)]
    yield from columns(cells, table.is_right)
    if table.rest:
        yield table.rest


def columns(rows: Sequence[Sequence[str]], is_right: Callable[[int], bool]) -> Iterator[str]:
    """Iterates over lines whose cells are aligned to the left, or to the right where `is_right` says so.

    >>> list(columns([("a", "10"), ("bc", "9")], lambda column: column == 1))
    ['a   10', 'bc   9']
    """
    widths = [max(map(cell_width, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        aligned = (
            " " * (width - cell_width(cell)) + cell if is_right(number) else padded(cell, width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(aligned).rstrip()


def _lattice(lattice: Lattice) -> Iterator[str]:
    """Iterates over the tokens that begin at each character."""
    rows = list(lattice.rows())
    for start, spans in rows[:_MAX_ROWS]:
        yield f"{start}: {line_text(spans)}"
    if len(rows) > _MAX_ROWS:
        yield f"and {len(rows) - _MAX_ROWS:,} more characters"


# Alignments


def _alignment(alignment: Alignment, width: int | None) -> Iterator[str]:
    """Iterates over a line for each row, and one with marks unless all agree; for each part that fits into the width."""
    heads = _heads(alignment.heads)
    space = max((cell_width(head) + 2 for head in heads if head), default=0)
    limit = None if width is None else max(1, width - space)
    parts = list(_parts(alignment.columns, limit)) or [[]]
    for number, part in enumerate(parts):
        if number:
            yield ""
        rows = zip(*(cells for cells, _ in part), strict=True) if part else [()] * len(heads)
        widths = [width for _, width in part]
        for head, row in zip([*heads, None], rows, strict=False):
            shown = " ".join(padded(cell, each) for cell, each in zip(row, widths, strict=True))
            line = f"{padded(head or '', space)}{shown}".rstrip()
            if line or head is not None:
                yield line


def _heads(rows: Sequence[Sequence[str]]) -> list[str]:
    """Returns the names with the numbers after them."""
    names = [abridged(row[0]) for row in rows]
    widths = (
        max(map(cell_width, names), default=0),
        max((len(row[-1]) for row in rows), default=0),
    )
    return [
        f"{padded(name, widths[0])}  {row[1]:>{widths[1]}}" if len(row) > 1 else name
        for name, row in zip(names, rows, strict=True)
    ]


_Cells = tuple[tuple[str, ...], int]
"""The cells of a column, of which the last has the marks, and their width."""


def _parts(columns: Sequence[Column], limit: int | None) -> Iterator[list[_Cells]]:
    """Iterates over columns that fit into a width, unless a single one is wider."""
    part: list[_Cells] = []
    used = 0
    # Text that every tokenizer drops has no column.
    for cells, width in filter(lambda column: column[1], map(_cells, columns)):
        if limit is not None and part and used + width > limit:
            yield part
            part, used = [], 0
        part.append((cells, width))
        used += width + 1
    if part:
        yield part


def _cells(column: Column) -> _Cells:
    cells = [" ".join(quoted(table_cell(token.text)) for token in row) for row in column.tokens]
    width = max(map(cell_width, cells), default=0)
    return (*cells, "" if column.agrees else _MARK * width), width
