"""Facts about characters, exactly as BERT's pipeline in `tokenizers` knows them.

That library mixes versions of Unicode: categories of one, decompositions of another, lower case of
a third. So `unicodedata` cannot be asked; the tables come from a sweep of the library itself
(`tools/unicode_tables.py`). Every function here takes one character.
"""

from __future__ import annotations

from bisect import bisect_right

from . import _unicode_tables as tables

__all__ = [
    "combining_class",
    "decompose",
    "is_cjk",
    "is_control",
    "is_nonspacing_mark",
    "is_punctuation",
    "is_whitespace",
    "lowercase",
]


class _Ranges:
    """A set of characters, kept as the borders at which membership changes."""

    def __init__(self, written: str) -> None:
        """Read `first-last only first-last ...`, in order and apart from each other."""
        self._borders: list[int] = []
        for item in written.split():
            codes = _read_range(item)
            self._borders += [codes.start, codes.stop]

    def __contains__(self, c: str) -> bool:
        """Tell whether an odd number of borders lies at or before the character."""
        return bisect_right(self._borders, ord(c)) % 2 == 1


def _read_range(written: str) -> range:
    """Read `first-last` or a single code point."""
    first, _, last = written.partition("-")
    return range(int(first, 16), int(last or first, 16) + 1)


def _read_mapping(written: str) -> dict[str, str]:
    """Read `first:image,image,... ...`: the images of neighbours, from the first on."""
    mapping = {}
    for run in written.split():
        first, images = run.split(":")
        for code, image in enumerate(images.split(","), start=int(first, 16)):
            mapping[chr(code)] = "".join(chr(int(part, 16)) for part in image.split("+"))
    return mapping


def _read_classes(written: str) -> dict[str, int]:
    """Read `first-last:class ...`: ranges of characters of one combining class."""
    classes: dict[str, int] = {}
    for item in written.split():
        span, number = item.split(":")
        classes.update((chr(code), int(number)) for code in _read_range(span))
    return classes


_CONTROL = _Ranges(tables.CONTROL)
_WHITESPACE = _Ranges(tables.WHITESPACE)
_PUNCTUATION = _Ranges(tables.PUNCTUATION)
_NONSPACING_MARK = _Ranges(tables.NONSPACING_MARK)
_CJK = _Ranges(tables.CJK)
_COMBINING_CLASS = _read_classes(tables.COMBINING_CLASS)
_DECOMPOSITION = _read_mapping(tables.DECOMPOSITION)
_LOWERCASE = _read_mapping(tables.LOWERCASE)


def is_control(c: str) -> bool:
    r"""Tell whether cleaning drops the character.

    Tab, newline and return are white space and not control. U+000B, U+000C and U+0085 are both:
    cleaning drops them, and where nothing was cleaned they end a word.

    >>> is_control("\u00ad"), is_control("\t"), is_control("\x85")
    (True, False, True)
    """
    return c in _CONTROL


def is_whitespace(c: str) -> bool:
    r"""Tell whether the character ends a word; cleaning makes a space of it, unless it drops it.

    >>> is_whitespace("\u3000"), is_whitespace("\u180e")
    (True, False)
    """
    return c in _WHITESPACE


def is_punctuation(c: str) -> bool:
    """Tell whether the character is a word by itself: punctuation, or an ASCII symbol.

    >>> is_punctuation("…"), is_punctuation("$"), is_punctuation("€")
    (True, True, False)
    """
    return c in _PUNCTUATION


def is_nonspacing_mark(c: str) -> bool:
    r"""Tell whether stripping accents leaves nothing of the character.

    >>> is_nonspacing_mark("\u0301"), is_nonspacing_mark("\u1ac1")
    (True, False)
    """
    return c in _NONSPACING_MARK


def is_cjk(c: str) -> bool:
    r"""Tell whether the character is an ideograph that gets a space on both sides.

    Extension E begins 256 characters late, as it does in the library.

    >>> is_cjk("口"), is_cjk("\U0002b820"), is_cjk("\U0002b920")
    (True, False, True)
    """
    return c in _CJK


def combining_class(c: str) -> int:
    r"""Give the canonical combining class, from 0 to 240.

    It is 0 for a character that decomposes, as only its parts are ever put in order.

    >>> combining_class("\u0323"), combining_class("\u0307"), combining_class("a")
    (220, 230, 0)
    """
    return _COMBINING_CLASS.get(c, 0)


def decompose(c: str) -> str:
    r"""Give the full canonical decomposition; the character itself if it has none.

    >>> decompose("ǖ") == "u\u0308\u0304", decompose("x")
    (True, 'x')
    """
    return _decompose_hangul(c) if "가" <= c <= "힣" else _DECOMPOSITION.get(c, c)


def _decompose_hangul(c: str) -> str:
    """Give the jamo of a syllable: 21 vowels to a lead, 28 trails to a vowel, the first none."""
    syllable, trail = divmod(ord(c) - 0xAC00, 28)
    lead, vowel = divmod(syllable, 21)
    jamo = chr(0x1100 + lead) + chr(0x1161 + vowel)
    return jamo + chr(0x11A7 + trail) if trail else jamo


def lowercase(c: str) -> str:
    r"""Give the lower case of the character alone, so without a final sigma.

    >>> lowercase("É"), lowercase("Σ") == "\u03c3", lowercase("İ") == "i\u0307"
    ('é', True, True)
    """
    return _LOWERCASE.get(c, c)
