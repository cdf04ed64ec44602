r"""Converts tokens to readable form.

>>> visible("a\nb\x00")
'a\\nb\\x00'
"""

from __future__ import annotations

__all__ = ["display_token", "quoted", "visible"]

_ESCAPED = 0xDC00
"""The difference between the surrogate of an invalid byte and the byte (PEP 383)."""


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
