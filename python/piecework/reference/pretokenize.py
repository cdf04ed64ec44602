"""Splitting a normalized text into words.

Subwords never cross a word's border, so this step decides what a model can learn at all. A word is
a (start, end) span of the normalized text; the white space between words belongs to none.
"""

from collections.abc import Callable

from piecework.reference import unicode
from piecework.reference.normalize import Span

PreTokenizer = Callable[[str], list[Span]]


def whitespace(text: str) -> list[Span]:
    """Splits at white space.

    Args:
        text: A normalized text.

    Returns:
        The words as (start, end), in characters of `text`. Cost: linear.

    >>> whitespace(" to  be.")
    [(1, 3), (5, 8)]
    """
    return _words(text, lambda c: False)


def bert(text: str) -> list[Span]:
    """Splits at white space, and makes every punctuation character a word of its own.

    Args:
        text: A normalized text.

    Returns:
        The words as (start, end), in characters of `text`. Cost: linear.

    >>> [text[a:b] for text in ["don't!!"] for a, b in bert(text)]
    ['don', "'", 't', '!', '!']
    """
    return _words(text, unicode.is_punctuation)


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


def _words(text: str, alone: Callable[[str], bool]) -> list[Span]:
    words: list[Span] = []
    start = 0  # of the word that is being read; it is empty while start == i
    for i, character in enumerate(text):
        space, single = unicode.is_whitespace(character), alone(character)
        if not (space or single):
            continue
        if start < i:
            words.append((start, i))
        if single and not space:
            words.append((i, i + 1))
        start = i + 1
    if start < len(text):
        words.append((start, len(text)))
    return words
