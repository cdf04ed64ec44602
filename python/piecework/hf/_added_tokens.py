"""Defines added tokens, which are matched in the text before the model runs."""

from __future__ import annotations

from typing import Any, Final

from piecework.hf._arguments import flag, ignored, is_of_tokenizers, listed, maybe, string
from piecework.hf._declared import DeclaredSettings, fixed, setting

Flags = tuple[str, bool, bool, bool, bool, bool]
"""Content, single_word, lstrip, rstrip, normalized and special, as the core takes them."""

_NAMES = ("content", "single_word", "lstrip", "rstrip", "normalized", "special")


class AddedToken(DeclaredSettings):
    """Describes a token that is matched in the text before the model runs.

    Args:
        content: The text of the token.
        single_word: Whether it matches only if no word character is adjacent.
        lstrip: Whether the match includes white space before the token.
        rstrip: Whether the match includes white space after the token.
        normalized: Whether it is matched in the normalized text; by default true unless it is special.
        special: Whether decoding can omit it.

    >>> from piecework.hf import AddedToken
    >>> AddedToken("[MASK]", lstrip=True, special=True)
    AddedToken("[MASK]", rstrip=False, lstrip=True, single_word=False, normalized=False, special=True)
    """

    content: str = setting(string, default=None)
    single_word: Final[bool] = setting(fixed(flag), default=False)
    lstrip: Final[bool] = setting(fixed(flag), default=False)
    rstrip: Final[bool] = setting(fixed(flag), default=False)
    _normalized: bool | None = setting(maybe(flag), default=None)
    special: bool = setting(flag, default=False)

    def __init__(
        self,
        content: str | None = None,
        *,
        single_word: bool = False,
        lstrip: bool = False,
        rstrip: bool = False,
        normalized: bool | None = None,
        special: bool = False,
        **kwargs: Any,
    ) -> None:
        """Checks the flags."""
        ignored(kwargs, "AddedToken")
        text = "" if content is None else content
        self._fill([text, single_word, lstrip, rstrip, normalized, special])

    @property
    def normalized(self) -> bool:
        """Returns whether it is matched in the normalized text."""
        return not self.special if self._normalized is None else self._normalized

    def _tuple(self) -> Flags:
        """Returns the flags in the order of the core."""
        names = self.content, self.single_word, self.lstrip, self.rstrip, self.normalized
        return (*names, self.special)

    @staticmethod
    def _of(flags: Flags) -> AddedToken:
        """Returns the token with flags of the core."""
        token = AddedToken()
        token._set(dict(zip(_NAMES, flags, strict=True)))
        return token

    def __getstate__(self) -> dict[str, Any]:
        """Returns the flags."""
        return dict(zip(_NAMES, self._tuple(), strict=True))

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Takes flags that `__getstate__` returned."""
        known = {name: state[name] for name in _NAMES if name in state}
        self._set(AddedToken()._values | known)

    def __reduce__(self) -> tuple[type[AddedToken], tuple[()], dict[str, Any]]:
        """Pickles the flags."""
        return AddedToken, (), self.__getstate__()

    def __eq__(self, other: object) -> bool:
        """Returns whether all flags are equal."""
        if not _is_added_token(other):
            return NotImplemented
        return self._tuple() == _flags_of(other)

    def __lt__(self, other: object) -> bool:
        """Returns false: tokens have no order."""
        return False if _is_added_token(other) else NotImplemented

    __gt__ = __le__ = __ge__ = __lt__

    def __hash__(self) -> int:
        """Returns the hash of the text."""
        return hash(self.content)

    def __str__(self) -> str:
        """Returns the text of the token."""
        return self.content

    def __repr__(self) -> str:
        """Returns the text and the flags."""
        return (
            f'AddedToken("{self.content}", rstrip={self.rstrip}, lstrip={self.lstrip}, '
            f"single_word={self.single_word}, normalized={self.normalized}, special={self.special})"
        )


def _is_added_token(token: object) -> bool:
    """Returns whether a value is an added token, ours or that of `tokenizers`."""
    is_peer = type(token).__name__ == "AddedToken" and is_of_tokenizers(token)
    return is_peer or isinstance(token, AddedToken)


def _flags_of(token: Any) -> Flags:
    """Returns the flags of an added token, ours or that of `tokenizers`."""
    if isinstance(token, AddedToken):
        return token._tuple()
    state = token.__getstate__()
    content, *flags = (state[name] for name in _NAMES)
    single_word, lstrip, rstrip, normalized, special = map(bool, flags)
    return content, single_word, lstrip, rstrip, normalized, special


def checked_flags(tokens: Any, *, special: bool, name: str = "Input") -> list[Flags]:
    """Returns the flags of a list of tokens to add, which are texts or added tokens.

    Args:
        tokens: The list.
        special: Whether they are added as special ones. An added token then becomes special, as in `tokenizers`, and its
            `normalized` false unless it was given.
        name: The argument that the message of an error names.

    Raises:
        TypeError: It is no list, or one of them is neither.
    """
    return [_checked(token, special, name) for token in listed(tokens)]


def _checked(token: Any, special: bool, name: str) -> Flags:
    if isinstance(token, str):
        return token, False, False, False, not special, special
    if not _is_added_token(token):
        raise TypeError(
            f"{name} must be a List[Union[str, AddedToken]], found {type(token).__name__!r} in it"
        )
    if special:
        token.special = True
    return _flags_of(token)
