"""BERT's normalization and pre-tokenization, with the span of the original of each character.

    original     É t é         (0,1) (1,2) (2,3)
    decomposed   E ́ t e ́       (0,1) (0,1) (1,2) (2,3) (2,3)
    stripped     E t e         (0,1)       (1,2) (2,3)

A model is trained on normalized text: control characters removed, accents stripped, letters in
lower case. A user wants to know which characters of the *original* text a token covers, so every
step keeps the spans. Then the text is split at white space, and punctuation is split off.

Source: `BasicTokenizer` of Devlin et al. 2018, as the `BertNormalizer` and `BertPreTokenizer` of
`tokenizers` have it. Properties of characters are those of Python's `unicodedata`; `tokenizers` has
other versions of Unicode, which the core follows.
"""

import string
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final, NamedTuple

Span = tuple[int, int]
Character = tuple[str, Span]
"""A character of a normalized text, and the span of the original that it comes from."""


class Normalized(NamedTuple):
    """Holds a normalized text with the span of the original of each of its characters.

    Args:
        text: The text.
        spans: A (start, end) span for each character of `text`, in characters of the original.

    >>> align("ab").spans
    [(0, 1), (1, 2)]
    """

    text: str
    spans: list[Span]

    def original_span(self, start: int, end: int) -> Span:
        """Returns the span of the original that characters `start` to `end` of the text come from.

        >>> Normalized("e", [(3, 4)]).original_span(0, 1)
        (3, 4)
        """
        return self.spans[start][0], self.spans[end - 1][1]


def align(text: str) -> Normalized:
    """Returns a text unchanged, each character aligned with itself.

    Raises:
        UnicodeEncodeError: the text holds a lone surrogate, which encodes no character.

    >>> align("ab")
    Normalized(text='ab', spans=[(0, 1), (1, 2)])
    """
    text.encode()
    return Normalized(text, [(i, i + 1) for i in range(len(text))])


# Properties of characters


def is_control(c: str) -> bool:
    r"""Returns whether cleaning removes the character.

    Tab, newline and return are white space and not control. U+000B, U+000C and U+0085 are both:
    cleaning removes them, and without cleaning they end a word.

    >>> is_control("\u00ad"), is_control("\t"), is_control("\x85")
    (True, False, True)
    """
    return c not in "\t\n\r" and unicodedata.category(c) in ("Cc", "Cf", "Co")


def is_whitespace(c: str) -> bool:
    r"""Returns whether the character ends a word; cleaning replaces it by a space or removes it.

    >>> is_whitespace("\u3000"), is_whitespace("\u180e"), is_whitespace("\x1c")
    (True, False, False)
    """
    return c.isspace() and c not in "\x1c\x1d\x1e\x1f"


def is_punctuation(c: str) -> bool:
    """Returns whether the character is punctuation or an ASCII symbol, a word by itself.

    >>> is_punctuation("…"), is_punctuation("$"), is_punctuation("€")
    (True, True, False)
    """
    return c in string.punctuation or unicodedata.category(c).startswith("P")


# Extension E begins 256 characters late, as it does in `tokenizers`.
_CJK = (
    *((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF)),
    *((0x2A700, 0x2B81F), (0x2B920, 0x2CEAF), (0x2F800, 0x2FA1F)),
)


def is_cjk(c: str) -> bool:
    r"""Returns whether the character is an ideograph that gets a space on both sides.

    >>> is_cjk("口"), is_cjk("\U0002b820"), is_cjk("\U0002b920")
    (True, False, True)
    """
    return any(first <= ord(c) <= last for first, last in _CJK)


# Normalization


@dataclass(frozen=True)
class BertNormalizer:
    r"""Normalizes as BERT does: clean, pad CJK ideographs, strip accents, lowercase.

    Args:
        clean_text: Remove control characters, make white space plain.
        handle_chinese_chars: Put spaces around CJK ideographs.
        strip_accents: Decompose and remove nonspacing marks; None follows `lowercase`.
        lowercase: Lowercase each character alone (a final sigma is like any other).

    >>> BertNormalizer(lowercase=False)("Ça\tva").text
    'Ça va'
    >>> BertNormalizer()("Ça").spans
    [(0, 1), (1, 2)]
    """

    clean_text: bool = True
    handle_chinese_chars: bool = True
    strip_accents: bool | None = None
    lowercase: bool = True

    def __call__(self, text: str) -> Normalized:
        """Normalizes a text.

        Args:
            text: Any text without lone surrogates.

        Returns:
            The normalized text, aligned with the characters of the original. Cost: linear, except
            for the sorting of long runs of marks.

        Raises:
            UnicodeEncodeError: the text holds a lone surrogate.
        """
        value = align(text)
        characters = list(zip(value.text, value.spans, strict=True))
        if self.clean_text:
            characters = list(_clean(characters))
        if self.handle_chinese_chars:
            characters = _replace(characters, lambda c: f" {c} " if is_cjk(c) else c)
        if self.lowercase if self.strip_accents is None else self.strip_accents:
            characters = [item for item in _decompose(characters) if not _is_accent(item[0])]
        if self.lowercase:
            characters = _replace(characters, str.lower)
        return Normalized("".join(c for c, _ in characters), [span for _, span in characters])


BERT: Final = BertNormalizer()


def _clean(characters: Iterable[Character]) -> Iterator[Character]:
    """Removes NUL, U+FFFD and control characters, and replaces all white space by plain spaces."""
    for c, span in characters:
        if c not in "\0\ufffd" and not is_control(c):
            yield (" " if is_whitespace(c) else c), span


def _replace(characters: Iterable[Character], by: Callable[[str], str]) -> list[Character]:
    """Replaces every character by characters with the span of the original one."""
    return [(each, span) for c, span in characters for each in by(c)]


def _decompose(characters: list[Character]) -> Iterator[Character]:
    """Yields the parts of every character (Unicode's NFD): a run of marks is sorted by class.

    The spans are not sorted: the first part of a character takes the next span even where its mark
    moved. `tokenizers` does this, and offsets agree with it only this way.
    """
    parts = [
        (part, i == 0)
        for c, _ in characters
        for i, part in enumerate(unicodedata.normalize("NFD", c))
    ]
    spans = (span for _, span in characters)
    span = (0, 0)
    for _, run in groupby(parts, lambda part: unicodedata.combining(part[0]) > 0):
        for part, is_first in sorted(run, key=lambda part: unicodedata.combining(part[0])):
            span = next(spans) if is_first else span
            yield part, span


def _is_accent(c: str) -> bool:
    return unicodedata.category(c) == "Mn"


# Pre-tokenization: from a normalized text to the spans of its words


def split_whitespace(text: str) -> list[Span]:
    """Splits at white space.

    Args:
        text: A normalized text.

    Returns:
        The words as (start, end), in characters of `text`. Cost: linear.

    >>> split_whitespace(" to  be.")
    [(1, 3), (5, 8)]
    """
    return [
        span
        for is_space, span in _runs(range(len(text)), lambda i: is_whitespace(text[i]))
        if not is_space
    ]


def split_bert(text: str) -> list[Span]:
    """Splits at white space, and makes every punctuation character a word of its own.

    Args:
        text: A normalized text.

    Returns:
        The words as (start, end), in characters of `text`. Cost: linear.

    >>> [text[a:b] for text in ["don't!!"] for a, b in split_bert(text)]
    ['don', "'", 't', '!', '!']
    """
    spans = list[Span]()
    for start, end in split_whitespace(text):
        for is_mark, (first, last) in _runs(range(start, end), lambda i: is_punctuation(text[i])):
            spans += [(i, i + 1) for i in range(first, last)] if is_mark else [(first, last)]
    return spans


def _runs(indices: range, predicate: Callable[[int], bool]) -> Iterator[tuple[bool, Span]]:
    """Yields the spans of the maximal runs of indices for which a predicate has one value."""
    for value, run in groupby(indices, predicate):
        first, *rest = run
        yield value, (first, rest[-1] + 1 if rest else first + 1)


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
