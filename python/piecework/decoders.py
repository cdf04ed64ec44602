r"""Defines decoders, which convert tokens to text.

A decoder maps a list of tokens to a list of strings, which are concatenated. Decoders have the names, settings and results
of ``tokenizers`` 0.23; :class:`SentencePiece` exists only here.

>>> Sequence([Replace("▁", " "), ByteFallback(), Fuse(), Strip(" ", left=1)]).decode(
...     ["▁na", "<0xC3>", "<0xAF>", "ve", "▁text"]
... )
'naïve text'
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from piecework import _core
from piecework._settings import (
    component as _component,
    fields as _fields,
    immutable as _immutable,
    regex as _regex,
)

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


class Decoder(_component.Component):
    """Serves as the base of all decoders."""

    def decode(self, tokens: abc.Iterable[str]) -> str:
        """Returns the text of tokens.

        Args:
            tokens: Tokens, as the vocabulary writes them.

        Returns:
            The text.

        Raises:
            RegexError: A pattern does not compile, or exceeded its limit of steps.
            TextTooLongError: The text would be longer than 1 GiB.
            SurrogateError: A token contains a lone surrogate.

        >>> WordPiece().decode(["un", "##able"])
        'unable'
        """
        return _core.decode_tokens(self.to_core()[0], tokens)


@_immutable.dataclass(frozen=True)
class WordPiece(Decoder):
    """Joins words by spaces, and appends continuing tokens without their prefix.

    Args:
        prefix: The prefix of continuing tokens; the first token keeps it.
        cleanup: Whether to remove the spaces before punctuation and English contractions in each token.

    >>> WordPiece(cleanup=False).decode(["un", "##able", "!"])
    'unable !'
    """

    prefix: str = "##"
    cleanup: bool = True


@_immutable.dataclass(frozen=True)
class BPEDecoder(Decoder):
    """Replaces the end-of-word suffix by a space, and removes that of the last token.

    Args:
        suffix: The suffix, which is replaced anywhere in a token.

    >>> BPEDecoder().decode(["un", "able</w>", "to</w>"])
    'unable to'
    """

    suffix: str = "</w>"


@_immutable.dataclass(frozen=True)
class ByteLevel(Decoder):
    """Converts byte-level characters to bytes, and the bytes to text.

    Invalid UTF-8 becomes U+FFFD. A token with a character that is not byte-level is kept as text.

    Args:
        add_prefix_space: Stored, but without effect; see :class:`piecework.pre_tokenizers.ByteLevel`.
        trim_offsets: Stored, but without effect.
        use_regex: Stored, but without effect.

    >>> ByteLevel().decode(["na", "Ã¯", "ve", "Ġtext"])
    'naïve text'
    """

    add_prefix_space: bool = True
    trim_offsets: bool = True
    use_regex: bool = field(default=True, metadata=_fields.takes(may_lack=True))


@_immutable.dataclass(frozen=True)
class ByteFallback(Decoder):
    """Converts runs of tokens such as ``<0x61>`` to bytes, and the bytes to text.

    A run that is not valid UTF-8 becomes one U+FFFD per token.

    >>> ByteFallback().decode(["na", "<0xC3>", "<0xAF>", "ve"])
    'naïve'
    """


@_immutable.dataclass(frozen=True)
class Metaspace(Decoder):
    """Replaces the metaspace by a space.

    Args:
        replacement: The metaspace character.
        prepend_scheme: Unless ``"never"``, all metaspaces are removed from the first token.
        split: Stored, but without effect; see :class:`piecework.pre_tokenizers.Metaspace`.

    >>> Metaspace().decode(["▁un", "able", "▁to"])
    'unable to'
    """

    replacement: str = field(default="▁", metadata=_fields.takes(_fields.CHARACTER))
    prepend_scheme: _component.PrependScheme = field(
        default="always", metadata=_component.METASPACE_SCHEME
    )
    split: bool = field(default=True, metadata=_fields.takes(may_lack=True))

    @classmethod
    def _current(cls, data: dict[str, Any]) -> dict[str, Any]:
        return _component.current_metaspace(data)


@_immutable.dataclass(frozen=True)
class Fuse(Decoder):
    """Concatenates all tokens to one, for a following decoder that works on single tokens.

    >>> Sequence([Fuse(), Strip("a", left=1)]).decode(["a", "a"])
    'a'
    """


@_immutable.dataclass(frozen=True)
class Strip(Decoder):
    """Removes a character at the ends of each token.

    Args:
        content: The character.
        left: The maximum number of characters to remove at the start.
        right: The maximum number of characters to remove at the end, afterwards.

    >>> Strip("_", left=1, right=2).decode(["__a__"])
    '_a'
    """

    content: str = field(default=" ", metadata=_fields.takes(_fields.CHARACTER))
    left: int = field(default=0, metadata=_fields.takes(_fields.SIZE, "start"))
    right: int = field(default=0, metadata=_fields.takes(_fields.SIZE, "stop"))


@_immutable.dataclass(frozen=True)
class Replace(Decoder):
    r"""Replaces every match of a pattern in each token.

    Args:
        pattern: A plain string, or a :class:`piecework.Regex`.
        content: The replacement, which is inserted literally: group references are not expanded.

    >>> Replace("▁", " ").decode(["to", "▁be"])
    'to be'
    """

    pattern: str | Regex = field(metadata=_fields.takes(_regex.PATTERN))
    content: str


@_immutable.dataclass(frozen=True)
class CTC(Decoder):
    """Collapses runs of equal tokens and removes padding (connectionist temporal classification).

    Args:
        pad_token: The blank, which separates repeated tokens; removed everywhere.
        word_delimiter_token: The token that `cleanup` replaces by a space.
        cleanup: Whether to clean up like :class:`WordPiece`, and to replace `word_delimiter_token` by spaces.

    >>> CTC().decode(["t", "o", "o", "<pad>", "o", "|", "b", "e"])
    'too be'
    """

    pad_token: str = "<pad>"
    word_delimiter_token: str = "|"
    cleanup: bool = True


@_immutable.dataclass(frozen=True)
class SentencePiece(Decoder, prefix="piecework."):
    """Converts pieces to text like SentencePiece; ``tokenizers`` rejects files with it.

    Args:
        add_dummy_prefix: Whether the model prepends a space to a text, so that the leading space of the first piece is
            removed.
        remove_extra_whitespaces: Whether the model removes extra spaces, so that leading spaces of pieces are removed until
            the text is not empty.
        byte_fallback: Whether pieces such as ``<0x61>`` are bytes; an incomplete character becomes U+FFFD per byte.
        unk_token: The unknown piece; empty if there is none.
        unk_surface: The text of the unknown piece.

    >>> SentencePiece().decode(["▁to", "▁be", "<unk>"])
    'to be ⁇ '
    """

    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    byte_fallback: bool = False
    unk_token: str = "<unk>"
    unk_surface: str = " ⁇ "


@_immutable.dataclass(frozen=True)
class Sequence(Decoder):
    """Applies several decoders in order, each to the result of the previous one.

    Args:
        decoders: The decoders in order.

    >>> Sequence([Metaspace(), ByteFallback()]).decode(["▁na", "<0xC3>", "<0xAF>", "ve"])
    'naïve'
    """

    decoders: abc.Sequence[Decoder] = field(metadata=_component.parts(Decoder))
