r"""Patterns of other people's files, read with Python's `re`.

The library hands them to Oniguruma. What a tokenizer.json holds is mostly the same in both, but:

* `^` and `$` are those of a line; but behind a line feed at the very end there is no `^`;
* `\w`, `\s`, `\b`, `\p{N}`, `\p{M}`, `\p{L}` and its parts follow the library's tables; they are written
  out as sets of characters here, since Python's differ (its `\s` has U+001C) or do not exist (`\p`). `\d`
  and other categories are those of the Python that runs;
* an empty match right after another match is passed over.

What `re` cannot read (`\h`, `\K`, nested sets `[a[bc]]`, variable look-behind) is an error.
"""

import re
import sys
import unicodedata
from collections.abc import Callable, Mapping
from functools import cache, partial

from piecework.reference import unicode

Pattern = re.Pattern[str]
Span = tuple[int, int]

_ESCAPE = re.compile(r"\\(?:([pP])\{(\^?)(\w+)\}|([wWsSdDbB])|.)|\[\^?\]?|\]|[\^$]", re.DOTALL)
_ANCHORS = {
    "^": r"(?:\A|(?<=\n)(?!\Z))",
    "$": r"(?=\n|\Z)",
    r"\Z": r"(?=\n?\Z)",
    r"\z": r"\Z",
}


@cache
def compiled(pattern: str) -> Pattern:
    r"""Reads a pattern.

    Args:
        pattern: As Oniguruma would read it, in Ruby's syntax.

    Returns:
        The pattern for `find`.

    Raises:
        ValueError: Python cannot read it.

    >>> find(compiled(r"\p{L}+|[^\s\p{L}]"), "né 1!")
    [(0, 2), (3, 4), (4, 5)]
    """
    inside = False

    def rewritten(found: re.Match[str]) -> str:
        nonlocal inside
        written, upper, negated, name, short = found[0], *found.groups()
        if written[0] in "[]":
            if inside and written[0] == "[":
                raise ValueError(f"the pattern {pattern!r} has a set within a set")
            inside = written[0] == "["
            return written
        if name is None and short is None:
            return written if inside else _ANCHORS.get(written, written)
        if short in ("b", "B"):
            return written if inside else _border(negated=short == "B")
        kind = name or short.lower()
        if kind == "w" and not inside:
            kind = "word"
        outside_of = bool(upper == "P") != bool(negated) if name else short.isupper()
        members = _members(kind, outside_of)
        return members if inside else f"[{members}]"

    try:
        return re.compile(_ESCAPE.sub(rewritten, pattern))
    except re.error as error:
        raise ValueError(f"the pattern {pattern!r} cannot be read: {error}") from error


def literal(text: str) -> Pattern:
    """Gives the pattern that matches a text verbatim; nothing matches everywhere.

    >>> find(literal("."), "a.b"), find(literal(""), "ab")
    ([(1, 2)], [(0, 0), (1, 1), (2, 2)])
    """
    return re.compile(re.escape(text))


def from_dict(data: Mapping[str, str]) -> Pattern:
    """Makes a pattern of its entry in a tokenizer.json: `{"String": s}` or `{"Regex": s}`.

    Raises:
        ValueError: Python cannot read the pattern.

    >>> find(from_dict({"String": "b"}), "abc")
    [(1, 2)]
    """
    return literal(data["String"]) if "String" in data else compiled(data["Regex"])


def find(pattern: Pattern, text: str) -> list[Span]:
    """Finds all matches, leftmost first, as Oniguruma's iterator gives them.

    Args:
        pattern: A pattern of this module.
        text: The text; in an empty one nothing is found.

    Returns:
        (start, end) of each match, in characters.

    >>> find(compiled("x*"), "axxb")
    [(0, 0), (1, 3), (4, 4)]
    """
    spans: list[Span] = []
    at = 0
    while text and at <= len(text):
        found = pattern.search(text, at)
        if found is None:
            break
        span = found.span()
        if spans and span == (spans[-1][1],) * 2:
            at += 1
            continue
        spans.append(span)
        at = span[1]
    return spans


def _has_category(name: str, c: str) -> bool:
    """Tell whether a character is of one category."""
    return unicode.category(c) == name


# Numbers that are no digits, yet word characters to a `\w` or `\b` that stands in no set.
_LATIN_NUMBERS = "²³¹¼½¾"
_CLASSES: dict[str, Callable[[str], bool]] = {
    "w": lambda c: unicode.is_word(c) and c not in "\u200c\u200d",
    "word": lambda c: c in _LATIN_NUMBERS or (unicode.is_word(c) and c not in "\u200c\u200d"),
    "s": unicode.is_whitespace,
    "d": lambda c: unicodedata.category(c) == "Nd",
    "L": unicode.is_letter,
    **{name: partial(_has_category, name) for name in ("Lu", "Lt", "Ll", "Lm", "Lo", "M", "N")},
}


def _border(*, negated: bool) -> str:
    """Gives the place between a word character and another, or the end of the text."""
    word = f"[{_members('word', False)}]"
    if negated:
        return f"(?:(?<={word})(?={word})|(?<!{word})(?!{word}))"
    return f"(?:(?<={word})(?!{word})|(?<!{word})(?={word}))"


@cache
def _members(kind: str, outside_of: bool) -> str:
    """Gives the characters of a class, or all others, as the inside of a set of `re`."""
    belongs = _CLASSES.get(kind) or (lambda c: unicodedata.category(c).startswith(kind))
    ranges: list[str] = []
    start = None
    for code in range(sys.maxunicode + 2):
        member = code <= sys.maxunicode and belongs(chr(code)) != outside_of
        if member and start is None:
            start = code
        elif not member and start is not None:
            ranges.append(f"\\U{start:08x}-\\U{code - 1:08x}")
            start = None
    return "".join(ranges)
