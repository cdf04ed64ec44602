"""Defines normalizers, which change a text before it is split into words.

They have the parameters and results of ``tokenizers`` 0.23; :class:`SentencePiece` exists only here.

>>> Sequence([NFD(), StripAccents(), Lowercase()]).normalize_str("Crème Brûlée")
'creme brulee'
"""

from __future__ import annotations

import base64
import binascii
import collections.abc
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, get_args

from piecework import _core, _exceptions, _messages, errors as _errors
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
    "RuleName",
    "SentencePiece",
    "Sequence",
    "Strip",
    "StripAccents",
]


class Normalizer(_component.Component):
    """Serves as the base of all normalizers."""

    def normalize_str(self, text: str) -> str:
        """Returns the normalized text.

        Args:
            text: Any text.

        Returns:
            The normalized text.

        Raises:
            ConfigError: A setting that only the core can check is invalid, such as a regular expression.
            SurrogateError: The text contains a lone surrogate.

        >>> BertNormalizer().normalize_str("Héllo 中国")
        'hello  中  国 '
        """
        return self._stage("normalizer").normalize(text)

    @classmethod
    def _call_for(cls, name: str) -> str | None:
        rule = name.lower().replace("-", "_")
        if call := super()._call_for(name):
            return call
        is_rule = rule in get_args(RuleName) and rule != "identity"
        return f"{cls.__module__}.SentencePiece.of({rule!r})" if is_rule else None


@_immutable.dataclass(frozen=True)
class NFC(Normalizer):
    r"""Applies Unicode's canonical composition (NFC), which composes a letter and its marks.

    >>> NFC().normalize_str("e\u0301")
    'é'
    """


@_immutable.dataclass(frozen=True)
class NFD(Normalizer):
    """Applies Unicode's canonical decomposition (NFD), which splits a letter and its marks.

    >>> len(NFD().normalize_str("é"))
    2
    """


@_immutable.dataclass(frozen=True)
class NFKC(Normalizer):
    """Applies Unicode's compatibility composition (NFKC): NFC, with compatibility characters replaced by plain ones.

    >>> NFKC().normalize_str("ﬁve ２")
    'five 2'
    """


@_immutable.dataclass(frozen=True)
class NFKD(Normalizer):
    """Applies Unicode's compatibility decomposition (NFKD): NFD, with compatibility characters replaced by plain ones.

    >>> NFKD().normalize_str("ﬁve ２")
    'five 2'
    """


@_immutable.dataclass(frozen=True)
class Nmt(Normalizer):
    r"""Applies the cleaning of SentencePiece's NMT rules: removes control characters, maps white space to spaces.

    >>> Nmt().normalize_str("a\u200bb\x01c")
    'a bc'
    """


@_immutable.dataclass(frozen=True)
class Lowercase(Normalizer):
    """Lowercases each character, without context.

    >>> Lowercase().normalize_str("ÀÉ Straße")
    'àé straße'
    """


@_immutable.dataclass(frozen=True)
class Strip(Normalizer):
    """Removes white space at the ends of the text.

    Args:
        left: Whether to remove it at the start.
        right: Whether to remove it at the end.

    >>> Strip(right=False).normalize_str("  hello  ")
    'hello  '
    """

    left: bool = field(default=True, metadata=_fields.takes(member="strip_left"))
    right: bool = field(default=True, metadata=_fields.takes(member="strip_right"))


@_immutable.dataclass(frozen=True)
class StripAccents(Normalizer):
    """Removes combining marks; precomposed letters must be decomposed first, by :class:`NFD`.

    >>> Sequence([NFD(), StripAccents()]).normalize_str("café")
    'cafe'
    """


@_immutable.dataclass(frozen=True)
class Replace(Normalizer):
    r"""Replaces every match of a pattern.

    Args:
        pattern: A plain string, or a :class:`piecework.Regex`.
        content: The replacement, which is inserted literally.

    >>> import piecework as pw
    >>> Replace(pw.Regex(r"\s+"), " ").normalize_str("hello \t world")
    'hello world'
    """

    pattern: str | Regex = field(metadata=_fields.takes(_regex.PATTERN))
    content: str


@_immutable.dataclass(frozen=True)
class Prepend(Normalizer):
    """Prepends a string to a text that is not empty.

    Args:
        prepend: The string.

    >>> Prepend("▁").normalize_str("hello")
    '▁hello'
    """

    prepend: str = "▁"


@_immutable.dataclass(frozen=True)
class ByteLevel(Normalizer):
    r"""Replaces every byte of the UTF-8 by GPT-2's visible character for it.

    >>> ByteLevel().normalize_str("é\n")
    'Ã©Ċ'
    """


@_immutable.dataclass(frozen=True)
class BertNormalizer(Normalizer):
    r"""Applies BERT's normalization: cleans, pads CJK characters, strips accents and lowercases.

    Character classes are those of ``tokenizers`` 0.23. The cost is linear in the text.

    Args:
        clean_text: Whether to remove control characters and replace white space by spaces.
        handle_chinese_chars: Whether to put a space on both sides of each CJK ideograph.
        strip_accents: Whether to remove nonspacing marks after canonical decomposition; None for the value of `lowercase`.
        lowercase: Whether to lowercase each character, without context.

    >>> BertNormalizer(lowercase=False).normalize_str("Ünder\tground")
    'Ünder ground'
    """

    clean_text: bool = True
    handle_chinese_chars: bool = True
    strip_accents: bool | None = None
    lowercase: bool = True


class _Bytes(_fields.Kind):
    """Checks bytes; in JSON as base64."""

    def check(self, value: Any) -> bytes:
        if not isinstance(value, bytes | bytearray | memoryview):
            raise _fields.Mismatch(f"expected bytes, found {_messages.shown(value)}")
        if not len(value):
            raise _fields.Mismatch("expected the bytes of a character map, found none")
        return bytes(value)

    def read(self, data: Any) -> bytes:
        try:
            return self.check(base64.b64decode(_fields.TEXT.check(data), validate=True))
        except (binascii.Error, ValueError) as error:
            raise _fields.Mismatch(f"not base64: {error}") from None

    def write(self, value: bytes) -> str:
        return base64.b64encode(value).decode("ascii")


RuleName = Literal["nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"]
"""SentencePiece's names of its rules: NFKC (of Unicode 17), with cleaning (``nmt``), with case folding (``cf``), or none."""


def _charsmap(rules: RuleName | abc.Mapping[str, str]) -> bytes | None:
    """Returns the character map of rules, as a model file contains it; None if they replace nothing."""
    if isinstance(rules, str):
        return _core.charsmap_named(_exceptions.to_utf8(rules).decode())
    if not isinstance(rules, collections.abc.Mapping):
        raise _errors.ConfigError(
            f"expected the name of rules, or a mapping of strings to strings, found {_messages.shown(rules)}",
            setting="rules",
        )
    try:
        pairs = [
            (_fields.TEXT.check(one), _fields.TEXT.check(other)) for one, other in rules.items()
        ]
    except _fields.Mismatch as error:
        raise error.setting_error("rules") from None
    return _core.charsmap_of(pairs) if pairs else None


@_immutable.dataclass(frozen=True, repr=False)
class Precompiled(Normalizer):
    """Applies the character map of a SentencePiece model.

    Args:
        precompiled_charsmap: The map, as stored in the ``.model`` file.

    >>> Precompiled(bytes(1024))
    Precompiled(precompiled_charsmap=<1,024 bytes>)
    """

    precompiled_charsmap: bytes = field(metadata=_fields.takes(_Bytes()))

    @classmethod
    def of(cls, rules: RuleName | abc.Mapping[str, str]) -> Precompiled:
        r"""Returns the normalizer of SentencePiece's named rules, or of custom rules.

        As in ``tokenizers``, a rule matches a grapheme cluster or a character, so a rule for a longer string has no effect;
        see :meth:`SentencePiece.of`.

        Args:
            rules: The name, or a mapping of strings to replacements.

        Returns:
            The normalizer.

        Raises:
            ConfigError: The name is unknown, the rules replace nothing, or a string is empty or contains NUL.

        >>> Precompiled.of("nfkc_cf").normalize_str("ﬁVE")
        'five'
        >>> Precompiled.of({"colour": "color"}).normalize_str("colours")
        'colours'
        """
        charsmap = _charsmap(rules)
        if charsmap is None:
            raise _errors.ConfigError(
                f"{_messages.shown(rules)} replaces nothing",
                setting="rules",
                hint="omit the normalizer",
            )
        return cls(charsmap)

    def __repr__(self) -> str:
        return f"Precompiled(precompiled_charsmap=<{len(self.precompiled_charsmap):,} bytes>)"


_CHARSMAP = _fields.takes(_fields.Maybe(_Bytes()))
_SYMBOLS = _fields.ListOf(_fields.Text(1))


class _SentencePieceSettings(TypedDict, total=False):
    """Lists the keyword arguments of :meth:`SentencePiece.of`, which are settings of the class."""

    add_dummy_prefix: bool
    remove_extra_whitespaces: bool
    escape_whitespaces: bool
    treat_whitespace_as_suffix: bool
    user_defined_symbols: abc.Sequence[str]


@_immutable.dataclass(frozen=True, repr=False)
class SentencePiece(Normalizer, prefix="piecework."):
    """Applies the complete normalization of a SentencePiece model; ``tokenizers`` rejects files with it.

    Args:
        precompiled_charsmap: The rules, as stored in the ``.model`` file; None for none. The longest rule that matches at a
            position is applied.
        add_dummy_prefix: Whether to prepend a space to a text that is not empty.
        remove_extra_whitespaces: Whether to collapse runs of spaces and remove those at the ends.
        escape_whitespaces: Whether to write spaces as ``▁``.
        treat_whitespace_as_suffix: Whether to append the space instead of prepending it.
        user_defined_symbols: Strings that no rule changes, stored as a tuple.

    >>> SentencePiece().normalize_str(" to  be ")
    '▁to▁be'
    """

    precompiled_charsmap: bytes | None = field(default=None, metadata=_CHARSMAP)
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    treat_whitespace_as_suffix: bool = False
    user_defined_symbols: abc.Sequence[str] = field(default=(), metadata=_fields.takes(_SYMBOLS))

    @classmethod
    def of(
        cls, rules: RuleName | abc.Mapping[str, str], **settings: Unpack[_SentencePieceSettings]
    ) -> SentencePiece:
        """Returns the normalizer of SentencePiece's named rules, or of custom rules.

        Args:
            rules: The name, or a mapping of strings to replacements.
            settings: Other settings of the class.

        Returns:
            The normalizer.

        Raises:
            ConfigError: The name is unknown, a string is empty or contains NUL, or a setting is invalid.

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


@_immutable.dataclass(frozen=True)
class Sequence(Normalizer):
    """Applies several normalizers in order.

    Args:
        normalizers: The normalizers, stored as a tuple.

    >>> Sequence([Strip(), Lowercase()]).normalize_str(" ABC ")
    'abc'
    """

    normalizers: abc.Sequence[Normalizer] = field(metadata=_component.parts(Normalizer))
