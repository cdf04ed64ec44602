r"""The script of a character, from its Unicode name: `CYRILLIC SMALL LETTER A` is Cyrillic.

The standard library has no table of scripts. This is right for letters and marks of living scripts;
the tables of the core, which are those of SentencePiece, differ in rare characters such as
`MODIFIER LETTER SMALL A` (Latin) and in digits of other scripts.
"""

import re
import unicodedata
from typing import Final

HAN: Final = "HAN"
COMMON: Final = "COMMON"
SHARED: Final = ""
"""The script of marks for letters of any script, which join the text before them."""

_NAMES_OF_HAN = frozenset(["CJK", "HIRAGANA", "KATAKANA"])


def script(c: str) -> str:
    r"""Returns the name of the script of a character; Kana count as Han, as in SentencePiece.

    Args:
        c: A character.

    Returns:
        The first word of its name for a letter or mark, an empty string for a combining mark of any
        script and for what is unassigned, and `COMMON` for everything else.

    >>> script("а"), script("か") == script("中"), script("\u0301"), script("!")
    ('CYRILLIC', True, '', 'COMMON')
    """
    category = unicodedata.category(c)
    if category in ("Cn", "Co") or c == " ":
        return SHARED
    if category[0] not in "LM":
        return COMMON
    name = re.split("[ -]", unicodedata.name(c, ""))[0]
    if name in _NAMES_OF_HAN:
        return HAN
    return SHARED if name == "COMBINING" else name
