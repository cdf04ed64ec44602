"""Properties of characters, exactly as `tokenizers` has them.

That library mixes versions of Unicode: categories of one, decompositions of another, lower case of
a third. So `unicodedata` differs from it; the tables come from a sweep of the library itself
(`tools/unicode_tables.py`). Every function here takes one character, unless it says otherwise.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Generic, TypeVar

from . import _unicode_tables as tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = [
    "combining_class",
    "decompose",
    "is_cjk",
    "is_combining_mark",
    "is_control",
    "is_han",
    "is_letter",
    "is_nonspacing_mark",
    "is_number",
    "is_numeric",
    "is_punctuation",
    "is_whitespace",
    "is_word",
    "lowercase",
    "script",
    "touches_word",
]


T = TypeVar("T")


class _Ranges:
    """Represents a set of characters by the code points at which membership changes."""

    def __init__(self, written: str) -> None:
        """Parses `first-last only first-last ...`, in order without overlap."""
        self._bounds: list[int] = []
        for item in written.split():
            codes = _read_range(item)
            self._bounds += [codes.start, codes.stop]

    def __contains__(self, c: str) -> bool:
        """Returns whether an odd number of bounds is at or before the character."""
        return bisect_right(self._bounds, ord(c)) % 2 == 1


class _Values(Generic[T]):
    """Maps characters to values by the code points at which the value changes."""

    def __init__(self, ranges: Iterable[tuple[range, T]], default: T) -> None:
        """Takes ranges of code points without overlap; other characters have the default."""
        self._bounds: list[int] = []
        self._values = [default]
        for codes, value in sorted(ranges, key=lambda item: item[0].start):
            self._bounds += [codes.start, codes.stop]
            self._values += [value, default]

    def __getitem__(self, c: str) -> T:
        """Returns the value after the last bound at or before the character."""
        return self._values[bisect_right(self._bounds, ord(c))]


def _read_range(written: str) -> range:
    """Parses `first-last` or a single code point."""
    first, _, last = written.partition("-")
    return range(int(first, 16), int(last or first, 16) + 1)


def _read_mapping(written: str) -> dict[str, str]:
    """Parses `first:image,image,... ...`: the images of consecutive characters."""
    mapping = {}
    for run in written.split():
        first, images = run.split(":")
        for code, image in enumerate(images.split(","), start=int(first, 16)):
            mapping[chr(code)] = "".join(chr(int(part, 16)) for part in image.split("+"))
    return mapping


def _read_numbers(written: str) -> Iterator[tuple[range, int]]:
    """Parses `first-last:number only:number ...`: ranges of characters that have the same number."""
    for item in written.split():
        span, number = item.split(":")
        yield _read_range(span), int(number)


_CONTROL = _Ranges(tables.CONTROL)
_WHITESPACE = _Ranges(tables.WHITESPACE)
_PUNCTUATION = _Ranges(tables.PUNCTUATION)
_NONSPACING_MARK = _Ranges(tables.NONSPACING_MARK)
_CJK = _Ranges(tables.CJK)
_WORD = _Ranges(tables.WORD)
_NUMERIC = _Ranges(tables.NUMERIC)
# The general categories that split patterns use; of marks, numbers, punctuation and symbols the first letter.
CATEGORIES = ("Lu", "Lt", "Ll", "Lm", "Lo", "M", "N", "P", "S")
_CATEGORY: _Values[str | None] = _Values(
    (
        (_read_range(span), name)
        for name in CATEGORIES
        for span in getattr(tables, name.upper()).split()
    ),
    None,
)
_HAN = _Ranges(tables.HAN)
_COMBINING_MARK = _Ranges(tables.COMBINING_MARK)
_SCRIPT = _Values(_read_numbers(tables.SCRIPT), 0)
_COMBINING_CLASS = _Values(_read_numbers(tables.COMBINING_CLASS), 0)
_DECOMPOSITION = _read_mapping(tables.DECOMPOSITION)
_LOWERCASE = _read_mapping(tables.LOWERCASE)


def is_control(c: str) -> bool:
    r"""Returns whether cleaning removes the character.

    Tab, newline and return are white space and not control. U+000B, U+000C and U+0085 are both:
    cleaning removes them, and without cleaning they end a word.

    >>> is_control("\u00ad"), is_control("\t"), is_control("\x85")
    (True, False, True)
    """
    return c in _CONTROL


def is_whitespace(c: str) -> bool:
    r"""Returns whether the character ends a word; cleaning replaces it by a space or removes it.

    It is also what `\s` matches in both regular expression engines of the library.

    >>> is_whitespace("\u3000"), is_whitespace("\u180e")
    (True, False)
    """
    return c in _WHITESPACE


def is_punctuation(c: str) -> bool:
    """Returns whether the character is punctuation or an ASCII symbol, a word by itself.

    >>> is_punctuation("…"), is_punctuation("$"), is_punctuation("€")
    (True, True, False)
    """
    return c in _PUNCTUATION


def is_nonspacing_mark(c: str) -> bool:
    r"""Returns whether stripping accents removes the character.

    >>> is_nonspacing_mark("\u0301"), is_nonspacing_mark("\u1ac1")
    (True, False)
    """
    return c in _NONSPACING_MARK


def is_cjk(c: str) -> bool:
    r"""Returns whether the character is an ideograph that gets a space on both sides.

    Extension E begins 256 characters late, as it does in the library.

    >>> is_cjk("口"), is_cjk("\U0002b820"), is_cjk("\U0002b920")
    (True, False, True)
    """
    return c in _CJK


def is_word(c: str) -> bool:
    r"""Returns whether the character is `\w` to the `Whitespace` pre-tokenizer.

    >>> is_word("_"), is_word("\u0301"), is_word("²")
    (True, True, False)
    """
    return c in _WORD


def touches_word(text: str, start: int, end: int) -> bool:
    """Returns whether a word character is directly before or after a span of a text.

    >>> touches_word("a bc", 0, 1), touches_word("a bc", 2, 3)
    (False, True)
    """
    return any(map(is_word, text[max(start - 1, 0) : start] + text[end : end + 1]))


def is_numeric(c: str) -> bool:
    r"""Returns whether the character is a digit to the `Digits` pre-tokenizer.

    >>> is_numeric("²"), is_numeric("\U00011de0"), is_numeric("a")
    (True, True, False)
    """
    return c in _NUMERIC


def category(c: str) -> str | None:
    r"""Returns the category of a letter (Lu, Lt, Ll, Lm, Lo), mark (M), number (N), punctuation (P) or symbol (S), or None.

    These are `\p{Lu}` and so on to the engine of `Split` and `ByteLevel`.

    >>> category("é"), category("中"), category("\u0301"), category("²"), category("!")
    ('Ll', 'Lo', 'M', 'N', 'P')
    """
    return _CATEGORY[c]


def is_letter(c: str) -> bool:
    r"""Returns whether the character is `\p{L}` to the engine of `Split` and `ByteLevel`.

    >>> is_letter("é"), is_letter("中"), is_letter("\u0301")
    (True, True, False)
    """
    return (category(c) or "").startswith("L")


def is_number(c: str) -> bool:
    r"""Returns whether the character is `\p{N}` to the engine of `Split` and `ByteLevel`.

    The engine has an older Unicode than `is_numeric`.

    >>> is_number("²"), is_number("\U00011de0"), is_number("a")
    (True, False, False)
    """
    return category(c) == "N"


def is_han(c: str) -> bool:
    r"""Returns whether the character matches ``\p{Han}``: ideographs, their radicals, numerals and marks.

    >>> is_han("中"), is_han("〇"), is_han("か"), is_han("。")
    (True, True, False, False)
    """
    return c in _HAN


def is_combining_mark(c: str) -> bool:
    r"""Returns whether the `StripAccents` normalizer removes the character: every kind of mark.

    >>> is_combining_mark("\u0301"), is_combining_mark("\u20dd"), is_nonspacing_mark("\u20dd")
    (True, True, False)
    """
    return c in _COMBINING_MARK


def script(c: str) -> int:
    r"""Returns the script of the character, as a number of our own.

    It is 0 for the space and for any character without a script, which join the part before them.
    Kana count as Han.

    >>> script("か") == script("中"), script("a") == script("а"), script(" ")
    (True, False, 0)
    """
    return _SCRIPT[c]


def combining_class(c: str) -> int:
    r"""Returns the canonical combining class, from 0 to 240.

    It is 0 for a character that decomposes, as only its parts are reordered.

    >>> combining_class("\u0323"), combining_class("\u0307"), combining_class("a")
    (220, 230, 0)
    """
    return _COMBINING_CLASS[c]


def decompose(c: str) -> str:
    r"""Returns the full canonical decomposition; the character itself if it has none.

    >>> decompose("ǖ") == "u\u0308\u0304", decompose("x")
    (True, 'x')
    """
    return _decompose_hangul(c) if "가" <= c <= "힣" else _DECOMPOSITION.get(c, c)


def _decompose_hangul(c: str) -> str:
    """Returns the jamo of a syllable: 21 vowels to a lead, 28 trails to a vowel.

    The first trail is none.
    """
    syllable, trail = divmod(ord(c) - 0xAC00, 28)
    lead, vowel = divmod(syllable, 21)
    jamo = chr(0x1100 + lead) + chr(0x1161 + vowel)
    return jamo + chr(0x11A7 + trail) if trail else jamo


def lowercase(c: str) -> str:
    r"""Returns the lower case of the character alone, so without a final sigma.

    >>> lowercase("É"), lowercase("Σ") == "\u03c3", lowercase("İ") == "i\u0307"
    ('é', True, True)
    """
    return _LOWERCASE.get(c, c)
