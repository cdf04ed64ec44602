"""Defines documents: the blocks that results are shown as, which hold texts as they are; writers escape them."""

from __future__ import annotations

from itertools import groupby, islice
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

Item = TypeVar("Item")


class Token(NamedTuple):
    """Shows a token: in HTML as a box in its colour, in text in quotes if it contains a space.

    Attributes:
        text: The token in readable form.
        title: What a pointer shows.
        kind: ``"special"``, ``"unknown"`` or ``"new"``; empty for others.
    """

    text: str
    title: str = ""
    kind: str = ""


class Bar(NamedTuple):
    """Shows a share as a percentage, in HTML with a bar.

    Attributes:
        share: The share, from 0 to 1.
    """

    share: float

    def __str__(self) -> str:
        """Returns the percentage."""
        return f"{self.share:.2%}"


Span = str | Token | Bar
Spans = tuple[Span, ...]
"""Texts, tokens and bars that follow one another."""
Line = str | Spans
"""A line."""


def spans_of(line: Line) -> Spans:
    """Returns the parts of a line."""
    return (line,) if isinstance(line, str) else line


class Heading(NamedTuple):
    """Shows the title of a document.

    Attributes:
        text: The title.
    """

    text: str


class Text(NamedTuple):
    """Shows a line.

    Attributes:
        line: The line; an empty one separates parts of a text.
        depth: The levels by which it is indented.
    """

    line: Line
    depth: int = 0


class Table(NamedTuple):
    """Shows a table.

    Attributes:
        columns: The names of the columns.
        rows: The cells of each row.
        align: For each column ``"l"`` for left or ``"r"`` for right; the last one also for further columns.
        title: The line above it.
        total: The number of rows in all; a note has the number of those that are missing.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Line]]
    align: str = "l"
    title: Line = ""
    total: int = 0

    def is_right(self, column: int) -> bool:
        """Returns whether a column is aligned to the right."""
        return self.align[min(column, len(self.align) - 1)] == "r"

    @property
    def rest(self) -> str:
        """Returns a note of the rows that are missing; empty if none are."""
        missing = self.total - len(self.rows)
        return f"and {missing:,} more rows" if missing > 0 else ""


class Tree(NamedTuple):
    """Shows blocks below a line, indented; in HTML they can be folded.

    Attributes:
        line: The line.
        blocks: The blocks.
        is_open: Whether HTML shows the blocks at first.
    """

    line: Line
    blocks: Sequence[Block]
    is_open: bool = True


class Column(NamedTuple):
    """Holds the tokens of an alignment that stand for the same part of a text.

    Attributes:
        tokens: The tokens of each row.
        agrees: Whether all rows cut the text in the same way; otherwise the column is marked.
    """

    tokens: Sequence[Sequence[Token]]
    agrees: bool


class Alignment(NamedTuple):
    """Shows rows of tokens in columns.

    Attributes:
        heads: The cells before the tokens of each row: a name and possibly the number of tokens.
        columns: The columns.
    """

    heads: Sequence[Sequence[str]]
    columns: Sequence[Column]


class Edge(NamedTuple):
    """Holds a token over a range of columns.

    Attributes:
        token: The token.
        span: The first column and the one after the last.
        score: Its score.
        is_taken: Whether it is part of the best path.
    """

    token: Token
    span: tuple[int, int]
    score: float
    is_taken: bool


class Lattice(NamedTuple):
    """Shows tokens over the characters that they cover: drawn in HTML, a line for each first character in text.

    Attributes:
        edges: The tokens, in order of their starts.
    """

    edges: Sequence[Edge]

    def rows(self) -> Iterator[tuple[int, Spans]]:
        """Iterates over the characters with the tokens that begin there; ``*`` is before those that are taken."""
        for start, edges in groupby(self.edges, lambda edge: edge.span[0]):
            row = (
                ("*" if edge.is_taken else "", edge.token, f" {edge.score:.6g}") for edge in edges
            )
            yield start, enumerated(row)


Block = Heading | Text | Table | Tree | Alignment | Lattice


def spaced(tokens: Iterable[Span], total: int = 0) -> Spans:
    """Returns tokens with spaces between them, and the number of those that are missing from `total`.

    >>> spaced(["a", "b"], 3)
    ('a', ' ', 'b', ' ', '… (1 more)')
    """
    shown = list(tokens)
    rest = [f"… ({total - len(shown):,} more)"] if total > len(shown) else []
    return tuple(part for token in [*shown, *rest] for part in (" ", token))[1:]


def enumerated(items: Iterable[Spans]) -> Spans:
    """Returns items with commas between them.

    >>> enumerated([("a", "1"), ("b", "2")])
    ('a', '1', ', ', 'b', '2')
    """
    return tuple(part for item in items for part in (", ", *item))[1:]


def tokens_line(title: str, tokens: Sequence[str], limit: int) -> Text:
    """Returns a title with the number of tokens, and the first tokens after it.

    >>> tokens_line("added", ["a", "b"], 1).line
    ('added (2): ', Token(text='a', title='', kind=''), ' ', '… (1 more)')
    """
    return Text((f"{title} ({len(tokens):,}): ", *spaced(map(Token, tokens[:limit]), len(tokens))))


def listed(
    title: str, items: Sequence[Item], line: Callable[[Item], Line], limit: int | None
) -> Iterator[Tree]:
    """Iterates over a title with the number of items and the first items below it; over nothing without items.

    >>> list(listed("numbers", [1, 2], str, 1))
    [Tree(line='numbers: 2', blocks=[Text(line='1', depth=0), Text(line='… and 1 more', depth=0)], is_open=True)]
    """
    if items:
        shown = [Text(line(item)) for item in islice(items, limit)]
        rest = len(items) - len(shown)
        more = [Text(f"… and {rest:,} more")] if rest else []
        yield Tree(f"{title}: {len(items):,}", [*shown, *more])
