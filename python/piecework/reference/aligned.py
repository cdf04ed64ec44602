"""A text under way, and where every character of it came from.

A model is trained on tidied text: control characters gone, accents stripped, letters small. A user
wants to know which characters of the text *as written* a token covers. So every step carries,
beside the text, one span of the original for each character of the result:

    original     É t é         (0,1) (1,2) (2,3)
    decomposed   E ́ t e ́       (0,1) (0,1) (1,2) (2,3) (2,3)
    stripped     E t e         (0,1)       (1,2) (2,3)

Three primitives move a text and its spans: `transform` (a list of changes), `replace` (stretches
by a string) and `prepend`.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

Span = tuple[int, int]
Change = tuple[str, int]


class Normalized(NamedTuple):
    """Gives a text under way, with the place of each of its characters in the original.

    Args:
        text: The text after the steps so far.
        alignment: For each character of `text` a (start, end) span, in characters of the original.
        whole: The part of the original that this text stands for, with what was removed from it.
        closed: Whether a pre-tokenizer may no longer cut it.

    >>> identity("ab").alignment
    [(0, 1), (1, 2)]
    """

    text: str
    alignment: list[Span]
    whole: Span
    closed: bool = False

    def origin(self, start: int, end: int) -> Span:
        """Gives the part of the original that characters `start` to `end` of the text stem from.

        Args:
            start: First character of the part, in characters of `text`.
            end: One past its last character; the part must not be empty.

        Returns:
            (start, end) in characters of the original: the start of the first, the end of the last.

        >>> identity("naive").origin(2, 4)
        (2, 4)
        """
        return self.alignment[start][0], self.alignment[end - 1][1]

    def part(self, start: int, end: int) -> "Normalized":
        """Gives a part of the text as a text of its own.

        Args:
            start: First character of the part, in characters of `text`.
            end: One past its last character; the part must not be empty.

        Returns:
            The part; its whole is the origin of its characters.

        >>> identity("so it").part(3, 5)
        Normalized(text='it', alignment=[(3, 4), (4, 5)], whole=(3, 5), closed=False)
        """
        alignment = self.alignment[start:end]
        return Normalized(self.text[start:end], alignment, self.origin(start, end))

    def shifted(self, by: int) -> "Normalized":
        """Gives the text as a part of a longer original.

        Args:
            by: Characters of the original before it.

        Returns:
            The same text, every span moved.

        >>> identity("a").shifted(3).alignment
        [(3, 4)]
        """
        alignment = [(start + by, end + by) for start, end in self.alignment]
        return self._replace(alignment=alignment, whole=(self.whole[0] + by, self.whole[1] + by))


def identity(text: str) -> Normalized:
    """Gives a text as it is, each character aligned with itself; every pipeline starts here.

    Args:
        text: Any text that can be written as UTF-8.

    Returns:
        The same text and its spans, in characters.

    Raises:
        UnicodeEncodeError: the text holds a lone surrogate, which stands for no character.

    >>> identity("ab")
    Normalized(text='ab', alignment=[(0, 1), (1, 2)], whole=(0, 2), closed=False)
    """
    text.encode("utf-8")
    return Normalized(text, [(i, i + 1) for i in range(len(text))], (0, len(text)))


# The three primitives


def transform(value: Normalized, changes: Iterable[Change], removed: int = 0) -> Normalized:
    """Replaces the text by a list of changes and moves the alignment along.

    A change is a character of the new text with a number: 0, it replaces the next character of the
    old text and takes its span; -n, it does so, and the n characters after that one are removed; +1,
    it is inserted, consumes nothing, and takes the span of the character just consumed. Consumption
    follows the order of the *output*, also where reordering has carried an inserted mark ahead of a
    replacing one: that is how the library behaves, and offsets agree with it only so.

    The library finds the text to replace by way of the original, and so misses characters at the
    front that stand for nothing there (see `_reach`): they stay, before the new text. Mostly it then
    runs out of old characters and panics; there, everything is replaced instead. Cost: linear.

    Args:
        value: The text so far.
        changes: (character, number) in the order of the new text.
        removed: Characters removed before the first change.

    Returns:
        The new text with spans in characters of the original.

    >>> transform(identity("ß"), [("s", 0), ("s", 1)]).alignment
    [(0, 1), (0, 1)]
    >>> transform(identity("-a-b"), [("A", -1), ("B", 0)], removed=1).alignment
    [(1, 2), (3, 4)]
    """
    new = list(changes)
    first, end = _reach(value)
    try:
        spans = _spans(value, new, first, end, removed)
    except IndexError:
        first, end = 0, len(value.text)
        spans = _spans(value, new, first, end, removed)
    text = value.text[:first] + "".join(c for c, _ in new) + value.text[end:]
    alignment = value.alignment[:first] + spans + value.alignment[end:]
    return value._replace(text=text, alignment=alignment)


def _reach(value: Normalized) -> Span:
    """Gives the characters whose spans lie in the whole, from the first that is not empty on."""
    start, end = value.whole
    if start == end:
        return 0, 0
    first, last = None, 0
    for i, (left, right) in enumerate(value.alignment):
        if right > end:
            break
        if first is None and start <= left < right:
            first = i
        last = i + 1
    return last if first is None else first, last


def _spans(
    value: Normalized, changes: list[Change], first: int, end: int, removed: int
) -> list[Span]:
    spans: list[Span] = []
    consumed = min(first + removed, end)
    for _, change in changes:
        if change > 0:
            spans.append(_before(value, consumed))
        else:
            spans.append(value.alignment[consumed])
            consumed = min(consumed + 1 - change, end)
    return spans


def _before(value: Normalized, place: int) -> Span:
    """Gives the span of the character before a place; at the front, an empty one."""
    return value.alignment[place - 1] if place else (value.whole[0], value.whole[0])


def replace(value: Normalized, stretches: Iterable[Span], content: str) -> Normalized:
    """Replaces stretches of the text, every one by the same string.

    Each new character takes the span of the last character of its stretch; where the stretch is
    empty, of the character before it; at the front of the text, an empty span.

    Args:
        value: The text so far.
        stretches: (start, end) in characters of the text, in order and apart; they may be empty.
        content: What stands in for each.

    Returns:
        The new text with spans in characters of the original.

    >>> replace(identity("a--b"), [(1, 3)], "+")
    Normalized(text='a+b', alignment=[(0, 1), (2, 3), (3, 4)], whole=(0, 4), closed=False)
    """
    text, alignment, done = "", list[Span](), 0
    for start, end in stretches:
        text += value.text[done:start] + content
        alignment += value.alignment[done:start] + [_before(value, end)] * len(content)
        done = end
    return value._replace(
        text=text + value.text[done:], alignment=alignment + value.alignment[done:]
    )


def prepend(value: Normalized, content: str) -> Normalized:
    """Puts a string in front of a text that is not empty; it takes the span of what it precedes.

    To prepend nothing is not nothing: the first character then gets an empty span at the front.

    Args:
        value: The text so far.
        content: What is put before it.

    Returns:
        The new text with spans in characters of the original.

    >>> prepend(identity("ab"), "_").alignment
    [(0, 1), (0, 1), (1, 2)]
    >>> prepend(identity("ab"), "").alignment
    [(0, 0), (1, 2)]
    """
    if not value.text:
        return value
    span = value.alignment[0] if content else _before(value, 0)
    alignment = [span] * (len(content) + 1) + value.alignment[1:]
    return value._replace(text=content + value.text, alignment=alignment)


# Steps made of them


def keep(value: Normalized, wanted: Callable[[str], bool]) -> Normalized:
    """Drops the characters that are not wanted.

    Args:
        value: The text so far.
        wanted: Says of one character whether it stays.

    Returns:
        What is left, each character with the span it had.

    >>> keep(identity("a-b"), str.isalpha).alignment
    [(0, 1), (2, 3)]
    """
    changes: list[Change] = []
    removed = 0
    for c in value.text:
        if wanted(c):
            changes.append((c, 0))
        elif changes:
            changes[-1] = (changes[-1][0], changes[-1][1] - 1)
        else:
            removed += 1
    return transform(value, changes, removed)


def replace_each(value: Normalized, replacement: Callable[[str], str]) -> Normalized:
    """Replaces every character by one or more, all of which keep its span.

    Args:
        value: The text so far.
        replacement: Gives the characters that stand in for one; at least one.

    Returns:
        The new text with spans in characters of the original.

    >>> replace_each(identity("ab"), lambda c: c * 2).alignment
    [(0, 1), (0, 1), (1, 2), (1, 2)]
    """
    changes = [(r, int(i > 0)) for c in value.text for i, r in enumerate(replacement(c))]
    return transform(value, changes)
