"""Finds the script of a text by the names of its characters in Unicode."""

from __future__ import annotations

from functools import lru_cache
from unicodedata import category, name

OTHER = "Other"
"""The script of texts without a letter, and of letters that belong to no script."""

_NAMES = {
    "Anatolian": "Anatolian Hieroglyphs",
    "Angstrom": "Latin",
    "Canadian": "Canadian Aboriginal",
    "Cjk": "Han",
    "Egyptian": "Egyptian Hieroglyphs",
    "Feminine": "Latin",
    "Fullwidth": "Latin",
    "Hentaigana": "Hiragana",
    "Ideographic": "Han",
    "Katakana-hiragana": "Katakana",
    "Kelvin": "Latin",
    "Khitan": "Khitan Small Script",
    "Masculine": "Latin",
    "Meroitic Hieroglyphic": "Meroitic Hieroglyphs",
    "New": "New Tai Lue",
    "Nyiakeng": "Nyiakeng Puachue Hmong",
    "Ohm": "Greek",
    "Old Chinese": "Han",
    "Old North": "Old North Arabian",
    "Old South": "Old South Arabian",
    "Pau": "Pau Cin Hau",
    "Roman": "Latin",
    "Superscript": "Latin",
    "Turned": "Latin",
    "Vietnamese": "Han",
}
"""The scripts by the first words of names, where these differ."""
_TWO_WORDS = frozenset(
    "Bassa Caucasian Dives Gunjala Hanifi Imperial Inscriptional Kayah Linear Masaram Meetei Mende Meroitic Ol "
    "Old Pahawh Psalter Sora Syloti Tai Warang Zanabazar".split()
)
"""The first words of the scripts with names of two words."""
_NO_SCRIPT = frozenset(
    "Alef Bet Black-letter Caron Combining Dalet Double-struck Enclosing Euler Gimel Information Masu Mathematical Micro Modifier "
    "Musical Planck Script Variation Vedic Vertical Znamenny".split()
)
"""The first words of the names of letters and marks that belong to no script, or to several."""


def script_of(text: str) -> str:
    """Returns the script of the first letter or mark of a text that belongs to one; `OTHER` if there is none.

    It is that of Unicode, found by the name of the character. ー counts as Katakana, fullwidth letters as Latin.

    >>> script_of("##s"), script_of(" не"), script_of("，中"), script_of("123")
    ('Latin', 'Cyrillic', 'Han', 'Other')
    """
    for c in text:
        if (script := _script_of_character(c)) is not None:
            return script
    return OTHER


@lru_cache(1 << 16)
def _script_of_character(c: str) -> str | None:
    if category(c)[0] not in "LM":
        return None
    words = [word.capitalize() for word in name(c, "").split()]
    if words and words[0] == "Halfwidth":
        del words[0]
    if not words or words[0] in _NO_SCRIPT:
        return None
    first = " ".join(words[: 2 if words[0] in _TWO_WORDS else 1])
    return _NAMES.get(first, first)
