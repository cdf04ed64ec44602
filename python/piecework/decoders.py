r"""Decoders: how tokens become text again.

A decoder makes a list of parts of a list of tokens; the parts in a row are the text. They are those of
``tokenizers`` 0.23, by the same names and with the same settings.

>>> Sequence([Replace("▁", " "), ByteFallback(), Fuse(), Strip(" ", left=1)]).decode(
...     ["▁na", "<0xC3>", "<0xAF>", "ve", "▁text"]
... )
'naïve text'
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from piecework import _core
from piecework._component import Component
from piecework.errors import ConfigError, FormatError
from piecework.patterns import Regex, pattern_from_dict, pattern_to_dict

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "CTC",
    "BPEDecoder",
    "ByteFallback",
    "ByteLevel",
    "Decoder",
    "Fuse",
    "Metaspace",
    "Replace",
    "Sequence",
    "Strip",
    "WordPiece",
]


class Decoder(Component):
    """The base of all decoders."""

    def decode(self, tokens: Iterable[str]) -> str:
        """Give the text of tokens.

        Args:
            tokens: The texts of tokens in order, not their ids.

        Returns:
            The text. The cost is linear in the tokens and the text.

        Raises:
            SurrogateError: A token holds a lone surrogate.
            RegexError: A regular expression gave up on a token.
            TextTooLongError: What the tokens become is over the limit of 1 GiB.

        >>> WordPiece().decode(["un", "##able", "!"])
        'unable!'
        """
        return _core.decode_tokens(json.dumps(self.to_dict()), tokens)

    @staticmethod
    def from_dict(parts: dict[str, Any]) -> Decoder:
        """Give the decoder that ``to_dict`` or a ``tokenizer.json`` describes.

        Args:
            parts: A dictionary of JSON values with the member ``type``.

        Returns:
            The decoder.

        Raises:
            UnsupportedError: There is no decoder of that type.
            FormatError: A member is unknown, missing or of the wrong type.

        >>> Decoder.from_dict({"type": "Metaspace", "replacement": "▁", "add_prefix_space": True})
        Metaspace(replacement='▁', prepend_scheme='always', split=True)
        """
        return _from_canonical(json.loads(_core.canonical_decoder(json.dumps(parts))))

    @classmethod
    def _from_members(cls, members: dict[str, Any]) -> Decoder:
        """Give the decoder of this class with the members of its JSON but for ``type``."""
        return cls(**members)

    def __post_init__(self) -> None:
        """Check the settings, which the core does."""
        try:
            _core.canonical_decoder(json.dumps(self.to_dict()))
        except FormatError as error:
            raise ConfigError(str(error).removeprefix("$.")) from None


@dataclass(frozen=True)
class WordPiece(Decoder):
    """Spaces between words; a continuing token loses its prefix and joins what precedes it.

    Args:
        prefix: What continuing tokens begin with; the first token keeps it.
        cleanup: Take the spaces before punctuation and English contractions out of each token.

    >>> WordPiece(cleanup=False).decode(["un", "##able", "!"])
    'unable !'
    """

    type_name: ClassVar[str] = "WordPiece"

    prefix: str = "##"
    cleanup: bool = True


@dataclass(frozen=True)
class BPEDecoder(Decoder):
    """The suffix that ends a word becomes a space, that of the last token nothing.

    Args:
        suffix: What is replaced, wherever it stands in a token.

    >>> BPEDecoder().decode(["un", "able</w>", "to</w>"])
    'unable to'
    """

    type_name: ClassVar[str] = "BPEDecoder"

    suffix: str = "</w>"


@dataclass(frozen=True)
class ByteLevel(Decoder):
    """The characters that stand for bytes become these bytes, and the bytes text.

    What is no UTF-8 becomes U+FFFD. A token with a character that stands for no byte is text already.

    Args:
        add_prefix_space: Belongs to the pre-tokenizer of this name; only kept, for saving.
        trim_offsets: Likewise.
        use_regex: Likewise.

    >>> ByteLevel().decode(["na", "Ã¯", "ve", "Ġtext"])
    'naïve text'
    """

    type_name: ClassVar[str] = "ByteLevel"

    add_prefix_space: bool = True
    trim_offsets: bool = True
    use_regex: bool = True


@dataclass(frozen=True)
class ByteFallback(Decoder):
    """Tokens such as ``<0x61>`` become bytes, and a run of them text.

    A run that is no UTF-8 becomes as many U+FFFD as it has tokens.

    >>> ByteFallback().decode(["na", "<0xC3>", "<0xAF>", "ve"])
    'naïve'
    """

    type_name: ClassVar[str] = "ByteFallback"


@dataclass(frozen=True)
class Metaspace(Decoder):
    """The character that stands for a space becomes one.

    Args:
        replacement: The character.
        prepend_scheme: Unless it is ``"never"``, the first token loses the character, wherever it stands.
        split: Belongs to the pre-tokenizer of this name; only kept, for saving.

    >>> Metaspace().decode(["▁un", "able", "▁to"])
    'unable to'
    """

    type_name: ClassVar[str] = "Metaspace"

    replacement: str = "▁"
    prepend_scheme: Literal["first", "never", "always"] = "always"
    split: bool = True


@dataclass(frozen=True)
class Fuse(Decoder):
    """All parts become one, for a decoder behind it that looks at parts.

    >>> Sequence([Fuse(), Strip("a", left=1)]).decode(["a", "a"])
    'a'
    """

    type_name: ClassVar[str] = "Fuse"


@dataclass(frozen=True)
class Strip(Decoder):
    """Drop a character at the ends of each token.

    Args:
        content: The character.
        left: How often it is dropped at the start, at most.
        right: How often it is then dropped at the end, at most.

    >>> Strip("_", left=1, right=2).decode(["__a__"])
    '_a'
    """

    type_name: ClassVar[str] = "Strip"

    content: str = " "
    left: int = 0
    right: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Give the component as ``tokenizer.json`` writes it.

        Returns:
            A dictionary of JSON values with the member ``type``.
        """
        sides = {"start": self.left, "stop": self.right}
        return {"type": self.type_name, "content": self.content} | sides

    @classmethod
    def _from_members(cls, members: dict[str, Any]) -> Strip:
        return cls(members["content"], members["start"], members["stop"])


@dataclass(frozen=True)
class Replace(Decoder):
    r"""What a pattern finds in each token becomes something else.

    Args:
        pattern: A string to find as it stands, or a :class:`piecework.Regex`.
        content: What comes in its place, as it stands: groups are not filled in.

    >>> Replace("▁", " ").decode(["to", "▁be"])
    'to be'
    """

    type_name: ClassVar[str] = "Replace"

    pattern: str | Regex
    content: str

    def to_dict(self) -> dict[str, Any]:
        """Give the component as ``tokenizer.json`` writes it.

        Returns:
            A dictionary of JSON values with the member ``type``.
        """
        pattern = pattern_to_dict(self.pattern)
        return {"type": self.type_name, "pattern": pattern, "content": self.content}

    @classmethod
    def _from_members(cls, members: dict[str, Any]) -> Replace:
        return cls(pattern_from_dict(members["pattern"]), members["content"])


@dataclass(frozen=True)
class CTC(Decoder):
    """Of equal tokens in a row one stays, and padding goes (connectionist temporal classification).

    Args:
        pad_token: What separates tokens that are meant to repeat; dropped wherever it stands.
        word_delimiter_token: What becomes a space, if ``cleanup`` is on.
        cleanup: Clean up as :class:`WordPiece` does, and make spaces of ``word_delimiter_token``.

    >>> CTC().decode(["t", "o", "o", "<pad>", "o", "|", "b", "e"])
    'too be'
    """

    type_name: ClassVar[str] = "CTC"

    pad_token: str = "<pad>"
    word_delimiter_token: str = "|"
    cleanup: bool = True


@dataclass(frozen=True)
class Sequence(Decoder):
    """One decoder after the other, each on the parts that the one before it made.

    Args:
        decoders: The decoders in order.

    >>> Sequence([Metaspace(), ByteFallback()]).decode(["▁na", "<0xC3>", "<0xAF>", "ve"])
    'naïve'
    """

    type_name: ClassVar[str] = "Sequence"

    decoders: tuple[Decoder, ...]

    def __init__(self, decoders: Iterable[Decoder]) -> None:
        """Take any iterable of decoders."""
        object.__setattr__(self, "decoders", tuple(decoders))
        for decoder in self.decoders:
            if not isinstance(decoder, Decoder):
                raise TypeError(f"expected decoders of piecework.decoders, found {decoder!r}")
        self.__post_init__()

    def to_dict(self) -> dict[str, Any]:
        """Give the component as ``tokenizer.json`` writes it.

        Returns:
            A dictionary of JSON values with the member ``type``.
        """
        return {"type": self.type_name, "decoders": [each.to_dict() for each in self.decoders]}

    @classmethod
    def _from_members(cls, members: dict[str, Any]) -> Sequence:
        return cls(map(_from_canonical, members["decoders"]))


_CLASSES: tuple[type[Decoder], ...] = (
    BPEDecoder,
    ByteFallback,
    ByteLevel,
    CTC,
    Fuse,
    Metaspace,
    Replace,
    Sequence,
    Strip,
    WordPiece,
)


def _from_canonical(parts: dict[str, Any]) -> Decoder:
    """Give the decoder of what the core wrote."""
    kinds = {each.type_name: each for each in _CLASSES}
    members = dict(parts)
    return kinds[members.pop("type")]._from_members(members)
