"""Dividing a text: one primitive, and five ways to deal with what was found.

A list of stretches covers the text, each marked as a match or not. Of `the-final--countdown`, with
`-` for a match:

    Removed             the|final|countdown
    Isolated            the|-|final|-|-|countdown
    MergedWithPrevious  the-|final-|-|countdown
    MergedWithNext      the|-final|-|-countdown
    Contiguous          the|-|final|--|countdown

What only cuts is a function from a text to the spans of its words: `whitespace`, `bert`, `whole`.
"""

from collections.abc import Callable, Iterable

from piecework.reference import unicode
from piecework.reference.aligned import Span

SpanFunction = Callable[[str], list[Span]]
Match = tuple[Span, bool]

BEHAVIORS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")


# The primitive


def characters(text: str, wanted: Callable[[str], bool]) -> list[Match]:
    """Gives the stretches of a text whose matches are single characters.

    Args:
        text: A text.
        wanted: Says of one character whether it is a match.

    Returns:
        Stretches that cover the text, in characters.

    >>> characters("ab-", str.isalpha)
    [((0, 1), True), ((1, 2), True), ((2, 3), False)]
    """
    return covering(text, [(i, i + 1) for i, c in enumerate(text) if wanted(c)])


def covering(text: str, spans: Iterable[Span]) -> list[Match]:
    """Gives matches together with what lies between them.

    Args:
        text: A text.
        spans: The matches, in order and apart; they may be empty.

    Returns:
        Stretches that cover the text, in characters.

    >>> covering("a-b", [(1, 2)])
    [((0, 1), False), ((1, 2), True), ((2, 3), False)]
    """
    matches: list[Match] = []
    done = 0
    for start, end in spans:
        if done < start:
            matches.append(((done, start), False))
        matches.append(((start, end), True))
        done = end
    if done < len(text):
        matches.append(((done, len(text)), False))
    return matches


def arranged(matches: list[Match], behavior: str) -> list[Span]:
    """Deals with matches in one of five ways.

    Of several matches in a row, only the first merges with the previous stretch, and only the last
    with the next one.

    Args:
        matches: Stretches that cover a text.
        behavior: One of `BEHAVIORS`.

    Returns:
        The spans of the parts; some may be empty.

    Raises:
        ValueError: there is no such behavior.

    >>> arranged([((0, 1), False), ((1, 2), True), ((2, 3), True)], "MergedWithPrevious")
    [(0, 2), (2, 3)]
    """
    if behavior == "Removed":
        return [span for span, match in matches if not match]
    if behavior == "Isolated":
        return [span for span, _ in matches]
    if behavior == "Contiguous":
        return _grouped(matches, lambda match, before: match == before)
    if behavior == "MergedWithPrevious":
        return _grouped(matches, lambda match, before: match and not before)
    if behavior == "MergedWithNext":
        return _grouped(matches[::-1], lambda match, before: match and not before)[::-1]
    raise ValueError(f"behavior={behavior!r}: expected one of {BEHAVIORS}")


def _grouped(matches: list[Match], joins: Callable[[bool, bool], bool]) -> list[Span]:
    groups: list[Span] = []
    before = False
    for (start, end), match in matches:
        if groups and joins(match, before):
            groups[-1] = min(start, groups[-1][0]), max(end, groups[-1][1])
        else:
            groups.append((start, end))
        before = match
    return groups


# Functions that only cut


def whitespace(text: str) -> list[Span]:
    """Splits at white space.

    Args:
        text: A normalized text.

    Returns:
        The words as (start, end), in characters of `text`. Cost: linear.

    >>> whitespace(" to  be.")
    [(1, 3), (5, 8)]
    """
    spans = arranged(characters(text, unicode.is_whitespace), "Removed")
    return [(start, end) for start, end in spans if start < end]


def bert(text: str) -> list[Span]:
    """Splits at white space, and makes every punctuation character a word of its own.

    Args:
        text: A normalized text.

    Returns:
        The words as (start, end), in characters of `text`. Cost: linear.

    >>> [text[a:b] for text in ["don't!!"] for a, b in bert(text)]
    ['don', "'", 't', '!', '!']
    """
    return [
        (word + start, word + end)
        for word, stop in whitespace(text)
        for start, end in arranged(characters(text[word:stop], unicode.is_punctuation), "Isolated")
    ]


def whole(text: str) -> list[Span]:
    """Takes the whole text, spaces and all, as one word; an empty text has none.

    Args:
        text: A normalized text.

    Returns:
        One (start, end) span, or nothing, in characters of `text`.

    >>> whole("to be"), whole("")
    ([(0, 5)], [])
    """
    return [(0, len(text))] if text else []
