r"""Patterns of tokenizer files, read with Python's `re`.

The library reads them with Oniguruma. Most patterns of a tokenizer.json mean the same to both, with
these exceptions:

* `^` and `$` match at lines; but after a line feed at the very end `^` does not match;
* `\w`, `\s`, `\b`, `\p{N}`, `\p{M}`, `\p{P}`, `\p{S}`, `\p{Han}`, `\p{L}` and its parts follow the library's tables;
  they are written out as sets of characters here, since Python's differ (its `\s` has U+001C) or do not
  exist (`\p`). `\d` and other categories are those of the running Python;
* sets within sets (`[a[bc]]`) and their intersections (`[\w&&[^\d]]`) are written out, too;
* an empty match directly after another match is skipped.

What `re` cannot read (`\h`, `\K`, `[[:alpha:]]`, variable look-behind) is an error.
"""

import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
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
    >>> find_spans(compile_pattern(r"[\p{L}&&[^\p{Han}]]+|[^(\s|[.,])]"), "né中, 1!")
    [(0, 2), (2, 3), (5, 6), (6, 7)]
    """
    pattern = _without_nested_sets(pattern)
    inside = False

    def rewritten(found: re.Match[str]) -> str:
        nonlocal inside
        written, upper, negated, name, short = found[0], *found.groups()
        if written[0] in "[]":
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


_SET_START = re.compile(r"\\(?s:.)|\[")
_NESTED_SET = re.compile(r"\[(?:\\(?s:.)|[^\[\]\\])*(?:\[|&&)")
_CONTROL_ESCAPES = {"r": "\r", "n": "\n", "t": "\t"}


def _without_nested_sets(pattern: str) -> str:
    """Returns a pattern with the members of sets that contain sets or intersections written out."""
    written, at = "", 0
    while _NESTED_SET.search(pattern, at) and (found := _SET_START.search(pattern, at)):
        written += pattern[at : found.start()]
        at = found.end()
        if found[0] != "[":
            written += found[0]
            continue
        reader = _SetReader(pattern, at)
        members = reader.read()
        plain = pattern[found.start() : reader.at]
        written += f"[{_written_ranges(sorted(members))}]" if reader.is_nested else plain
        at = reader.at
    return written + pattern[at:]


class _SetReader:
    """Reads a set between brackets into its code points, from the position after the opening bracket."""

    def __init__(self, pattern: str, at: int) -> None:
        """Takes a pattern and a position in it."""
        self.pattern = pattern
        self.at = at
        self.is_nested = False

    def read(self) -> frozenset[int]:
        """Returns the members of the set; an intersection is of all members on each side."""
        is_negated = self._take("^")
        operands: list[set[int]] = [set()]
        is_first = True
        while is_first or not self._take("]"):
            if self._take("&&"):
                self.is_nested = True
                operands.append(set())
            else:
                operands[-1] |= self._item()
            is_first = False
        members = frozenset.intersection(*map(frozenset, operands))
        return frozenset(_CODES) - members if is_negated else members

    def _take(self, text: str) -> bool:
        """Skips a text, if it comes next, and returns whether it did."""
        found = self.pattern.startswith(text, self.at)
        self.at += len(text) * found
        return found

    def _item(self) -> frozenset[int]:
        """Returns the members of the next item: a set, an escape, a character or a range."""
        if self.pattern.startswith("[:", self.at):
            raise ValueError(f"pattern {self.pattern!r}: classes in brackets are not supported")
        if self._take("["):
            self.is_nested = True
            return self.read()
        escape = _ESCAPE.match(self.pattern, self.at) if self._next() == "\\" else None
        if escape and (escape[3] or escape[4]):
            self.at = escape.end()
            name = escape[3] or escape[4].lower()
            is_negated = (
                bool(escape[1] == "P") != bool(escape[2]) if escape[3] else escape[4].isupper()
            )
            return _class_codes(name, is_negated)
        first = self._character()
        is_range = self._next() == "-" and self.pattern[self.at + 1 : self.at + 2] not in ("]", "")
        last = self._character() if is_range and self._take("-") else first
        return frozenset(range(first, last + 1))

    def _next(self) -> str:
        """Returns the next character; an empty string at the end of the pattern."""
        return self.pattern[self.at : self.at + 1]

    def _character(self) -> int:
        """Returns the code point of the next character, which may be escaped."""
        is_escaped = self._take("\\")
        c = self._next()
        if not c:
            raise ValueError(f"pattern {self.pattern!r}: a set has no end")
        self.at += 1
        return ord(_CONTROL_ESCAPES.get(c, c) if is_escaped else c)


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
    "Han": unicode.is_han,
    **{name: partial(_has_category, name) for name in unicode.CATEGORIES},
}


def _word_boundary(*, negated: bool) -> str:
    """Returns the pattern of a word boundary, or of its negation."""
    word = f"[{_class_members('word', False)}]"
    if negated:
        return f"(?:(?<={word})(?={word})|(?<!{word})(?!{word}))"
    return f"(?:(?<={word})(?!{word})|(?<!{word})(?={word}))"


_CODES = range(sys.maxunicode + 1)


def _codes_of_class(name: str, is_negated: bool) -> Iterator[int]:
    """Iterates over the code points of a class, or all others, in order."""
    belongs = _CLASSES.get(name) or (lambda c: unicodedata.category(c).startswith(name))
    return (code for code in _CODES if belongs(chr(code)) != is_negated)


@cache
def _class_codes(name: str, is_negated: bool) -> frozenset[int]:
    """Returns the code points of a class, or all others."""
    return frozenset(_codes_of_class(name, is_negated))


@cache
def _class_members(name: str, is_negated: bool) -> str:
    """Returns the characters of a class, or all others, as the inside of a set of `re`."""
    return _written_ranges(_codes_of_class(name, is_negated))


def _written_ranges(codes: Iterable[int]) -> str:
    """Returns code points in order as ranges inside a set of `re`."""
    ranges: list[list[int]] = []
    for code in codes:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)
