"""Splitting a text: one primitive, and five behaviors for its matches.

A list of spans covers the text, each marked as a match or not. Of `the-final--countdown`, with `-`
as the match:

    Removed             the|final|countdown
    Isolated            the|-|final|-|-|countdown
    MergedWithPrevious  the-|final-|-|countdown
    MergedWithNext      the|-final|-|-countdown
    Contiguous          the|-|final|--|countdown

Functions that only split map a text to the spans of its words: `split_whitespace`, `split_bert`,
`whole_text`.
"""

from collections.abc import Callable, Iterable

from piecework.reference.text import unicode
from piecework.reference.text.alignment import Span

SpanFunction = Callable[[str], list[Span]]
MarkedSpan = tuple[Span, bool]

BEHAVIORS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")


# Primitives


def match_characters(text: str, predicate: Callable[[str], bool]) -> list[MarkedSpan]:
    """Returns the spans of a text, in which each matching character is a match.

    Args:
        text: A text.
        predicate: Returns whether a character is a match.

    Returns:
        Marked spans that cover the text, in characters.

    >>> match_characters("ab-", str.isalpha)
    [((0, 1), True), ((1, 2), True), ((2, 3), False)]
    """
    return cover_text(text, [(i, i + 1) for i, c in enumerate(text) if predicate(c)])


def cover_text(text: str, spans: Iterable[Span]) -> list[MarkedSpan]:
    """Returns matches together with the spans between them.

    Args:
        text: A text.
        spans: The matches, in order without overlap; they may be empty.

    Returns:
        Marked spans that cover the text, in characters.

    >>> cover_text("a-b", [(1, 2)])
    [((0, 1), False), ((1, 2), True), ((2, 3), False)]
    """
    matches: list[MarkedSpan] = []
    done = 0
    for start, end in spans:
        if done < start:
            matches.append(((done, start), False))
        matches.append(((start, end), True))
        done = end
    if done < len(text):
        matches.append(((done, len(text)), False))
    return matches


def apply_behavior(matches: list[MarkedSpan], behavior: str) -> list[Span]:
    """Splits at matches by one of five behaviors.

    Of several adjacent matches, only the first merges with the previous span, and only the last
    with the next one. Cost: linear.

    Args:
        matches: Marked spans that cover a text.
        behavior: One of `BEHAVIORS`.

    Returns:
        The spans of the parts, in characters; some may be empty.

    Raises:
        ValueError: the behavior is unknown.

    >>> apply_behavior([((0, 1), False), ((1, 2), True), ((2, 3), True)], "MergedWithPrevious")
    [(0, 2), (2, 3)]
    """
    if behavior == "Removed":
        return [span for span, match in matches if not match]
    if behavior == "Isolated":
        return [span for span, _ in matches]
    if behavior == "Contiguous":
        return _group(matches, lambda match, before: match == before)
    if behavior == "MergedWithPrevious":
        return _group(matches, lambda match, before: match and not before)
    if behavior == "MergedWithNext":
        return _group(matches[::-1], lambda match, before: match and not before)[::-1]
    raise ValueError(f"behavior={behavior!r}: expected one of {BEHAVIORS}")


def _group(matches: list[MarkedSpan], joins: Callable[[bool, bool], bool]) -> list[Span]:
    groups: list[Span] = []
    before = False
    for (start, end), match in matches:
        if groups and joins(match, before):
            groups[-1] = min(start, groups[-1][0]), max(end, groups[-1][1])
        else:
            groups.append((start, end))
        before = match
    return groups


# Functions that only split


def split_whitespace(text: str) -> list[Span]:
    """Splits at white space.

    Args:
        text: A normalized text.

    Returns:
        The words as (start, end), in characters of `text`. Cost: linear.

    >>> split_whitespace(" to  be.")
    [(1, 3), (5, 8)]
    """
    spans = apply_behavior(match_characters(text, unicode.is_whitespace), "Removed")
    return [(start, end) for start, end in spans if start < end]


def split_bert(text: str) -> list[Span]:
    """Splits at white space, and makes every punctuation character a word of its own.

    Args:
        text: A normalized text.

    Returns:
        The words as (start, end), in characters of `text`. Cost: linear.

    >>> [text[a:b] for text in ["don't!!"] for a, b in split_bert(text)]
    ['don', "'", 't', '!', '!']
    """
    return [
        (word + start, word + end)
        for word, stop in split_whitespace(text)
        for start, end in apply_behavior(
            match_characters(text[word:stop], unicode.is_punctuation), "Isolated"
        )
    ]


def whole_text(text: str) -> list[Span]:
    """Returns the whole text, spaces included, as one word; an empty text has none.

    Args:
        text: A normalized text.

    Returns:
        One (start, end) span, or nothing, in characters of `text`.

    >>> whole_text("to be"), whole_text("")
    ([(0, 5)], [])
    """
    return [(0, len(text))] if text else []
