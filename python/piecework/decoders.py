r"""Decoders: how tokens become text again.

A decoder makes a list of parts of a list of tokens; the parts in a row are the text. They are those of
``tokenizers`` 0.23, by the same names and with the same settings; :class:`SentencePiece` is our own.

>>> Sequence([Replace("▁", " "), ByteFallback(), Fuse(), Strip(" ", left=1)]).decode(
...     ["▁na", "<0xC3>", "<0xAF>", "ve", "▁text"]
... )
'naïve text'
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar

from piecework import _core
from piecework._component import (
    METASPACE_SCHEME,
    PATTERN,
    Component,
    Part,
    PrependScheme,
    current_metaspace,
)
from piecework._immutable import dataclass
from piecework._settings import CHARACTER, FLAG, SIZE, TEXT, ListOf, takes

if TYPE_CHECKING:
    from collections import abc

    from piecework.patterns import Regex

__all__ = [
    "CTC",
    "BPEDecoder",
    "ByteFallback",
    "ByteLevel",
    "Decoder",
    "Fuse",
    "Metaspace",
    "Replace",
    "SentencePiece",
    "Sequence",
    "Strip",
    "WordPiece",
]


class Decoder(Component):
    """The base of all decoders."""

    def decode(self, tokens: abc.Iterable[str]) -> str:
        """Give the text of tokens.

        Args:
            tokens: Tokens, as the vocabulary writes them.

        Returns:
            The text.

        Raises:
            RegexError: A pattern that does not compile, or that gave up on a token.
            TextTooLongError: The text would be longer than 1 GiB.
            SurrogateError: A token holds a lone surrogate.

        >>> WordPiece().decode(["un", "##able"])
        'unable'
        """
        return _core.decode_tokens(self.to_core()[0], tokens)


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

    prefix: str = field(default="##", metadata=takes(TEXT))
    cleanup: bool = field(default=True, metadata=takes(FLAG))


@dataclass(frozen=True)
class BPEDecoder(Decoder):
    """The suffix that ends a word becomes a space, that of the last token nothing.

    Args:
        suffix: What is replaced, wherever it stands in a token.

    >>> BPEDecoder().decode(["un", "able</w>", "to</w>"])
    'unable to'
    """

    type_name: ClassVar[str] = "BPEDecoder"

    suffix: str = field(default="</w>", metadata=takes(TEXT))


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

    add_prefix_space: bool = field(default=True, metadata=takes(FLAG))
    trim_offsets: bool = field(default=True, metadata=takes(FLAG))
    use_regex: bool = field(default=True, metadata=takes(FLAG, may_lack=True))


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

    replacement: str = field(default="▁", metadata=takes(CHARACTER))
    prepend_scheme: PrependScheme = field(
        default="always", metadata=takes(METASPACE_SCHEME, may_lack=True)
    )
    split: bool = field(default=True, metadata=takes(FLAG, may_lack=True))

    @classmethod
    def _current(cls, data: dict[str, Any]) -> dict[str, Any]:
        return current_metaspace(data)


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

    content: str = field(default=" ", metadata=takes(CHARACTER))
    left: int = field(default=0, metadata=takes(SIZE, "start"))
    right: int = field(default=0, metadata=takes(SIZE, "stop"))


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

    pattern: str | Regex = field(metadata=takes(PATTERN))
    content: str = field(metadata=takes(TEXT))


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

    pad_token: str = field(default="<pad>", metadata=takes(TEXT))
    word_delimiter_token: str = field(default="|", metadata=takes(TEXT))
    cleanup: bool = field(default=True, metadata=takes(FLAG))


@dataclass(frozen=True)
class SentencePiece(Decoder):
    """Pieces become text as SentencePiece does it; ``tokenizers`` refuses it in a file.

    Args:
        add_dummy_prefix: The model puts a space before a text: the first piece loses the one it begins with.
        remove_extra_whitespaces: The model removes spaces: pieces lose the one they begin with until there is text.
        byte_fallback: Pieces such as ``<0x61>`` are bytes; one that is no part of a character becomes U+FFFD.
        unk_token: The piece of what the model does not know.
        unk_surface: What stands in the text for it.

    >>> SentencePiece().decode(["▁to", "▁be", "<unk>"])
    'to be ⁇ '
    """

    type_name: ClassVar[str] = "piecework.SentencePiece"

    add_dummy_prefix: bool = field(default=True, metadata=takes(FLAG))
    remove_extra_whitespaces: bool = field(default=True, metadata=takes(FLAG))
    byte_fallback: bool = field(default=False, metadata=takes(FLAG))
    unk_token: str = field(default="<unk>", metadata=takes(TEXT))
    unk_surface: str = field(default=" ⁇ ", metadata=takes(TEXT))


@dataclass(frozen=True)
class Sequence(Decoder):
    """One decoder after the other, each on the parts that the one before it made.

    Args:
        decoders: The decoders in order.

    >>> Sequence([Metaspace(), ByteFallback()]).decode(["▁na", "<0xC3>", "<0xAF>", "ve"])
    'naïve'
    """

    type_name: ClassVar[str] = "Sequence"

    decoders: abc.Sequence[Decoder] = field(metadata=takes(ListOf(Part(Decoder))))
