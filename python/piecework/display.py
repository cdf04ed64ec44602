r"""Converts tokens to readable form.

>>> visible("a\nb\x00")
'a\\nb\\x00'
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import category

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = [
    "MAX_ROWS",
    "abridged",
    "display_token",
    "html_table",
    "is_mark",
    "quoted",
    "split_marks",
    "visible",
]

MAX_ROWS = 50
"""The number of rows of a table in a notebook."""
_ESCAPED = 0xDC00
"""The difference between the surrogate of an invalid byte and the byte (PEP 383)."""
_MAX_MARKS = 4
"""The number of combining marks that are shown on one character; no orthography needs more."""
_MAX_CHARACTERS = 200
"""The number of characters of a text that `abridged` shows."""


def visible(text: str) -> str:
    """Returns a text on one line, with control characters escaped.

    Args:
        text: Any text.

    Returns:
        The text on one line.
    """
    return "".join(map(_escaped, text))


def _escaped(c: str) -> str:
    return c if c.isprintable() else c.encode("unicode_escape").decode()


def display_token(token: bytes) -> str:
    r"""Returns the bytes of a token as text.

    Args:
        token: The bytes of a token.

    Returns:
        The text on one line, with invalid UTF-8 as ``<0xE4>`` and control characters escaped.

    >>> display_token(" naïve\n".encode() + b"\xe4\xb8")
    ' naïve\\n<0xE4><0xB8>'
    """
    text = token.decode("utf-8", "surrogateescape")
    return "".join(
        f"<0x{ord(c) - _ESCAPED:02X}>" if "\udc80" <= c <= "\udcff" else _escaped(c) for c in text
    )


def quoted(text: str) -> str:
    """Returns a text for a list of texts: in quotes if it is empty or contains a space.

    >>> quoted("the"), quoted(" the"), quoted("")
    ('the', "' the'", "''")
    """
    return f"'{text}'" if " " in text or not text else text


def html_table(
    caption: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    total: int = 0,
) -> str:
    """Returns an HTML table for notebooks, with all text escaped.

    Args:
        caption: The caption.
        columns: The titles of the columns.
        rows: The cells of each row.
        total: The number of rows in all; a last row states the number of those that are missing.

    >>> html_table("A & B", ["n"], [["<1>"]], total=3)
    '<table><caption>A &amp; B</caption><tr><th>n</th></tr><tr><td>&lt;1&gt;</td></tr><tr><td colspan="1">and 2 more</td></tr></table>'
    """
    from html import escape  # few processes make tables

    lines = [_html_row("th", columns), *(_html_row("td", row) for row in rows)]
    if (missing := total - len(lines) + 1) > 0:
        lines.append(f'<tr><td colspan="{len(columns)}">and {missing:,} more</td></tr>')
    return f"<table><caption>{escape(caption)}</caption>{''.join(lines)}</table>"


def _html_row(tag: str, cells: Iterable[str]) -> str:
    from html import escape

    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"


def abridged(text: str, limit: int = _MAX_CHARACTERS) -> str:
    r"""Returns a text on one line, with control characters and piled combining marks escaped, and its end left out if it is long.

    Args:
        text: Any text.
        limit: The number of its characters that are shown.

    Returns:
        The text on one line, with the number of the characters that are left out.

    >>> abridged("na\u00efve\n"), abridged("a" * 1000, 3)
    ('naïve\\n', 'aaa… (997 more characters)')
    """
    shown = "".join(
        part if is_shown else part.encode("unicode_escape").decode()
        for part, is_shown in split_marks(text[:limit])
    )
    left_out = len(text) - limit
    return f"{shown}… ({left_out:,} more characters)" if left_out > 0 else shown


def split_marks(text: str) -> Iterator[tuple[str, bool]]:
    r"""Iterates over the characters of a text, each with whether it can be shown as it is.

    Control characters cannot, nor can lone surrogates, white space other than spaces, and marks piled on others.

    >>> list(split_marks("a\n"))
    [('a', True), ('\n', False)]
    """
    marks = 0
    for c in text:
        marks = marks + 1 if is_mark(c) else 0
        yield c, c.isprintable() and marks <= _MAX_MARKS


def is_mark(c: str) -> bool:
    """Returns whether a character is a combining mark, which is drawn on the one before it."""
    return category(c).startswith("M")
