"""Bytes and spaces written as visible characters.

Byte-level BPE works on bytes but stores its tokens as text, so each byte has a character:

    "é a"   bytes C3 A9 20 61   ->   Ã©Ġa

Source: GPT-2's `bytes_to_unicode` (Radford et al. 2019). SentencePiece writes a space as `▁`, so
that a piece shows whether it begins a word (Kudo and Richardson 2018).
"""

from typing import Final


def _make_byte_alphabet() -> list[str]:
    """Returns a visible character for every byte: itself if visible, else one from U+0100 on."""
    visible = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x200))
    return [chr(byte) if byte in visible else chr(next(others)) for byte in range(256)]


BYTE_ALPHABET: Final = _make_byte_alphabet()
"""The character of each byte."""

BYTE_OF_CHARACTER: Final = {c: BYTE_ALPHABET.index(c) for c in sorted(BYTE_ALPHABET)}
"""The byte of each of these characters, by code point."""

METASPACE: Final = "▁"
"""The character that SentencePiece writes for a space."""
