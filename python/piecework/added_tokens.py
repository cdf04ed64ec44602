"""Tokens that are found in the text before the model sees it."""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar

from piecework._immutable import dataclass
from piecework._settings import FLAG, Maybe, Settings, Text, takes

__all__ = ["AddedToken"]


@dataclass(frozen=True)
class AddedToken(Settings):
    """A token that is found in the text before the model sees it.

    Args:
        content: The token.
        single_word: Whether it only counts where no word character is beside it.
        lstrip: Whether it takes the white space before it along.
        rstrip: Whether it takes the white space after it along.
        normalized: Whether it is looked for in the normalized text; by default, unless it is special.
        special: Whether decoding can leave it out.

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
        """Check the fields, and settle what is left open."""
        super().__post_init__()
        if self.normalized is None:
            object.__setattr__(self, "normalized", not self.special)
