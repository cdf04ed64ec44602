r"""Patterns of tokenizer files, read with Python's `re`.

The library reads them with Oniguruma. Most patterns of a tokenizer.json mean the same to both, with
these exceptions:

* `^` and `$` match at lines; but after a line feed at the very end `^` does not match;
* `\w`, `\s`, `\b`, `\p{N}`, `\p{M}`, `\p{P}`, `\p{S}`, `\p{L}` and its parts follow the library's tables; they are
  written out as sets of characters here, since Python's differ (its `\s` has U+001C) or do not
  exist (`\p`). `\d` and other categories are those of the running Python;
* an empty match directly after another match is skipped.

What `re` cannot read (`\h`, `\K`, nested sets `[a[bc]]`, variable look-behind) is an error.
"""

import re
import sys
import unicodedata
from collections.abc import Callable, Mapping
from functools import cache, partial

from piecework.reference.text import unicode

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
def compile_pattern(pattern: str) -> Pattern:
    r"""Compiles a pattern.

    Args:
        pattern: A pattern in Oniguruma's Ruby syntax.

    Returns:
        The pattern for `find_spans`.

    Raises:
        ValueError: Python cannot read it.

    >>> find_spans(compile_pattern(r"\p{L}+|[^\s\p{L}]"), "né 1!")
    [(0, 2), (3, 4), (4, 5)]
    """
    inside = False

    def rewritten(found: re.Match[str]) -> str:
        nonlocal inside
        written, upper, negated, name, short = found[0], *found.groups()
        if written[0] in "[]":
            if inside and written[0] == "[":
                raise ValueError(f"pattern {pattern!r}: nested sets are not supported")
            inside = written[0] == "["
            return written
        if name is None and short is None:
            return written if inside else _ANCHORS.get(written, written)
        if short in ("b", "B"):
            return written if inside else _word_boundary(negated=short == "B")
        class_name = name or short.lower()
        if class_name == "w" and not inside:
            class_name = "word"
        is_negated = bool(upper == "P") != bool(negated) if name else short.isupper()
        members = _class_members(class_name, is_negated)
        return members if inside else f"[{members}]"

    try:
        return re.compile(_ESCAPE.sub(rewritten, pattern))
    except re.error as error:
        raise ValueError(f"pattern {pattern!r}: {error}") from error


def literal_pattern(text: str) -> Pattern:
    """Returns the pattern that matches a text verbatim; an empty text matches everywhere.

    >>> find_spans(literal_pattern("."), "a.b"), find_spans(literal_pattern(""), "ab")
    ([(1, 2)], [(0, 0), (1, 1), (2, 2)])
    """
    return re.compile(re.escape(text))


def from_dict(data: Mapping[str, str]) -> Pattern:
    """Creates a pattern from its member in a tokenizer.json: `{"String": s}` or `{"Regex": s}`.

    Raises:
        ValueError: Python cannot read the pattern.

    >>> find_spans(from_dict({"String": "b"}), "abc")
    [(1, 2)]
    """
    return literal_pattern(data["String"]) if "String" in data else compile_pattern(data["Regex"])


def find_spans(pattern: Pattern, text: str) -> list[Span]:
    """Returns the spans of all matches, leftmost first, as Oniguruma's iterator does.

    Args:
        pattern: A pattern of this module.
        text: The text; an empty text has no matches.

    Returns:
        (start, end) of each match, in characters.

    >>> find_spans(compile_pattern("x*"), "axxb")
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
    """Returns whether a character is of one category."""
    return unicode.category(c) == name


# Numbers that are not digits, but match a `\w` or `\b` outside a set.
_LATIN_NUMBERS = "²³¹¼½¾"
_CLASSES: dict[str, Callable[[str], bool]] = {
    "w": lambda c: unicode.is_word(c) and c not in "\u200c\u200d",
    "word": lambda c: c in _LATIN_NUMBERS or (unicode.is_word(c) and c not in "\u200c\u200d"),
    "s": unicode.is_whitespace,
    "d": lambda c: unicodedata.category(c) == "Nd",
    "L": unicode.is_letter,
    **{name: partial(_has_category, name) for name in unicode.CATEGORIES},
}


def _word_boundary(*, negated: bool) -> str:
    """Returns the pattern of a word boundary, or of its negation."""
    word = f"[{_class_members('word', False)}]"
    if negated:
        return f"(?:(?<={word})(?={word})|(?<!{word})(?!{word}))"
    return f"(?:(?<={word})(?!{word})|(?<!{word})(?={word}))"


@cache
def _class_members(name: str, is_negated: bool) -> str:
    """Returns the characters of a class, or all others, as the inside of a set of `re`."""
    belongs = _CLASSES.get(name) or (lambda c: unicodedata.category(c).startswith(name))
    ranges: list[str] = []
    start = None
    for code in range(sys.maxunicode + 2):
        member = code <= sys.maxunicode and belongs(chr(code)) != is_negated
        if member and start is None:
            start = code
        elif not member and start is not None:
            ranges.append(f"\\U{start:08x}-\\U{code - 1:08x}")
            start = None
    return "".join(ranges)
