"""Defines the types of inputs, and enumerations of names that components take."""

from __future__ import annotations

from enum import Enum

Offsets = tuple[int, int]
"""The start and end of a token."""

TextInputSequence = str
"""A text."""

PreTokenizedInputSequence = list[str] | tuple[str, ...]
"""A text as its words."""

TextEncodeInput = str | tuple[str, str] | list[str]
"""A text, or a pair of texts."""

PreTokenizedEncodeInput = (
    PreTokenizedInputSequence
    | tuple[PreTokenizedInputSequence, PreTokenizedInputSequence]
    | list[PreTokenizedInputSequence]
)
"""A text as its words, or a pair of them."""

InputSequence = TextInputSequence | PreTokenizedInputSequence
"""A text, with or without ``is_pretokenized``."""

EncodeInput = TextEncodeInput | PreTokenizedEncodeInput
"""A text or a pair, with or without ``is_pretokenized``."""


class OffsetReferential(Enum):
    """Names the text in which offsets count."""

    ORIGINAL = "original"
    NORMALIZED = "normalized"


class OffsetType(Enum):
    """Names what offsets count."""

    BYTE = "byte"
    CHAR = "char"


class SplitDelimiterBehavior(Enum):
    """Names what happens to a delimiter."""

    REMOVED = "removed"
    ISOLATED = "isolated"
    MERGED_WITH_PREVIOUS = "merged_with_previous"
    MERGED_WITH_NEXT = "merged_with_next"
    CONTIGUOUS = "contiguous"
