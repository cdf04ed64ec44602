r"""Tokens as people read them.

>>> visible("a\nb\x00")
'a\\nb\\x00'
"""

from __future__ import annotations

__all__ = ["display_token", "quoted", "visible"]

_ESCAPED = 0xDC00
"""A byte that is no UTF-8 becomes the surrogate with this added to it (PEP 383)."""


def visible(text: str) -> str:
    """Give a text in which each character can be seen: control characters are escaped.

    Args:
        text: Any text.

    Returns:
        The text on one line.
    """
    return "".join(map(_seen, text))


def _seen(c: str) -> str:
    return c if c.isprintable() else c.encode("unicode_escape").decode()


def display_token(token: bytes) -> str:
    r"""Give the bytes of a token as text.

    Args:
        token: The bytes that a token stands for.

    Returns:
        The text on one line: bytes that are no UTF-8 as ``<0xE4>``, control characters escaped.

    >>> display_token(" naïve\n".encode() + b"\xe4\xb8")
    ' naïve\\n<0xE4><0xB8>'
    """
    text = token.decode("utf-8", "surrogateescape")
    return "".join(
        f"<0x{ord(c) - _ESCAPED:02X}>" if "\udc80" <= c <= "\udcff" else _seen(c) for c in text
    )


def quoted(text: str) -> str:
    """Give a text that stands among others: in quotes where its ends could not be seen.

    >>> quoted("the"), quoted(" the"), quoted("")
    ('the', "' the'", "''")
    """
    return f"'{text}'" if " " in text or not text else text
