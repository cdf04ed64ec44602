"""Defines added tokens, which are matched in the text before the model runs."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, ClassVar

from piecework._messages import wrong_type
from piecework._settings.arguments import check_iterable
from piecework._settings.fields import Settings, Text, takes
from piecework._settings.immutable import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


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
    single_word: bool = field(default=False, metadata=takes(may_lack=True))
    lstrip: bool = field(default=False, metadata=takes(may_lack=True))
    rstrip: bool = field(default=False, metadata=takes(may_lack=True))
    normalized: bool | None = None
    special: bool = field(default=False, metadata=takes(may_lack=True))

    def __post_init__(self) -> None:
        """Checks the fields, and sets the default of `normalized`."""
        super().__post_init__()
        if self.normalized is None:
            object.__setattr__(self, "normalized", not self.special)


def checked_tokens(name: str, tokens: Iterable[str | AddedToken]) -> Iterator[str | AddedToken]:
    """Iterates over the tokens in an argument, or raises a TypeError that names it.

    >>> list(checked_tokens("tokens", ["<a>"]))
    ['<a>']
    """
    expected = "an iterable of str or AddedToken"
    if isinstance(tokens, str):
        raise wrong_type(name, expected, tokens)
    for token in check_iterable(name, tokens, expected):
        if not isinstance(token, str | AddedToken):
            raise wrong_type(name, "only str or AddedToken", token)
        yield token
