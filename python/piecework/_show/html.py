r"""Writes documents as HTML: escaped, with invisible characters made visible, and the same token in the same colour.

The HTML is a fragment with its own style, without scripts and without references to other files. Colours follow the
light or dark scheme of the browser.

>>> text_html("<b>\n")
'&lt;b&gt;<span class="pw-x" title="U+000A">\\n</span>'
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING
from zlib import crc32

from piecework._display import display_token, is_mark, split_marks, visible
from piecework._show.document import (
    Alignment,
    Bar,
    Heading,
    Lattice,
    Table,
    Text,
    Token,
    Tree,
    spaced,
    spans_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from piecework._show.document import Block, Column, Line, Span

MAX_TOKENS = 500
"""The number of tokens that are shown of an encoding or an alignment."""
_MAX_COLUMNS = 100
"""The number of columns that are shown of an alignment."""
_MAX_BLOCKS, _MAX_BELOW = 1000, 100
"""The numbers of blocks that are shown of a document, and of those below one line."""
_MAX_INDENT = 40
"""The maximum indentation in levels."""
_MAX_CHARACTERS = 60
"""The number of characters that are shown of a text."""
_MAX_LINE = 500
"""The number of characters that are shown of a text in a line."""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Forbids a page to load anything, and scripts."""
_SPACE = '<span class="pw-sp">\u2423</span>'
"""The mark of a space at the start or end of a text."""
_DOTTED_CIRCLE = "\u25cc"
"""The base on which a combining mark without base is drawn."""

_STYLE = """\
.piecework { --pw-back: #ffffff; --pw-ink: #1f2328; --pw-dim: #59636e; --pw-line: #d1d9e0; --pw-warn: #b3261e;
  --pw-s: 72%; --pw-l: 86%; background: var(--pw-back); color: var(--pw-ink); border: 1px solid var(--pw-line);
  border-radius: 6px; padding: 10px 12px; font: 14px/1.6 system-ui, sans-serif; overflow-x: auto; text-align: left; }
.piecework .pw-t, .piecework .pw-c { font-family: ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: break-word;
  unicode-bidi: isolate; display: inline-block; max-width: 28em; vertical-align: top; }
.piecework .pw-sp { color: var(--pw-dim); }
.piecework .pw-t { background: hsl(var(--pw-h) var(--pw-s) var(--pw-l)); color: var(--pw-ink); border-radius: 3px;
  padding: 1px 4px; margin: 1px; min-width: 0.5em; line-height: 1.4; }
.piecework .pw-special { outline: 1px dashed var(--pw-dim); outline-offset: -1px; }
.piecework .pw-unknown { outline: 2px solid var(--pw-warn); outline-offset: -2px; }
.piecework .pw-new { box-shadow: 0 0 0 2px var(--pw-ink); }
.piecework .pw-x { color: var(--pw-warn); font-size: 0.85em; }
.piecework .pw-dim { color: var(--pw-dim); }
.piecework mark { display: inline-block; background: none; color: inherit; border-bottom: 2px solid var(--pw-warn); }
.piecework table { border-collapse: collapse; margin: 6px 0; color: inherit; background: none; }
.piecework th, .piecework td { border: 0; border-bottom: 1px solid var(--pw-line); padding: 2px 10px 2px 0; background: none;
  text-align: left; vertical-align: top; }
.piecework th { color: var(--pw-dim); font-weight: 600; }
.piecework tr { background: none; }
.piecework td:first-child { white-space: nowrap; }
.piecework bdi { white-space: pre-wrap; overflow-wrap: anywhere; }
.piecework bdi, .piecework td .pw-t { display: inline-block; max-width: 24em; max-height: 4.4em; overflow: hidden; }
.piecework .pw-lattice { display: grid; grid-auto-flow: row dense; gap: 2px; margin: 6px 0; width: max-content; }
.piecework .pw-lattice > * { display: flex; flex-direction: column; text-align: center; }
.piecework .pw-bar { display: inline-block; width: 8em; text-align: left; }
.piecework .pw-bar i { display: inline-block; height: 0.7em; background: var(--pw-dim); }
.piecework h1 { font-size: 1.4em; }
.piecework .pw-r { text-align: right; font-variant-numeric: tabular-nums; }
.piecework caption { text-align: left; white-space: nowrap; font-weight: 600; color: inherit; }
.piecework details > :not(summary) { margin-left: 1.2em; }
.piecework summary { cursor: pointer; }
@media (prefers-color-scheme: dark) {
  .piecework { --pw-back: #14171c; --pw-ink: #e6e9ed; --pw-dim: #9aa4af; --pw-line: #373e47; --pw-warn: #ff8a80;
    --pw-s: 42%; --pw-l: 28%; }
}
"""


def as_html(document: Iterable[Block]) -> str:
    """Returns a document as an element with its style.

    >>> as_html([Text(("<", Token("a")))]).split("</style>")[1]
    '<div>&lt;<span class="pw-t" style="--pw-h:27">a</span></div></div>'
    """
    return f'<div class="piecework" dir="ltr"><style>\n{_STYLE}</style>{"".join(_blocks(list(document), iter(range(_MAX_BLOCKS))))}</div>'


def as_page(document: Iterable[Block], title: str) -> str:
    """Returns a document as a page, which loads nothing."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>{text_html(title)}</title></head><body><main>{as_html(document)}</main></body></html>\n"
    )


def _blocks(blocks: Sequence[Block], places: Iterator[int]) -> Iterator[str]:
    """Iterates over the first blocks, as long as there are places for them in the document."""
    blocks = [block for block in blocks if block != Text("")]
    for number, block in enumerate(blocks):
        if number == _MAX_BELOW or next(places, None) is None:
            yield f'<div class="pw-dim">and {len(blocks) - number:,} more</div>'
            return
        match block:
            case Heading(text):
                yield f"<h1>{text_html(text)}</h1>"
            case Text(line, depth):
                indent = f' style="margin-left:{min(depth, _MAX_INDENT)}em"' if depth else ""
                yield f"<div{indent}>{_line(line)}</div>"
            case Tree(line, below, is_open):
                folded = f"<summary>{_line(line)}</summary>{''.join(_blocks(below, places))}"
                yield f"<details{' open' if is_open else ''}>{folded}</details>"
            case Table():
                yield _table(block)
            case Alignment():
                yield _alignment(block)
            case Lattice():
                yield _lattice(block)


def _line(line: Line) -> str:
    return "".join(map(_span, spans_of(line)))


def _span(span: Span) -> str:
    match span:
        case Token(text, title, kind):
            return token_html(text, title, *([f"pw-{kind}"] if kind else []))
        case Bar(share):
            return f'{span} <span class="pw-bar"><i style="width:{share:.2%}"></i></span>'
    return _outside(span)


def _outside(text: str) -> str:
    """Returns a text between tokens, whose spaces at the ends are not marked."""
    bare = text.strip(" ")
    start = len(text) - len(text.lstrip(" ")) if bare else len(text)
    return " " * start + text_html(bare, _MAX_LINE) + " " * (len(text) - start - len(bare))


def _table(table: Table) -> str:
    title = f"<caption>{_line(table.title)}</caption>" if table.title else ""
    names = [_breakable(text_html(name)) for name in table.columns]
    rows = ([_cell(cell) for cell in row] for row in table.rows)
    body = "".join(f"<tr>{''.join(_cells(table, 'td', row))}</tr>" for row in rows)
    head = f"<tr>{''.join(_cells(table, 'th', names))}</tr>" if any(names) else ""
    rest = f'<span class="pw-dim">{table.rest}</span>' if table.rest else ""
    return f"<table>{title}{head}{body}</table>{rest}"


def _cell(line: Line) -> str:
    """Returns a cell; a text alone is isolated, and its spaces at the ends are marked."""
    return f"<bdi>{text_html(line)}</bdi>" if isinstance(line, str) else _line(line)


def _cells(table: Table, tag: str, cells: Iterable[str]) -> Iterator[str]:
    for place, cell in enumerate(cells):
        right = ' class="pw-r"' if table.is_right(place) else ""
        yield f"<{tag}{right}>{cell}</{tag}>"


def _breakable(name: str) -> str:
    """Returns a name in HTML that may be broken after an underscore."""
    return name.replace("_", "_<wbr>")


def _lattice(lattice: Lattice) -> str:
    """Returns tokens on a grid with a column for each character, framed if they are taken."""
    edges = "".join(
        f'<div style="grid-column:{start + 1}/{end + 1}">{_line((token._replace(kind="new" if is_taken else ""),))}'
        f"<small>{score:.4g}</small></div>"
        for token, (start, end), score, is_taken in lattice.edges
    )
    return f'<div class="pw-lattice">{edges}</div>'


def _alignment(alignment: Alignment) -> str:
    """Returns a table with a row for each row of tokens; columns that are cut differently are marked."""
    columns = alignment.columns[:_MAX_COLUMNS]
    limit = MAX_TOKENS // max(1, len(columns))
    rows = (
        [*map(text_html, head), *(_aligned(column, number, limit) for column in columns)]
        for number, head in enumerate(alignment.heads)
    )
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>{body}</table>" + more(len(alignment.columns) - len(columns), "blocks")


def _aligned(column: Column, number: int, limit: int) -> str:
    """Returns the first tokens of a row in a column."""
    tokens = column.tokens[number]
    shown = " ".join(token_html(token.text, token.title) for token in tokens[:limit])
    shown += more(len(tokens) - limit, "tokens")
    return shown if column.agrees else f"<mark>{shown}</mark>"


def more(count: int, what: str) -> str:
    """Returns a note of how many things are not shown; empty if all are.

    >>> more(1200, "tokens"), more(0, "tokens")
    (' <span class="pw-dim">and 1,200 more tokens</span>', '')
    """
    return f' <span class="pw-dim">and {count:,} more {what}</span>' if count > 0 else ""


def text_html(text: str, limit: int = _MAX_CHARACTERS) -> str:
    """Returns a text as HTML, with invisible characters and piled combining marks as escapes, and spaces at its ends marked.

    Args:
        text: Any text.
        limit: The number of its characters that are shown; the number of the others follows.

    Returns:
        The HTML, in which no character changes the order or the place of others.

    >>> text_html("a" * 1000, 3)
    'aaa<span class="pw-x">… (997 more characters)</span>'
    """
    shown = text[:limit]
    bare = shown.strip(" ")
    start = shown.find(bare) if bare else len(shown)
    parts = [_SPACE * start, _visible(bare), _SPACE * (len(shown) - start - len(bare))]
    if len(text) > limit:
        parts.append(f'<span class="pw-x">… ({len(text) - limit:,} more characters)</span>')
    return "".join(parts)


def _visible(text: str) -> str:
    """Returns a text as HTML, with escapes of what cannot be shown."""
    if text.isascii() and text.isprintable():
        return escape(text)
    parts, before = list[str](), ""
    for c, can_be_shown in split_marks(text):
        if not can_be_shown:
            escaped = escape(c.encode("unicode_escape").decode())
            parts.append(f'<span class="pw-x" title="U+{ord(c):04X}">{escaped}</span>')
        elif is_mark(c) and not before:
            parts.append(_DOTTED_CIRCLE + c)
        else:
            parts.append(escape(c))
        before = c if can_be_shown else ""
    return "".join(parts)


def token_html(display_token: str, title: str = "", *classes: str) -> str:
    """Returns a token as HTML, in the colour that it always has, also in `piecework play`.

    Args:
        display_token: The token in readable form, which decides the colour.
        title: What a pointer shows.
        *classes: ``"pw-special"``, ``"pw-unknown"`` or ``"pw-new"``.

    Returns:
        The HTML.

    >>> token_html("##s", "id 7")
    '<span class="pw-t" style="--pw-h:356" title="id 7">##s</span>'
    """
    names = " ".join(["pw-t", *classes])
    about = f' title="{escape(visible(title))}"' if title else ""
    shown = text_html(display_token)
    return f'<span class="{names}" style="--pw-h:{hue(display_token)}"{about}>{shown}</span>'


def hue(display_token: str) -> int:
    """Returns the hue of a token in readable form, from 0 to 359, by a fixed hash of its text.

    >>> hue("##s"), hue("hug")
    (356, 50)
    """
    return crc32(display_token.encode("utf-8", "surrogatepass")) % 360


_EncodingRow = tuple[bytes, int, tuple[int, int], bool]
"""The bytes, id and offsets of a token, and whether it was added to the text."""


def encoding_html(rows: Iterable[_EncodingRow], count: int) -> str:
    """Returns the tokens of an encoding as HTML; a pointer shows id and characters of each.

    Args:
        rows: The first tokens: their bytes, its id, its offsets, and whether it was added to the text.
        count: The number of all tokens.

    Returns:
        The HTML.

    >>> "… (1 more)" in encoding_html([(b"hug", 7, (0, 3), False)], 2)
    True
    """
    tokens = [_encoded(*row) for row in rows]
    return as_html([Text(f"{count:,} tokens"), Text(spaced(tokens, count))])


def _encoded(decoded: bytes, number: int, offsets: tuple[int, int], is_added: bool) -> Token:
    title = f"id {number}, characters {offsets[0]}\u2013{offsets[1]}"
    return Token(display_token(decoded), title, "special" if is_added else "")
