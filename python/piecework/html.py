r"""Writes texts and tokens as HTML: escaped, with invisible characters made visible, and the same token in the same colour.

The HTML is a fragment with its own style, without scripts and without references to other files. Colours follow the
light or dark scheme of the browser.

>>> text_html("<b>\n")
'&lt;b&gt;<span class="pw-x" title="U+000A">\\n</span>'
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING
from zlib import crc32

from piecework.display import display_token, is_mark, split_marks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = [
    "MAX_ROWS",
    "MAX_TOKENS",
    "encoding_html",
    "fragment",
    "more",
    "table",
    "text_html",
    "text_table",
    "token_html",
]

MAX_ROWS = 50
"""The number of rows of a table that a notebook shows."""

MAX_TOKENS = 500
"""The number of tokens that a notebook shows of an encoding."""
_MAX_CHARACTERS = 60
"""The number of characters that are shown of a text."""
_MAX_CAPTION = 200
"""The number of characters that are shown of a caption."""
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
.piecework s { color: var(--pw-dim); }
.piecework mark { display: inline-block; background: none; color: inherit; border-bottom: 2px solid var(--pw-warn); }
.piecework table { border-collapse: collapse; margin: 6px 0; color: inherit; background: none; }
.piecework th, .piecework td { border: 0; border-bottom: 1px solid var(--pw-line); padding: 2px 10px 2px 0; background: none;
  text-align: left; vertical-align: top; }
.piecework th { color: var(--pw-dim); font-weight: 600; }
.piecework tr { background: none; }
.piecework td:first-child { white-space: nowrap; }
.piecework .pw-codes { display: inline-block; min-width: 11em; font-size: 0.9em; }
.piecework .pw-lattice { display: grid; grid-auto-flow: row dense; gap: 2px; margin: 6px 0; width: max-content; }
.piecework .pw-lattice > * { display: flex; flex-direction: column; align-items: center; margin: 0; max-width: none; }
.piecework .pw-lattice small { font-size: 0.75em; }
.piecework .pw-note { white-space: nowrap; }
.piecework summary { cursor: pointer; color: var(--pw-dim); }
@media (prefers-color-scheme: dark) {
  .piecework { --pw-back: #14171c; --pw-ink: #e6e9ed; --pw-dim: #9aa4af; --pw-line: #373e47; --pw-warn: #ff8a80;
    --pw-s: 42%; --pw-l: 28%; }
}
"""


def fragment(*parts: str) -> str:
    """Returns an element with its style for parts that are HTML.

    >>> fragment("<b>a</b>").endswith("<b>a</b></div>")
    True
    """
    return f'<div class="piecework" dir="ltr"><style>\n{_STYLE}</style>{"".join(parts)}</div>'


def table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Returns a table of cells that are HTML, with the names of its columns.

    >>> table(("id",), [("7",)])
    '<table><tr><th>id</th></tr><tr><td>7</td></tr></table>'
    """
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def text_table(
    caption: str, columns: Sequence[str], rows: Iterable[Sequence[str]], *, total: int = 0
) -> str:
    """Returns an element with a table of texts.

    Args:
        caption: What is above the table.
        columns: The names of the columns.
        rows: The cells of each row.
        total: The number of rows in all; a note has the number of those that are missing.

    >>> text_table("A & B", ["n"], [["<1>"]], total=3).endswith(
    ...     '<p>A &amp; B</p><table><tr><th>n</th></tr><tr><td>&lt;1&gt;</td></tr></table> '
    ...     '<span class="pw-dim">and 2 more rows</span></div>'
    ... )
    True
    """
    cells = [[text_html(cell) for cell in row] for row in rows]
    rest = more(total - len(cells), "rows")
    return fragment(f"<p>{text_html(caption, _MAX_CAPTION)}</p>", table(columns, cells), rest)


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
    about = f' title="{escape(title)}"' if title else ""
    shown = text_html(display_token)
    return f'<span class="{names}" style="--pw-h:{hue(display_token)}"{about}>{shown}</span>'


def hue(display_token: str) -> int:
    """Returns the hue of a token in readable form, from 0 to 359, by a fixed hash of its text.

    >>> hue("##s"), hue("hug")
    (356, 50)
    """
    return crc32(display_token.encode("utf-8", "surrogatepass")) % 360


EncodingRow = tuple[bytes, int, tuple[int, int], bool]
"""The bytes, id and offsets of a token, and whether it was added to the text."""


def encoding_html(rows: Iterable[EncodingRow], count: int) -> str:
    """Returns the tokens of an encoding as HTML; a pointer shows id and characters of each.

    Args:
        rows: The first tokens: their bytes, its id, its offsets, and whether it was added to the text.
        count: The number of all tokens.

    Returns:
        The HTML.

    >>> "and 1 more tokens" in encoding_html([(b"hug", 7, (0, 3), False)], 2)
    True
    """
    shown = [_encoded(*row) for row in rows]
    total = f'<div class="pw-dim">{count:,} tokens</div>'
    return fragment(total, f"<div>{' '.join(shown)}{more(count - len(shown), 'tokens')}</div>")


def _encoded(decoded: bytes, number: int, offsets: tuple[int, int], is_added: bool) -> str:
    title = f"id {number}, characters {offsets[0]}\u2013{offsets[1]}"
    classes = ["pw-special"] if is_added else []
    return token_html(display_token(decoded), title, *classes)
