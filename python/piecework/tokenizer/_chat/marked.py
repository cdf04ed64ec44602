"""Defines texts whose characters keep their origin while a template changes them.

A template sees each untrusted text as a :class:`Marked`: a ``str`` of one sentinel character, which stands for the text. All
that joins texts (``+``, ``~``, ``%s``, ``join``, JSON, macros) keeps sentinels as they are, so the output shows where each
untrusted text is. What inspects or cuts a text (``strip``, ``split``, ``in``, ``==``, slices) is overridden and works on the
text behind the sentinel; what it returns has a sentinel of its own.

An untrusted text itself never occurs in what a template writes, only its sentinel. An operation that is not overridden takes the
sentinel for the text: it may write another text, or answer a question in another way. So the caller renders the template without
sentinels too, and compares the texts, the conditions and the lengths of the loops of both.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NoReturn

from piecework.errors import ChatTemplateError
from piecework.tokenizer._chat.budget import CONVERTED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from piecework.tokenizer._chat.budget import Budget


Run = tuple[int, int, int]
"""The start and end of untrusted characters, and their kind."""

CONTENT, ROLE = 1, 2
"""The kinds of untrusted texts."""

_FIRST, _LAST = 0xF0000, 0x10FFFF
"""The code points of sentinels: the two last planes, which are for private use."""
_LONGEST_SHARED = 64
"""The length up to which equal parts of contents share a sentinel."""
_STEPS_OF_MARK, _STEPS_OF_REPLACEMENT = 3, 8
_START, _END = itemgetter(0), itemgetter(1)
_TEXTS = 4
"""The number of texts of the maximum length that a table holds."""
_SENTINEL = re.compile("([\U000f0000-\U0010ffff])")


class MarkTable:
    """Holds the texts behind the sentinels of one rendering.

    Args:
        budget: Counts the steps of the rendering.
    """

    def __init__(self, budget: Budget) -> None:
        most_characters = budget.most_characters
        self._budget = budget
        self._texts: list[Marked] = []
        self._shared: dict[tuple[str, tuple[Run, ...]], Marked] = {}
        self._most_characters = most_characters
        self._free = _TEXTS * most_characters

    def mark(self, text: str, kind: int = CONTENT) -> str:
        """Returns an untrusted text with a sentinel; an empty text needs none."""
        return self.mark_runs(text, ((0, len(text), kind),)) if text else text

    def mark_runs(self, text: str, runs: tuple[Run, ...]) -> Marked:
        """Returns a text with a sentinel, of which only some characters are untrusted."""
        number = _FIRST + len(self._texts)
        if number > _LAST:
            raise ChatTemplateError(
                f"the template makes over {_LAST - _FIRST:,} texts of the contents",
                hint="pass `trusted=True` if you trust all contents",
            )
        if len(text) > self._most_characters:
            raise _too_long(self._most_characters)
        self._free -= len(text)
        if self._free < 0:
            raise ChatTemplateError("the template makes too many long texts of the contents")
        self._budget.spend(_STEPS_OF_MARK + len(runs))
        marked = str.__new__(Marked, chr(number))
        marked._text, marked._runs, marked._table = text, runs, self
        self._texts.append(marked)
        return marked

    def spend(self, steps: int) -> None:
        """Counts steps of the rendering."""
        self._budget.spend(steps)

    def mark_character(self, character: str, kind: int) -> Marked:
        """Returns an untrusted character."""
        return self.mark_shared(character, ((0, 1, kind),))

    def mark_shared(self, text: str, runs: tuple[Run, ...]) -> Marked:
        """Returns a part of a text; equal short ones share a sentinel, since loops may cut long texts in many."""
        if len(text) > _LONGEST_SHARED:
            return self.mark_runs(text, runs)
        key = text, runs
        if key not in self._shared:
            self._shared[key] = self.mark_runs(text, runs)
        return self._shared[key]

    def lift(self, value: str) -> str:
        """Returns a text that was joined from sentinels and others as one :class:`Marked`."""
        if type(value) is not str:
            return value
        self._budget.read(CONVERTED * len(value))
        if not _SENTINEL.search(value):
            return value
        text, runs = self.expand(value)
        return self.mark_runs(text, runs)

    def expand(self, value: str) -> tuple[str, tuple[Run, ...]]:
        """Returns the text behind a text with sentinels, and its untrusted runs."""
        self._budget.read(CONVERTED * str.__len__(value))
        pieces = _SENTINEL.split(value)  # others and sentinels take turns
        self._budget.spend(_STEPS_OF_MARK * len(pieces))
        runs: list[Run] = []
        texts, length = self._texts, 0
        for at in range(1, len(pieces), 2):
            length += len(pieces[at - 1])
            number = ord(pieces[at]) - _FIRST
            if number >= len(texts):  # a character of the template's own
                length += 1
                continue
            marked = texts[number]
            for one, two, kind in marked._runs:
                start = length + one
                if runs and runs[-1][1:] == (start, kind):  # continues the one before
                    start = runs.pop()[0]
                runs.append((start, length + two, kind))
            self._budget.spend(len(marked._runs))
            pieces[at] = marked._text
            length += str.__len__(marked._text)
            if length > self._most_characters:
                raise _too_long(self._most_characters)
        return "".join(pieces), tuple(runs)

    def text_of(self, value: Any) -> Any:
        """Returns the text behind a text, a tuple of texts, or any other value as it is."""
        if type(value) is Marked:
            return value._text
        if isinstance(value, str):
            return value if value.isascii() else self.expand(value)[0]
        if isinstance(value, tuple):
            return tuple(map(self.text_of, value))
        return value


def _too_long(most: int) -> ChatTemplateError:
    return ChatTemplateError(f"a text has over {most:,} characters")


class Marked(str):
    """Serves as an untrusted text in a template: a ``str`` of one sentinel, with the methods of the text behind it."""

    __slots__ = ("_runs", "_table", "_text")

    _text: str
    _runs: tuple[Run, ...]
    _table: MarkTable

    def _cut(self, start: int, end: int) -> str:
        """Returns the characters from `start` to `end`; without sentinel if the template wrote them all."""
        if start >= end:
            return ""
        if start == 0 and end == len(self._text):
            return self
        self._table.spend(_STEPS_OF_MARK)
        runs = tuple(self._runs_between(start, end))
        text = self._text[start:end]
        return self._table.mark_shared(text, runs) if runs else text

    def _runs_between(self, start: int, end: int, at: int = 0) -> Iterator[Run]:
        """Iterates over the untrusted runs of a part of the text, which shall be at a place."""
        first = bisect_right(self._runs, start, key=_END)
        last = bisect_left(self._runs, end, first, key=_START)
        for one, two, kind in self._runs[first:last]:
            yield at + max(one, start) - start, at + min(two, end) - start, kind

    def _segments(self) -> Iterator[tuple[str, int]]:
        """Iterates over the texts of one origin each, with their kind; 0 for those of the template."""
        at = 0
        for start, end, kind in self._runs:
            if at < start:
                yield self._text[at:start], 0
            yield self._text[start:end], kind
            at = end
        if at < len(self._text):
            yield self._text[at:], 0

    def _mapped(self, change: Callable[[str], str]) -> str:
        """Returns the text with each range of one origin changed by a function."""
        if len(self._runs) == 1 and self._runs[0][:2] == (0, len(self._text)):
            return self._table.mark(change(self._text), self._runs[0][2])
        changed = "".join(
            self._table.mark(change(text), kind) if kind else change(text)
            for text, kind in self._segments()
        )
        return self._table.lift(changed)

    # --- questions -------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        return bool(self._text == self._table.text_of(other))

    def __ne__(self, other: object) -> bool:
        return bool(self._text != self._table.text_of(other))

    def __lt__(self, other: str) -> bool:
        return self._text < self._table.text_of(other)  # type: ignore[no-any-return]

    def __le__(self, other: str) -> bool:
        return self._text <= self._table.text_of(other)  # type: ignore[no-any-return]

    def __gt__(self, other: str) -> bool:
        return self._text > self._table.text_of(other)  # type: ignore[no-any-return]

    def __ge__(self, other: str) -> bool:
        return self._text >= self._table.text_of(other)  # type: ignore[no-any-return]

    def __hash__(self) -> int:
        return hash(self._text)

    def __len__(self) -> int:
        return len(self._text)

    def __contains__(self, other: object) -> bool:
        return self._table.text_of(other) in self._text

    # --- parts -----------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[str]:
        for text, kind in self._segments():
            for character in text:
                yield self._table.mark_character(character, kind) if kind else character

    def __getitem__(self, key: Any) -> str:
        if not isinstance(key, slice):
            self._text[key]  # raises for a wrong index
            at = key % len(self._text)
            return self._cut(at, at + 1)
        start, end, step = key.indices(len(self._text))
        if step == 1:
            return self._cut(start, end)
        if len(self._runs) == 1 and self._runs[0][:2] == (0, len(self._text)):
            return self._table.mark(self._text[key], self._runs[0][2])
        return _refuse("a slice with a step")

    def strip(self, chars: str | None = None, /) -> str:
        kept = self.lstrip(chars)
        return kept.rstrip(chars)

    def lstrip(self, chars: str | None = None, /) -> str:
        kept = self._text.lstrip(self._table.text_of(chars))
        return self._cut(len(self._text) - len(kept), len(self._text))

    def rstrip(self, chars: str | None = None, /) -> str:
        return self._cut(0, len(self._text.rstrip(self._table.text_of(chars))))

    def removeprefix(self, prefix: str, /) -> str:
        kept = self._text.removeprefix(self._table.text_of(prefix))
        return self._cut(len(self._text) - len(kept), len(self._text))

    def removesuffix(self, suffix: str, /) -> str:
        return self._cut(0, len(self._text.removesuffix(self._table.text_of(suffix))))

    def split(self, sep: str | None = None, maxsplit: Any = -1) -> list[str]:
        sep = self._table.text_of(sep)
        return self._placed(self._text.split(sep, maxsplit), len(sep or ""))

    def rsplit(self, sep: str | None = None, maxsplit: Any = -1) -> list[str]:
        sep = self._table.text_of(sep)
        return self._placed(self._text.rsplit(sep, maxsplit), len(sep or ""))

    def splitlines(self, keepends: bool = False) -> list[str]:
        lines, ends = self._text.splitlines(keepends), self._text.splitlines(keepends=True)
        at, found = 0, []
        for line, whole in zip(lines, ends, strict=True):
            found.append(self._cut(at, at + len(line)))
            at += len(whole)
        return found

    def _placed(self, parts: Iterable[str], gap: int) -> list[str]:
        """Returns consecutive parts of the text, `gap` characters after each other; 0 for white space of any length."""
        at, found = 0, []
        for part in parts:
            at = at if gap else self._text.index(part, at)
            found.append(self._cut(at, at + len(part)))
            at += len(part) + gap
        return found

    def partition(self, sep: str, /) -> tuple[str, str, str]:
        at, size = self.find(sep), len(self._table.text_of(sep))
        if at < 0:
            return self, "", ""
        return self._cut(0, at), self._cut(at, at + size), self._cut(at + size, len(self._text))

    def rpartition(self, sep: str, /) -> tuple[str, str, str]:
        at, size = self.rfind(sep), len(self._table.text_of(sep))
        if at < 0:
            return "", "", self
        return self._cut(0, at), self._cut(at, at + size), self._cut(at + size, len(self._text))

    # --- changes ---------------------------------------------------------------------------------

    def replace(self, old: str, new: str, count: Any = -1, /) -> str:
        old = self._table.text_of(old)
        inserted, new_runs = self._table.expand(str.__str__(new))
        pieces: list[str] = []
        runs: list[Run] = []
        at = length = 0
        for start in _places(self._text, old, count):
            pieces += (self._text[at:start], inserted)
            self._table.spend(_STEPS_OF_REPLACEMENT + len(new_runs))
            runs += self._runs_between(at, start, length)
            length += start - at
            runs += [(length + one, length + two, kind) for one, two, kind in new_runs]
            length += len(inserted)
            at = start + len(old)
        if not pieces:
            return self
        pieces.append(self._text[at:])
        runs += self._runs_between(at, len(self._text), length)
        text = "".join(pieces)
        return self._table.mark_shared(text, tuple(runs)) if runs else text

    def __mul__(self, times: Any) -> str:
        if len(self._runs) == 1 and self._runs[0][:2] == (0, len(self._text)):
            return self._table.mark(self._text * times, self._runs[0][2])
        return super().__mul__(times)

    __rmul__ = __mul__

    def __repr__(self) -> str:
        # Quotes are chosen by the whole text, so it has one origin: that of the contents.
        return self._table.mark(repr(self._text))


def _places(text: str, old: str, count: int) -> Iterator[int]:
    """Iterates over the places at which ``str.replace`` replaces `old`."""
    at = text.find(old)
    while at >= 0 and count != 0:
        yield at
        count -= 1
        # An empty text is found between all characters.
        start = at + (len(old) or 1)
        at = text.find(old, start) if start <= len(text) else -1


def _refuse(what: str) -> NoReturn:
    raise ChatTemplateError(
        f"the template applies {what} to a content, whose characters cannot be followed",
        hint="pass `trusted=True` if you trust all contents",
    )


def _asking(name: str) -> Callable[..., Any]:
    """Returns a method that asks the text behind the sentinel."""
    method = getattr(str, name)

    def ask(self: Marked, *args: Any) -> Any:
        return method(self._text, *map(self._table.text_of, args))

    return ask


def _changing(name: str) -> Callable[[Marked], str]:
    """Returns a method that changes the case of each range of one origin."""
    method = getattr(str, name)
    return lambda self: self._mapped(method)


def _refusing(name: str) -> Callable[..., NoReturn]:
    return lambda self, *args, **keywords: _refuse(f"`{name}`")


_QUESTIONS = (
    "count endswith find index isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace "
    "istitle isupper rfind rindex startswith"
)
_CASES = "capitalize casefold lower swapcase title upper"
_REFUSED = "center encode expandtabs format format_map ljust rjust translate zfill"
for _names, _method in ((_QUESTIONS, _asking), (_CASES, _changing), (_REFUSED, _refusing)):
    for _name in _names.split():
        _function = _method(_name)
        _function.__name__ = _name
        setattr(Marked, _name, _function)
