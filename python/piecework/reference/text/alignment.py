"""A normalized text, and the span of the original that each of its characters comes from.

A model is trained on normalized text: control characters removed, accents stripped, letters in
lower case. A user wants to know which characters of the *original* text a token covers. So every
step keeps, beside the text, one span of the original for each character of the result:

    original     É t é         (0,1) (1,2) (2,3)
    decomposed   E ́ t e ́       (0,1) (0,1) (1,2) (2,3) (2,3)
    stripped     E t e         (0,1)       (1,2) (2,3)

Three primitives change a text and its spans: `transform` (a list of changes), `replace` (spans by a
string) and `prepend`.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

Span = tuple[int, int]
Change = tuple[str, int]


class Normalized(NamedTuple):
    """Holds a normalized text with the span of the original of each of its characters.

    Args:
        text: The text after the steps so far.
        alignment: A (start, end) span for each character of `text`, in characters of the original.
        span: The span of the original that this text comes from, removed characters included.
        is_atomic: Whether no later pre-tokenizer may split it.

    >>> identity("ab").alignment
    [(0, 1), (1, 2)]
    """

    text: str
    alignment: list[Span]
    span: Span
    is_atomic: bool = False

    def original_span(self, start: int, end: int) -> Span:
        """Returns the span of the original that characters `start` to `end` of the text come from.

        Args:
            start: First character, in characters of `text`.
            end: One past the last character; greater than `start`.

        Returns:
            (start, end) in characters of the original: the start of the first, the end of the last.

        >>> identity("naive").original_span(2, 4)
        (2, 4)
        """
        return self.alignment[start][0], self.alignment[end - 1][1]

    def slice(self, start: int, end: int) -> "Normalized":
        """Returns a part of the text as a text of its own.

        Args:
            start: First character of the part, in characters of `text`.
            end: One past its last character; greater than `start`.

        Returns:
            The part; its span is the original span of its characters.

        >>> identity("so it").slice(3, 5)
        Normalized(text='it', alignment=[(3, 4), (4, 5)], span=(3, 5), is_atomic=False)
        """
        alignment = self.alignment[start:end]
        return Normalized(self.text[start:end], alignment, self.original_span(start, end))

    def shift(self, offset: int) -> "Normalized":
        """Returns the text with all its spans moved right, as a part of a longer original.

        Args:
            offset: Characters of the original before the text.

        Returns:
            The text with moved spans.

        >>> identity("a").shift(3).alignment
        [(3, 4)]
        """
        alignment = [(start + offset, end + offset) for start, end in self.alignment]
        return self._replace(
            alignment=alignment, span=(self.span[0] + offset, self.span[1] + offset)
        )


def identity(text: str) -> Normalized:
    """Returns a text unchanged, each character aligned with itself.

    Every pipeline starts here.

    Args:
        text: Any text that can be written as UTF-8.

    Returns:
        The text with its spans, in characters.

    Raises:
        UnicodeEncodeError: the text holds a lone surrogate, which encodes no character.

    >>> identity("ab")
    Normalized(text='ab', alignment=[(0, 1), (1, 2)], span=(0, 2), is_atomic=False)
    """
    text.encode("utf-8")
    return Normalized(text, [(i, i + 1) for i in range(len(text))], (0, len(text)))


# Primitives


def transform(value: Normalized, changes: Iterable[Change], removed: int = 0) -> Normalized:
    """Replaces the text by a list of changes and updates the alignment.

    A change is a character of the new text with a number. 0: the character replaces the next
    character of the old text and takes its span. -n: it replaces one character, and the n
    characters after that one are removed. +1: it is inserted, consumes nothing, and takes the span
    of the character consumed last. Consumption follows the order of the *output*, even where
    reordering puts an inserted mark before a replacing one: the library does this, and offsets
    agree with the library only this way.

    The library finds the range to replace by spans of the original, so it misses leading characters
    with empty spans (see `_replaced_range`): they stay, before the new text. The library then
    mostly runs out of old characters and panics; here everything is replaced instead.

    Source: `NormalizedString::transform_range` of `tokenizers`. Cost: linear in the text.

    Args:
        value: The text so far.
        changes: (character, number) in the order of the new text.
        removed: Number of characters removed before the first change.

    Returns:
        The new text with spans in characters of the original.

    >>> transform(identity("ß"), [("s", 0), ("s", 1)]).alignment
    [(0, 1), (0, 1)]
    >>> transform(identity("-a-b"), [("A", -1), ("B", 0)], removed=1).alignment
    [(1, 2), (3, 4)]
    """
    new = list(changes)
    first, end = _replaced_range(value)
    try:
        spans = _changed_spans(value, new, first, end, removed)
    except IndexError:
        first, end = 0, len(value.text)
        spans = _changed_spans(value, new, first, end, removed)
    text = value.text[:first] + "".join(c for c, _ in new) + value.text[end:]
    alignment = value.alignment[:first] + spans + value.alignment[end:]
    return value._replace(text=text, alignment=alignment)


def _replaced_range(value: Normalized) -> Span:
    """Returns the range of characters whose spans lie in the text's span.

    It starts at the first character whose span is not empty.
    """
    start, end = value.span
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


def _changed_spans(
    value: Normalized, changes: list[Change], first: int, end: int, removed: int
) -> list[Span]:
    spans: list[Span] = []
    consumed = min(first + removed, end)
    for _, change in changes:
        if change > 0:
            spans.append(_span_before(value, consumed))
        else:
            spans.append(value.alignment[consumed])
            consumed = min(consumed + 1 - change, end)
    return spans


def _span_before(value: Normalized, index: int) -> Span:
    """Returns the span of the character before an index; at the start of the text, an empty one."""
    return value.alignment[index - 1] if index else (value.span[0], value.span[0])


def replace(value: Normalized, spans: Iterable[Span], content: str) -> Normalized:
    """Replaces spans of the text, each by the same string.

    Each new character takes the span of the last character that it replaces; of an empty span, that
    of the character before it; at the start of the text, an empty span. Cost: linear in the text.

    Args:
        value: The text so far.
        spans: (start, end) in characters of the text, in order, without overlap; they may be empty.
        content: The string that replaces each span.

    Returns:
        The new text with spans in characters of the original.

    >>> replace(identity("a--b"), [(1, 3)], "+")
    Normalized(text='a+b', alignment=[(0, 1), (2, 3), (3, 4)], span=(0, 4), is_atomic=False)
    """
    text, alignment, done = "", list[Span](), 0
    for start, end in spans:
        text += value.text[done:start] + content
        alignment += value.alignment[done:start] + [_span_before(value, end)] * len(content)
        done = end
    return value._replace(
        text=text + value.text[done:], alignment=alignment + value.alignment[done:]
    )


def prepend(value: Normalized, content: str) -> Normalized:
    """Inserts a string before a text that is not empty, with the span of the first character.

    An empty string is not without effect: the first character then gets an empty span at the start
    of the text. The library does this.

    Args:
        value: The text so far.
        content: The string.

    Returns:
        The new text with spans in characters of the original.

    >>> prepend(identity("ab"), "_").alignment
    [(0, 1), (0, 1), (1, 2)]
    >>> prepend(identity("ab"), "").alignment
    [(0, 0), (1, 2)]
    """
    if not value.text:
        return value
    span = value.alignment[0] if content else _span_before(value, 0)
    alignment = [span] * (len(content) + 1) + value.alignment[1:]
    return value._replace(text=content + value.text, alignment=alignment)


# Steps composed of primitives


def filter_characters(value: Normalized, predicate: Callable[[str], bool]) -> Normalized:
    """Removes the characters that do not satisfy a predicate.

    Args:
        value: The text so far.
        predicate: Returns whether a character stays.

    Returns:
        The remaining characters, each with its span.

    >>> filter_characters(identity("a-b"), str.isalpha).alignment
    [(0, 1), (2, 3)]
    """
    changes: list[Change] = []
    removed = 0
    for c in value.text:
        if predicate(c):
            changes.append((c, 0))
        elif changes:
            changes[-1] = (changes[-1][0], changes[-1][1] - 1)
        else:
            removed += 1
    return transform(value, changes, removed)


def map_characters(value: Normalized, replacement: Callable[[str], str]) -> Normalized:
    """Replaces every character by one or more characters with the span of the original one.

    Args:
        value: The text so far.
        replacement: Returns the characters that replace one character; at least one.

    Returns:
        The new text with spans in characters of the original.

    >>> map_characters(identity("ab"), lambda c: c * 2).alignment
    [(0, 1), (0, 1), (1, 2), (1, 2)]
    """
    changes = [(r, int(i > 0)) for c in value.text for i, r in enumerate(replacement(c))]
    return transform(value, changes)
