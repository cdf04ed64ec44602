"""Defines normalizers, which change a text before it is split.

>>> from piecework.hf import normalizers
>>> normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()]).normalize_str("ﬁVE")
'five'
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from piecework.hf import _arguments, _patterns, _state, _strings

if TYPE_CHECKING:
    from collections.abc import Sequence as Sequence2

__all__ = [
    "NFC",
    "NFD",
    "NFKC",
    "NFKD",
    "NORMALIZERS",
    "BertNormalizer",
    "ByteLevel",
    "Lowercase",
    "Nmt",
    "Normalizer",
    "Precompiled",
    "Prepend",
    "Replace",
    "Sequence",
    "Strip",
    "StripAccents",
    "unicode_normalizer_from_str",
]


class Normalizer(_state.Component):
    """Serves as the base of all normalizers."""

    __slots__ = ()
    _kind = "Normalizer"

    @staticmethod
    def custom(obj: Any) -> Normalizer:
        """Returns a normalizer that calls ``obj.normalize`` with a :class:`NormalizedString` to change.

        >>> from piecework.hf.normalizers import Normalizer
        >>> class Lower:
        ...     def normalize(self, text):
        ...         text.lowercase()
        >>> Normalizer.custom(Lower()).normalize_str("To Be")
        'to be'
        """
        return Normalizer._of_custom(obj)

    def normalize(self, normalized: _strings.NormalizedString) -> None:
        """Normalizes a string in place; its alignment with the original is kept.

        >>> from piecework.hf import NormalizedString, normalizers
        >>> text = NormalizedString("To be")
        >>> normalizers.Lowercase().normalize(text)
        >>> text
        NormalizedString(original="To be", normalized="to be")
        """
        _arguments.instance(normalized, _strings.NormalizedString)
        if self._custom is not None:
            with normalized._in_callback() as passed:
                _state.call_custom(self._custom, "normalize", passed)
        elif isinstance(self, Sequence):
            for part in self._values["normalizers"]:
                part.normalize(normalized)
        else:
            normalized._apply(self._write())

    def normalize_str(self, sequence: str) -> str:
        """Returns the normalized text of a ``str``.

        >>> from piecework.hf.normalizers import Lowercase
        >>> Lowercase().normalize_str("To be")
        'to be'
        """
        normalized = _strings.NormalizedString(_arguments.string(sequence))
        self.normalize(normalized)
        return normalized.normalized


class BertNormalizer(Normalizer):
    """Normalizes as BERT does.

    Args:
        clean_text: Whether control characters are removed and white space becomes spaces.
        handle_chinese_chars: Whether spaces are put around Chinese characters.
        strip_accents: Whether accents are removed; None for the value of `lowercase`.
        lowercase: Whether the text is lowercased.

    >>> from piecework.hf.normalizers import BertNormalizer
    >>> BertNormalizer().normalize_str("Élan 你")
    'elan  你 '
    """

    __slots__ = ()
    _type_name = "BertNormalizer"
    clean_text = _state.Setting(_arguments.flag)
    handle_chinese_chars = _state.Setting(_arguments.flag)
    strip_accents: _state.Setting[bool | None] = _state.Setting(_arguments.maybe(_arguments.flag))
    lowercase = _state.Setting(_arguments.flag)

    def __init__(
        self,
        clean_text: bool = True,
        handle_chinese_chars: bool = True,
        strip_accents: bool | None = None,
        lowercase: bool = True,
    ) -> None:
        """Checks the settings."""
        self._set(
            clean_text=_arguments.flag(clean_text),
            handle_chinese_chars=_arguments.flag(handle_chinese_chars),
            strip_accents=_arguments.maybe(_arguments.flag)(strip_accents),
            lowercase=_arguments.flag(lowercase),
        )


class NFD(Normalizer):
    """Normalizes to Unicode's canonical decomposition.

    >>> from piecework.hf.normalizers import NFD
    >>> len(NFD().normalize_str("é"))
    2
    """

    __slots__ = ()
    _type_name = "NFD"

    def __init__(self) -> None:
        """Creates the normalizer."""
        self._set()


class NFKD(Normalizer):
    """Normalizes to Unicode's compatibility decomposition.

    >>> from piecework.hf.normalizers import NFKD
    >>> NFKD().normalize_str("ﬁ")
    'fi'
    """

    __slots__ = ()
    _type_name = "NFKD"

    def __init__(self) -> None:
        """Creates the normalizer."""
        self._set()


class NFC(Normalizer):
    """Normalizes to Unicode's canonical composition.

    >>> from piecework.hf.normalizers import NFC
    >>> len(NFC().normalize_str("é"))
    1
    """

    __slots__ = ()
    _type_name = "NFC"

    def __init__(self) -> None:
        """Creates the normalizer."""
        self._set()


class NFKC(Normalizer):
    """Normalizes to Unicode's compatibility composition.

    >>> from piecework.hf.normalizers import NFKC
    >>> NFKC().normalize_str("½")
    '1⁄2'
    """

    __slots__ = ()
    _type_name = "NFKC"

    def __init__(self) -> None:
        """Creates the normalizer."""
        self._set()


class Lowercase(Normalizer):
    """Lowercases the text.

    >>> from piecework.hf.normalizers import Lowercase
    >>> Lowercase().normalize_str("HUG")
    'hug'
    """

    __slots__ = ()
    _type_name = "Lowercase"

    def __init__(self) -> None:
        """Creates the normalizer."""
        self._set()


class StripAccents(Normalizer):
    """Removes combining marks, usually after :class:`NFD`.

    >>> from piecework.hf.normalizers import StripAccents
    >>> StripAccents().normalize_str("é")
    'e'
    """

    __slots__ = ()
    _type_name = "StripAccents"

    def __init__(self) -> None:
        """Creates the normalizer."""
        self._set()


class Nmt(Normalizer):
    """Removes control characters and unifies white space, as SentencePiece's rules `nmt` do.

    >>> from piecework.hf.normalizers import Nmt
    >>> Nmt().normalize_str("a\u200bb")
    'a b'
    """

    __slots__ = ()
    _type_name = "Nmt"

    def __init__(self) -> None:
        """Creates the normalizer."""
        self._set()


class ByteLevel(Normalizer):
    """Replaces each byte of the text by a visible character.

    >>> from piecework.hf.normalizers import ByteLevel
    >>> ByteLevel().normalize_str("é ")
    'Ã©Ġ'
    """

    __slots__ = ()
    _type_name = "ByteLevel"

    def __init__(self) -> None:
        """Creates the normalizer."""
        self._set()


class Strip(Normalizer):
    """Removes white space at the ends of the text.

    Args:
        left: Whether white space at the start is removed.
        right: Whether white space at the end is removed.

    >>> from piecework.hf.normalizers import Strip
    >>> Strip(right=False).normalize_str(" hug ")
    'hug '
    """

    __slots__ = ()
    _type_name = "Strip"
    left = _state.Setting(_arguments.flag, "strip_left")
    right = _state.Setting(_arguments.flag, "strip_right")

    def __init__(self, left: bool = True, right: bool = True) -> None:
        """Checks the settings."""
        self._set(strip_left=_arguments.flag(left), strip_right=_arguments.flag(right))


class Prepend(Normalizer):
    """Prepends a string to a text that is not empty.

    Args:
        prepend: The string.

    >>> from piecework.hf.normalizers import Prepend
    >>> Prepend("▁").normalize_str("hug")
    '▁hug'
    """

    __slots__ = ()
    _type_name = "Prepend"
    prepend = _state.Setting(_arguments.string)

    def __init__(self, prepend: str = "▁") -> None:
        """Checks the settings."""
        self._set(prepend=_arguments.string(prepend))


class Precompiled(Normalizer):
    """Applies the normalization rules of a SentencePiece model.

    Args:
        precompiled_charsmap: The rules, the bytes of the model's member of this name.

    Raises:
        ValueError: The rules are invalid.
    """

    __slots__ = ()
    _type_name = "Precompiled"

    def __init__(self, precompiled_charsmap: bytes | Sequence2[int]) -> None:
        """Checks the rules."""
        import base64

        from piecework._core import TextStages

        rules = base64.b64encode(bytes(precompiled_charsmap)).decode()
        self._set(precompiled_charsmap=rules)
        TextStages(json.dumps({"normalizer": self._write()}), [])


class Replace(Normalizer):
    """Replaces the matches of a pattern.

    Args:
        pattern: A string, or a :class:`piecework.hf.Regex`.
        content: The replacement.

    >>> from piecework.hf.normalizers import Replace
    >>> Replace("h", "m").normalize_str("hug")
    'mug'
    """

    __slots__ = ()
    _type_name = "Replace"
    content = _state.Setting(_arguments.string)

    def __init__(self, pattern: str | _patterns.Regex, content: str) -> None:
        """Checks the settings."""
        self._set(pattern=_patterns.pattern_state(pattern), content=_arguments.string(content))

    @property
    def pattern(self) -> None:
        """Raises an exception: the pattern cannot be read or set."""
        raise Exception("Cannot get pattern")  # as tokenizers

    @pattern.setter
    def pattern(self, _pattern: str | _patterns.Regex) -> None:
        message = "Cannot set pattern, please instantiate a new replace pattern instead"
        raise Exception(message)  # as tokenizers


class _OwnNormalizer(Normalizer, _state.OwnComponent):
    """Holds a normalizer that only piecework has, such as `SentencePiece`."""

    __slots__ = ()


class Sequence(Normalizer, _state.Parts):
    """Applies several normalizers in order.

    Args:
        normalizers: The normalizers; a change of one of them takes effect here, too.

    >>> from piecework.hf.normalizers import Sequence
    >>> Sequence([]).normalize_str("hug")
    'hug'
    """

    __slots__ = ()
    _type_name = "Sequence"
    _member = "normalizers"
    _base = Normalizer

    def __init__(self, normalizers: list[Normalizer]) -> None:
        """Checks the normalizers."""
        self._set(
            normalizers=[_state.own(part, Normalizer) for part in _arguments.listed(normalizers)]
        )

    def __len__(self) -> int:
        """Returns the number of normalizers."""
        return len(list(self._slots()))


NORMALIZERS: dict[str, type[Any]] = {"nfc": NFC, "nfd": NFD, "nfkc": NFKC, "nfkd": NFKD}


def unicode_normalizer_from_str(normalizer: str) -> Normalizer:
    """Returns the normalizer named ``"nfc"``, ``"nfd"``, ``"nfkc"`` or ``"nfkd"``.

    Raises:
        ValueError: The name is unknown.
    """
    if normalizer not in NORMALIZERS:
        raise ValueError(
            f"{normalizer} is not a known unicode normalizer. Available are {NORMALIZERS.keys()}"
        )
    made: Normalizer = NORMALIZERS[normalizer]()
    return made
