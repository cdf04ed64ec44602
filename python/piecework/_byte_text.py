"""Converts between the bytes of texts and the characters that represent them in byte-level entries."""

from __future__ import annotations

import re

BYTE_TOKEN = re.compile("<0x[0-9A-F]{2}>")
"""A byte-fallback entry."""
UNUSED_BYTES = frozenset([0xC0, 0xC1, *range(0xF5, 0x100)])
"""The bytes that UTF-8 never uses."""

_PRINTABLE = [*range(33, 127), *range(161, 173), *range(174, 256)]
_CHARACTER_OF = {byte: chr(byte) for byte in _PRINTABLE} | {
    byte: chr(256 + place)
    for place, byte in enumerate(byte for byte in range(256) if byte not in set(_PRINTABLE))
}
# All other characters up to U+00FF become one that no byte stands for.
_BYTE_OF = str.maketrans(
    {chr(code): "\uffff" for code in range(256)}
    | {character: chr(byte) for byte, character in _CHARACTER_OF.items()}
)
_TAILS = [
    b"",
    *(bytes([byte, *rest]) for byte in (0x80, 0x90, 0xA0) for rest in (b"", b"\x80", b"\x80\x80")),
]
"""Bytes of which one completes each beginning of a character."""


def byte_characters() -> dict[int, str]:
    """Returns the character that represents each byte.

    >>> byte_characters()[0x20]
    'Ġ'
    """
    return dict(_CHARACTER_OF)


def bytes_of(text: str) -> bytes | None:
    """Returns the bytes that characters represent; None if one of them represents no byte.

    >>> bytes_of("Ġa"), bytes_of("中"), bytes_of(" ")
    (b' a', None, None)
    """
    try:
        return text.translate(_BYTE_OF).encode("latin-1")
    except UnicodeEncodeError:
        return None


def is_part_of_text(data: bytes) -> bool:
    r"""Returns whether bytes occur in some text of UTF-8, perhaps beginning or ending within a character.

    >>> is_part_of_text(b"\x9f\x98\x80a\xe4"), is_part_of_text(b"\xc3a"), is_part_of_text(b"\xed\xa0")
    (True, False, False)
    """
    return any(
        _is_prefix_of_text(data[cut:]) for cut in range(min(continuation_bytes(data), 3) + 1)
    )


def continuation_bytes(data: bytes) -> int:
    """Returns the number of continuation bytes at the start."""
    return next((at for at, byte in enumerate(data) if byte >> 6 != 2), len(data))


def _is_prefix_of_text(data: bytes) -> bool:
    return any(_is_text(data + tail) for tail in _TAILS)


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
