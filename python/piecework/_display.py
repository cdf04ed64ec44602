r"""Converts tokens to readable form.

>>> visible("a\nb\x00")
'a\\nb\\x00'
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import category, combining, east_asian_width, name

if TYPE_CHECKING:
    from collections.abc import Iterator


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
    return text if text.isprintable() else "".join(map(_escaped, text))


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
    if text.isprintable():
        return text
    return "".join(
        f"<0x{ord(c) - _ESCAPED:02X}>" if "\udc80" <= c <= "\udcff" else _escaped(c) for c in text
    )


def quoted(text: str) -> str:
    """Returns a text for a list of texts: in quotes if it is empty or contains a space.

    >>> quoted("the"), quoted(" the"), quoted("")
    ('the', "' the'", "''")
    """
    return f"'{text}'" if " " in text or not text else text


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
    if len(text) <= limit:
        return _without_piled_marks(text)
    return f"{_without_piled_marks(text[:limit])}… ({len(text) - limit:,} more characters)"


def _without_piled_marks(text: str) -> str:
    """Returns a text with control characters and piled combining marks escaped."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        part if is_shown else part.encode("unicode_escape").decode()
        for part, is_shown in split_marks(text)
    )


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


_LONGEST_CELL = 60
"""The maximum number of characters of a token in a table."""
_DOTTED_CIRCLE = "\N{DOTTED CIRCLE}"


def table_cell(text: str) -> str:
    """Returns a text for a table: long texts are cut, piled combining marks escaped, and one at the start gets a base.

    >>> table_cell("\u0301"), table_cell("a" * 100)[-20:]
    ('◌́', 'aa… (100 characters)')
    """
    cut = _without_piled_marks(text[: _LONGEST_CELL + 1])
    if len(cut) > _LONGEST_CELL:
        number = f"… ({len(text):,} characters)"
        cut = cut[: _LONGEST_CELL - len(number)] + number
    return _DOTTED_CIRCLE + cut if cut and category(cut[0])[0] == "M" else cut


def cell_width(text: str) -> int:
    """Returns the number of columns that a text of one line takes in a terminal.

    >>> cell_width("ab"), cell_width("中文"), cell_width("e\u0301")
    (2, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(map(_character_width, text))


def _character_width(c: str) -> int:
    if category(c) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if east_asian_width(c) in "WF" else 1


def padded(text: str, width: int) -> str:
    """Returns a text with spaces after it, to a width in columns."""
    return text + " " * (width - cell_width(text))


def describe_character(c: str) -> str:
    """Returns a character with its code point; one that is hard to see with its name instead of itself.

    >>> describe_character("a"), describe_character("\u200b")
    ("'a' (U+0061)", 'U+200B ZERO WIDTH SPACE')
    """
    code = f"U+{ord(c):04X}"
    if c.isprintable() and not combining(c) and c != " ":
        return f"{c!r} ({code})"
    return f"{code} {name(c, '')}".rstrip()
