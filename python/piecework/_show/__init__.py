"""Shows results: a document is built once, and written as text, as HTML or as Markdown.

Imported when something is shown, not before.

>>> from piecework._show import Table, Text, as_markdown, as_text
>>> document = [Text("two pieces"), Table(("piece", "id"), [("hug", "7"), ("s", "12")], "lr")]
>>> print(as_text(document))
two pieces
piece  id
hug     7
s      12
>>> print(as_markdown(document))
two pieces
<BLANKLINE>
| piece | id |
| --- | ---: |
| hug | 7 |
| s | 12 |
"""

from __future__ import annotations

from piecework._show.document import (
    Alignment,
    Bar,
    Block,
    Column,
    Edge,
    Heading,
    Lattice,
    Line,
    Spans,
    Table,
    Text,
    Token,
    Tree,
    enumerated,
    listed,
    spaced,
    tokens_line,
)
from piecework._show.html import as_html, as_page, encoding_html
from piecework._show.markdown import as_markdown
from piecework._show.terminal import as_text, columns, line_text, lines

__all__ = [
    "Alignment",
    "Bar",
    "Block",
    "Column",
    "Edge",
    "Heading",
    "Lattice",
    "Line",
    "Spans",
    "Table",
    "Text",
    "Token",
    "Tree",
    "as_html",
    "as_markdown",
    "as_page",
    "as_text",
    "columns",
    "encoding_html",
    "enumerated",
    "line_text",
    "lines",
    "listed",
    "spaced",
    "tokens_line",
]
