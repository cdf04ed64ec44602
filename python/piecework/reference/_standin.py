"""Facts about characters that the swept tables do not hold yet; `unicode` is to replace this file.

`unicodedata` stands in, whose version of Unicode is that of the Python that runs.
"""

import unicodedata

from piecework.reference import unicode


def is_word(c: str) -> bool:
    r"""Tell whether `\w` matches the character.

    >>> is_word("é"), is_word("_"), is_word("-")
    (True, True, False)
    """
    category = unicodedata.category(c)
    return category[0] in "LM" or category in ("Nd", "Nl", "Pc") or c in "\u200c\u200d"


def is_regex_space(c: str) -> bool:
    r"""Tell whether `\s` matches the character.

    >>> is_regex_space("\u3000"), is_regex_space("\x1c")
    (True, False)
    """
    return unicode.is_whitespace(c)


def is_numeric(c: str) -> bool:
    """Tell whether the character is a number of any kind.

    >>> is_numeric("½"), is_numeric("a")
    (True, False)
    """
    return unicodedata.category(c)[0] == "N"


def is_letter(c: str) -> bool:
    r"""Tell whether `\p{L}` matches the character.

    >>> is_letter("口"), is_letter("1")
    (True, False)
    """
    return unicodedata.category(c)[0] == "L"


def is_number(c: str) -> bool:
    r"""Tell whether `\p{N}` matches the character.

    >>> is_number("½"), is_number("a")
    (True, False)
    """
    return unicodedata.category(c)[0] == "N"


def is_combining_mark(c: str) -> bool:
    r"""Tell whether the character is a mark of any kind.

    >>> is_combining_mark("\u0301"), is_combining_mark("\u0903"), is_combining_mark("a")
    (True, True, False)
    """
    return unicodedata.category(c)[0] == "M"


_SCRIPTS = ("LATIN", "GREEK", "CYRILLIC", "HEBREW", "ARABIC", "THAI", "DEVANAGARI", "HANGUL", "CJK")


def script(c: str) -> int | None:
    """Give a number for the script of the character; None for a space and what has no script.

    >>> script("a") == script("z"), script("a") == script("б"), script(" ")
    (True, False, None)
    """
    name = unicodedata.name(c, "")
    if c == " " or not name:
        return None
    first = "CJK" if name.startswith(("HIRAGANA", "KATAKANA")) or c == "ー" else name.split()[0]
    return _SCRIPTS.index(first) if first in _SCRIPTS else len(_SCRIPTS)
