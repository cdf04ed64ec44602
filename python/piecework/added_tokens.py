"""Defines added tokens, which are matched in the text before the model runs."""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar

from piecework._immutable import dataclass
from piecework._settings import FLAG, Maybe, Settings, Text, takes

__all__ = ["AddedToken"]


@dataclass(frozen=True)
class AddedToken(Settings):
    """Describes a token that is matched in the text before the model runs.

    Args:
        content: The text of the token.
        single_word: Whether it matches only if no word character is adjacent.
        lstrip: Whether the match includes white space before the token.
        rstrip: Whether the match includes white space after the token.
        normalized: Whether it is matched in the normalized text; by default true unless it is special.
        special: Whether decoding can omit it.

    >>> AddedToken("[MASK]", lstrip=True, special=True).normalized
    False
    """

    accepted: ClassVar[tuple[str, ...]] = ("id", "__type")

    content: str = field(metadata=takes(Text(1)))
    single_word: bool = field(default=False, metadata=takes(FLAG, may_lack=True))
    lstrip: bool = field(default=False, metadata=takes(FLAG, may_lack=True))
    rstrip: bool = field(default=False, metadata=takes(FLAG, may_lack=True))
    normalized: bool | None = field(default=None, metadata=takes(Maybe(FLAG)))
    special: bool = field(default=False, metadata=takes(FLAG, may_lack=True))

    def __post_init__(self) -> None:
        """Checks the fields, and sets the default of `normalized`."""
        super().__post_init__()
        if self.normalized is None:
            object.__setattr__(self, "normalized", not self.special)
