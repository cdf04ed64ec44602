"""Writes documents as Markdown, in which no text is read as markup."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from piecework._display import abridged, table_cell
from piecework._show.document import Block, Heading, Line, Table, Text, Tree, spans_of
from piecework._show.terminal import cut_span, lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SYNTAX = re.compile(r"([\\`*_{}\[\]#|~!$^:]|(?<=www)\.)")
"""The characters that Markdown reads as markup, and the point that makes a link of a name."""
_START = re.compile(r"^([0-9]*)([-+=.)])")
"""What Markdown reads as an item of a list or as a heading at the start of a line."""


def as_markdown(document: Iterable[Block]) -> str:
    """Returns a document as Markdown."""
    return "\n\n".join(_parts(document))


def _parts(document: Iterable[Block]) -> Iterator[str]:
    """Iterates over headings, paragraphs, tables and lists."""
    for block in document:
        match block:
            case Heading(text):
                yield f"# {_line(text)}"
            case Text(line, 0):
                if line:
                    yield _line(line)
            case Table():
                yield from _table(block)
            case _:
                yield "\n".join(_items([block], -1 if isinstance(block, Text) else 0))


def _items(blocks: Iterable[Block], level: int) -> Iterator[str]:
    """Iterates over the lines of a list, with lists below its items; what is no text is shown as in a terminal."""
    for block in blocks:
        match block:
            case Text(line, depth):
                yield f"{'  ' * (level + depth)}* {_line(line)}"
            case Tree(line, below):
                yield f"{'  ' * level}* {_line(line)}"
                yield from _items(below, level + 1)
            case _:
                code = (f"{'  ' * level}    {line}" for line in lines([block]))
                yield from ("", *code, "")


def _escaped(text: str) -> str:
    r"""Returns a text without markup.

    >>> _escaped("<b>|*a*")
    '&lt;b&gt;\\|\\*a\\*'
    """
    return _SYNTAX.sub(r"\\\1", escape(text, quote=False))


def _line(line: Line) -> str:
    r"""Returns a line without markup.

    >>> print(_line("- item"), _line("  1. item"), _line("1.5"))
    \- item 1\. item 1\.5
    """
    text = "".join(_escaped(cut_span(span, abridged)) for span in spans_of(line))
    return _START.sub(r"\1\\\2", text.lstrip())


def _cell(line: Line) -> str:
    return "".join(_escaped(cut_span(span, table_cell)) for span in spans_of(line))


def _table(table: Table) -> Iterator[str]:
    if table.title:
        yield f"## {_line(table.title)}"
    rules = ["---:" if table.is_right(place) else "---" for place in range(len(table.columns))]
    rows = [[_cell(cell) for cell in row] for row in (table.columns, *table.rows)]
    yield "\n".join(f"| {' | '.join(row)} |" for row in [rows[0], rules, *rows[1:]])
    if table.rest:
        yield table.rest
