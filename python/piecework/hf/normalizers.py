"""Defines normalizers, which change a text before it is split.

>>> from piecework.hf import normalizers
>>> normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()]).normalize_str("ﬁVE")
'five'
"""

from __future__ import annotations

from collections.abc import Sequence as _Sequence
from typing import Any

from piecework._messages import shown as _shown, wrong_type as _wrong_type
from piecework.hf import _arguments, _patterns, _state, _strings
from piecework.hf._arguments import flag as _flag, string as _string
from piecework.hf._declared import setting as _setting

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
        self._run(normalized, normalized._apply)

    def normalize_str(self, sequence: str) -> str:
        """Returns the normalized text of a ``str``.

        >>> from piecework.hf.normalizers import Lowercase
        >>> Lowercase().normalize_str("To be")
        'to be'
        """
        normalized = _strings.NormalizedString(_string(sequence))
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

    clean_text: bool = _setting(_flag, default=True)
    handle_chinese_chars: bool = _setting(_flag, default=True)
    strip_accents: bool | None = _setting(_arguments.maybe(_flag), default=None)
    lowercase: bool = _setting(_flag, default=True)


class NFD(Normalizer):
    """Normalizes to Unicode's canonical decomposition.

    >>> from piecework.hf.normalizers import NFD
    >>> len(NFD().normalize_str("é"))
    2
    """


class NFKD(Normalizer):
    """Normalizes to Unicode's compatibility decomposition.

    >>> from piecework.hf.normalizers import NFKD
    >>> NFKD().normalize_str("ﬁ")
    'fi'
    """


class NFC(Normalizer):
    """Normalizes to Unicode's canonical composition.

    >>> from piecework.hf.normalizers import NFC
    >>> len(NFC().normalize_str("é"))
    1
    """


class NFKC(Normalizer):
    """Normalizes to Unicode's compatibility composition.

    >>> from piecework.hf.normalizers import NFKC
    >>> NFKC().normalize_str("½")
    '1⁄2'
    """


class Lowercase(Normalizer):
    """Lowercases the text.

    >>> from piecework.hf.normalizers import Lowercase
    >>> Lowercase().normalize_str("HUG")
    'hug'
    """


class StripAccents(Normalizer):
    """Removes combining marks, usually after :class:`NFD`.

    >>> from piecework.hf.normalizers import StripAccents
    >>> StripAccents().normalize_str("é")
    'e'
    """


class Nmt(Normalizer):
    """Removes control characters and unifies white space, as SentencePiece's rules `nmt` do.

    >>> from piecework.hf.normalizers import Nmt
    >>> Nmt().normalize_str("a\u200bb")
    'a b'
    """


class ByteLevel(Normalizer):
    """Replaces each byte of the text by a visible character.

    >>> from piecework.hf.normalizers import ByteLevel
    >>> ByteLevel().normalize_str("é ")
    'Ã©Ġ'
    """


class Strip(Normalizer):
    """Removes white space at the ends of the text.

    Args:
        left: Whether white space at the start is removed.
        right: Whether white space at the end is removed.

    >>> from piecework.hf.normalizers import Strip
    >>> Strip(right=False).normalize_str(" hug ")
    'hug '
    """

    left: bool = _setting(_flag, default=True, member="strip_left")
    right: bool = _setting(_flag, default=True, member="strip_right")


class Prepend(Normalizer):
    """Prepends a string to a text that is not empty.

    Args:
        prepend: The string.

    >>> from piecework.hf.normalizers import Prepend
    >>> Prepend("▁").normalize_str("hug")
    '▁hug'
    """

    prepend: str = _setting(_string, default="▁")


class Precompiled(Normalizer):
    """Applies the normalization rules of a SentencePiece model.

    Args:
        precompiled_charsmap: The rules, the bytes of the model's member of this name.

    Raises:
        ValueError: The rules are invalid.
    """

    def __init__(self, precompiled_charsmap: bytes | _Sequence[int]) -> None:
        """Checks the rules."""
        import base64

        if not isinstance(precompiled_charsmap, _Sequence):  # an integer would be a number of zeros
            raise _wrong_type("precompiled_charsmap", "bytes", precompiled_charsmap)
        rules = base64.b64encode(bytes(precompiled_charsmap)).decode()
        self._set({"precompiled_charsmap": rules})
        _arguments.stages(normalizer=self._write())  # the core checks the rules


class Replace(Normalizer):
    """Replaces the matches of a pattern.

    Args:
        pattern: A string, or a :class:`piecework.hf.Regex`.
        content: The replacement.

    >>> from piecework.hf.normalizers import Replace
    >>> Replace("h", "m").normalize_str("hug")
    'mug'
    """

    pattern: str | _patterns.Regex = _setting(_patterns.hidden_pattern("replace"))
    content: str = _setting(_string)


class _OwnNormalizer(Normalizer, _state.OwnComponent):
    """Holds a normalizer that only piecework has, such as `SentencePiece`."""


class Sequence(Normalizer, _state.IndexedParts):
    """Applies several normalizers in order.

    Args:
        normalizers: The normalizers; a change of one of them takes effect here, too.

    >>> from piecework.hf.normalizers import Sequence
    >>> Sequence([]).normalize_str("hug")
    'hug'
    """

    _member = "normalizers"
    _base = Normalizer

    def __init__(self, normalizers: list[Normalizer]) -> None:
        """Checks the normalizers."""
        self._hold(normalizers)

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
        given: object = normalizer
        name = given if isinstance(given, str) else _shown(given)
        raise ValueError(
            f"{name} is not a known unicode normalizer. Available are {NORMALIZERS.keys()}"
        )
    made: Normalizer = NORMALIZERS[normalizer]()
    return made
