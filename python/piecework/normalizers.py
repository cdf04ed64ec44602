"""Normalizers: what a text is changed by before it is split into words.

They are those of ``tokenizers`` 0.23, with its parameters, and give what it gives; :class:`SentencePiece` is our own.

>>> Sequence([NFD(), StripAccents(), Lowercase()]).normalize_str("Crème Brûlée")
'creme brulee'
"""

from __future__ import annotations

import base64
import binascii
import collections.abc
from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from piecework import _core
from piecework._component import PATTERN, Component, Part
from piecework._immutable import dataclass
from piecework._settings import (
    FLAG,
    TEXT,
    Kind,
    ListOf,
    Maybe,
    Mismatch,
    Text,
    takes,
)
from piecework.errors import ConfigError, shown

if TYPE_CHECKING:
    from collections import abc

    from piecework.patterns import Regex

__all__ = [
    "NFC",
    "NFD",
    "NFKC",
    "NFKD",
    "BertNormalizer",
    "ByteLevel",
    "Lowercase",
    "Nmt",
    "Normalizer",
    "Precompiled",
    "Prepend",
    "Replace",
    "SentencePiece",
    "Sequence",
    "Strip",
    "StripAccents",
]


class Normalizer(Component):
    """The base of all normalizers."""

    def normalize_str(self, text: str) -> str:
        """Give the text as the normalizer leaves it.

        Args:
            text: Any text.

        Returns:
            The normalized text.

        Raises:
            ConfigError: A setting that only the core can check is impossible, like a broken regular expression.
            SurrogateError: The text holds a lone surrogate.

        >>> BertNormalizer().normalize_str("Héllo 中国")
        'hello  中  国 '
        """
        return self._stage("normalizer").normalize(text)


@dataclass(frozen=True)
class NFC(Normalizer):
    r"""Unicode's canonical composition: a letter and its marks become one character where there is one.

    >>> NFC().normalize_str("e\u0301")
    'é'
    """

    type_name: ClassVar[str] = "NFC"


@dataclass(frozen=True)
class NFD(Normalizer):
    """Unicode's canonical decomposition: a letter with marks becomes the letter and its marks.

    >>> len(NFD().normalize_str("é"))
    2
    """

    type_name: ClassVar[str] = "NFD"


@dataclass(frozen=True)
class NFKC(Normalizer):
    """Unicode's compatibility composition: as NFC, and characters of another form become the plain ones.

    >>> NFKC().normalize_str("ﬁve ２")
    'five 2'
    """

    type_name: ClassVar[str] = "NFKC"


@dataclass(frozen=True)
class NFKD(Normalizer):
    """Unicode's compatibility decomposition: as NFD, and characters of another form become the plain ones.

    >>> NFKD().normalize_str("ﬁve ２")
    'five 2'
    """

    type_name: ClassVar[str] = "NFKD"


@dataclass(frozen=True)
class Nmt(Normalizer):
    r"""The cleaning of SentencePiece's NMT rules: control characters go, odd white space becomes a space.

    >>> Nmt().normalize_str("a\u200bb\x01c")
    'a bc'
    """

    type_name: ClassVar[str] = "Nmt"


@dataclass(frozen=True)
class Lowercase(Normalizer):
    """Lower-case, each character by itself.

    >>> Lowercase().normalize_str("ÀÉ Straße")
    'àé straße'
    """

    type_name: ClassVar[str] = "Lowercase"


@dataclass(frozen=True)
class Strip(Normalizer):
    """White space at the ends of the text goes.

    Args:
        left: Whether it goes at the beginning.
        right: Whether it goes at the end.

    >>> Strip(right=False).normalize_str("  hello  ")
    'hello  '
    """

    type_name: ClassVar[str] = "Strip"

    left: bool = field(default=True, metadata=takes(FLAG, "strip_left"))
    right: bool = field(default=True, metadata=takes(FLAG, "strip_right"))


@dataclass(frozen=True)
class StripAccents(Normalizer):
    """Combining marks go; a letter with marks in one character has to be decomposed first, by :class:`NFD`.

    >>> Sequence([NFD(), StripAccents()]).normalize_str("café")
    'cafe'
    """

    type_name: ClassVar[str] = "StripAccents"


@dataclass(frozen=True)
class Replace(Normalizer):
    r"""Every match of a pattern is replaced.

    Args:
        pattern: A plain string, or a :class:`piecework.Regex`.
        content: What stands there instead, as it is.

    >>> import piecework as pw
    >>> Replace(pw.Regex(r"\s+"), " ").normalize_str("hello \t world")
    'hello world'
    """

    type_name: ClassVar[str] = "Replace"

    pattern: str | Regex = field(metadata=takes(PATTERN))
    content: str = field(metadata=takes(TEXT))


@dataclass(frozen=True)
class Prepend(Normalizer):
    """A string is put before the text, if there is any text.

    Args:
        prepend: The string.

    >>> Prepend("▁").normalize_str("hello")
    '▁hello'
    """

    type_name: ClassVar[str] = "Prepend"

    prepend: str = field(default="▁", metadata=takes(TEXT))


@dataclass(frozen=True)
class ByteLevel(Normalizer):
    r"""Every byte of the UTF-8 becomes the visible character that GPT-2 has for it.

    >>> ByteLevel().normalize_str("é\n")
    'Ã©Ċ'
    """

    type_name: ClassVar[str] = "ByteLevel"


@dataclass(frozen=True)
class BertNormalizer(Normalizer):
    r"""The normalization of BERT: clean, pad CJK characters, strip accents, lower-case.

    Characters are classed as ``tokenizers`` 0.23 classes them. The cost is linear in the text.

    Args:
        clean_text: Drop control characters and make every white space a plain space.
        handle_chinese_chars: Put a space on both sides of each CJK ideograph.
        strip_accents: Drop nonspacing marks after canonical decomposition; None follows ``lowercase``.
        lowercase: Lower-case each character by itself.

    >>> BertNormalizer(lowercase=False).normalize_str("Ünder\tground")
    'Ünder ground'
    """

    type_name: ClassVar[str] = "BertNormalizer"

    clean_text: bool = field(default=True, metadata=takes(FLAG))
    handle_chinese_chars: bool = field(default=True, metadata=takes(FLAG))
    strip_accents: bool | None = field(default=None, metadata=takes(Maybe(FLAG)))
    lowercase: bool = field(default=True, metadata=takes(FLAG))


class _Bytes(Kind):
    """Bytes, which JSON has as base64."""

    def check(self, value: Any) -> bytes:
        if not isinstance(value, bytes | bytearray | memoryview):
            raise Mismatch(f"expected bytes, found {shown(value)}")
        if not len(value):
            raise Mismatch("expected the map's bytes, found none")
        return bytes(value)

    def read(self, data: Any) -> bytes:
        try:
            return self.check(base64.b64decode(TEXT.check(data), validate=True))
        except (binascii.Error, ValueError) as error:
            raise Mismatch(f"not base64: {error}") from None

    def write(self, value: bytes) -> str:
        return base64.b64encode(value).decode("ascii")


RuleName = Literal["nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"]
"""SentencePiece's names of its rules: compatibility forms (NFKC of Unicode 17), cleaned (``nmt``), case-folded (``cf``), or none."""


def _charsmap(rules: RuleName | abc.Mapping[str, str]) -> bytes | None:
    """Give rules as a model holds them; None if nothing is ever replaced."""
    if isinstance(rules, str):
        return _core.charsmap_named(TEXT.check(rules))
    if not isinstance(rules, collections.abc.Mapping):
        raise ConfigError(
            f"rules: expected the name of rules, or a mapping of strings to strings; found {shown(rules)}"
        )
    try:
        pairs = [(TEXT.check(one), TEXT.check(other)) for one, other in rules.items()]
    except Mismatch as error:
        raise ConfigError(f"rules: {error}") from None
    return _core.charsmap_of(pairs) if pairs else None


@dataclass(frozen=True, repr=False)
class Precompiled(Normalizer):
    """The normalization of a SentencePiece model, from the character map that the model holds.

    Args:
        precompiled_charsmap: The map, as it stands in the ``.model`` file.

    >>> Precompiled(bytes(1024))
    Precompiled(precompiled_charsmap=<1,024 bytes>)
    """

    type_name: ClassVar[str] = "Precompiled"

    precompiled_charsmap: bytes = field(metadata=takes(_Bytes()))

    @classmethod
    def of(cls, rules: RuleName | abc.Mapping[str, str]) -> Precompiled:
        r"""Give the normalizer of rules that SentencePiece has a name for, or of your own.

        As in ``tokenizers``, a rule is for a grapheme cluster or a character, so one for a longer string replaces nothing; see
        :meth:`SentencePiece.of`.

        Args:
            rules: The name, or what each string becomes.

        Returns:
            The normalizer.

        Raises:
            ConfigError: No rules have this name; nothing would be replaced; a string is empty or holds NUL.

        >>> Precompiled.of("nfkc_cf").normalize_str("ﬁVE")
        'five'
        >>> Precompiled.of({"colour": "color"}).normalize_str("colours")
        'colours'
        """
        charsmap = _charsmap(rules)
        if charsmap is None:
            raise ConfigError(f"rules: {shown(rules)} replaces nothing; leave the normalizer out")
        return cls(charsmap)

    def __repr__(self) -> str:
        return f"Precompiled(precompiled_charsmap=<{len(self.precompiled_charsmap):,} bytes>)"


_CHARSMAP = _Bytes()
_SYMBOLS = ListOf(Text(1))


@dataclass(frozen=True, repr=False)
class SentencePiece(Normalizer):
    """All that a SentencePiece model does to a text, as that library does it; ``tokenizers`` refuses it in a file.

    Args:
        precompiled_charsmap: The rules, as they stand in the ``.model`` file; None for none. At each place the longest
            that fits is applied.
        add_dummy_prefix: Put a space before a text that is not empty.
        remove_extra_whitespaces: Keep one of several spaces in a row, and none at the ends.
        escape_whitespaces: Write spaces as ``▁``.
        treat_whitespace_as_suffix: Put the space behind the text instead.
        user_defined_symbols: Strings that no rule changes, kept as a tuple.

    >>> SentencePiece().normalize_str(" to  be ")
    '▁to▁be'
    """

    type_name: ClassVar[str] = "piecework.SentencePiece"

    precompiled_charsmap: bytes | None = field(default=None, metadata=takes(Maybe(_CHARSMAP)))
    add_dummy_prefix: bool = field(default=True, metadata=takes(FLAG))
    remove_extra_whitespaces: bool = field(default=True, metadata=takes(FLAG))
    escape_whitespaces: bool = field(default=True, metadata=takes(FLAG))
    treat_whitespace_as_suffix: bool = field(default=False, metadata=takes(FLAG))
    user_defined_symbols: abc.Sequence[str] = field(default=(), metadata=takes(_SYMBOLS))

    @classmethod
    def of(cls, rules: RuleName | abc.Mapping[str, str], **settings: Any) -> SentencePiece:
        """Give the normalizer of rules that SentencePiece has a name for, or of your own.

        Args:
            rules: The name, or what each string becomes.
            settings: All other settings of the class.

        Returns:
            The normalizer.

        Raises:
            ConfigError: No rules have this name; a string is empty or holds NUL; a setting is impossible.

        >>> SentencePiece.of("nmt_nfkc", add_dummy_prefix=False).normalize_str("ﬁve   times")
        'five▁times'
        >>> SentencePiece.of({"colour": "color"}).normalize_str("colours")
        '▁colors'
        """
        return cls(_charsmap(rules), **settings)

    def __repr__(self) -> str:
        parts = []
        if self.precompiled_charsmap is not None:
            parts.append(f"precompiled_charsmap=<{len(self.precompiled_charsmap):,} bytes>")
        names = ("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces")
        parts += [f"{name}=False" for name in names if not getattr(self, name)]
        if self.treat_whitespace_as_suffix:
            parts.append("treat_whitespace_as_suffix=True")
        if self.user_defined_symbols:
            parts.append(f"user_defined_symbols=<{len(self.user_defined_symbols):,} symbols>")
        return f"SentencePiece({', '.join(parts)})"


@dataclass(frozen=True)
class Sequence(Normalizer):
    """Several normalizers, one after the other.

    Args:
        normalizers: The normalizers, kept as a tuple.

    >>> Sequence([Strip(), Lowercase()]).normalize_str(" ABC ")
    'abc'
    """

    type_name: ClassVar[str] = "Sequence"

    normalizers: abc.Sequence[Normalizer] = field(metadata=takes(ListOf(Part(Normalizer))))
