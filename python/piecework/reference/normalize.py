"""BERT normalization that remembers where every character came from.

A model is trained on tidied text: control characters gone, accents stripped, letters small. A user
wants to know which characters of the text *as written* a token covers. So each step below carries,
beside the text, one span of the original for each character of the result:

    original     É t é         (0,1) (1,2) (2,3)
    decomposed   E ́ t e ́       (0,1) (0,1) (1,2) (2,3) (2,3)
    stripped     E t e         (0,1)       (1,2) (2,3)

The steps and their order are those of the `BertNormalizer` of Hugging Face `tokenizers` 0.23:
clean, set CJK apart, decompose and drop accents, lower-case.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

from piecework.reference import unicode

Span = tuple[int, int]


class Normalized(NamedTuple):
    """Gives a text together with the place of each of its characters in the original.

    Args:
        text: The text after the steps so far.
        alignment: For each character of `text` a (start, end) span, in characters of the original.

    >>> bert("Été").alignment
    [(0, 1), (1, 2), (2, 3)]
    """

    text: str
    alignment: list[Span]

    def origin(self, start: int, end: int) -> Span:
        """Gives the part of the original that characters `start` to `end` of the text stem from.

        Args:
            start: First character of the part, in characters of `text`.
            end: One past its last character; the part must not be empty.

        Returns:
            (start, end) in characters of the original: the start of the first, the end of the last.

        >>> bert("naïve").origin(2, 4)
        (2, 4)
        """
        return self.alignment[start][0], self.alignment[end - 1][1]


def identity(text: str) -> Normalized:
    """Gives a text as it is, each character aligned with itself; every pipeline starts here.

    Args:
        text: Any text that can be written as UTF-8.

    Returns:
        The same text and its spans, in characters.

    Raises:
        UnicodeEncodeError: the text holds a lone surrogate, which stands for no character.

    >>> identity("ab")
    Normalized(text='ab', alignment=[(0, 1), (1, 2)])
    """
    text.encode("utf-8")
    return Normalized(text, [(i, i + 1) for i in range(len(text))])


def transform(value: Normalized, changes: Iterable[tuple[str, bool]]) -> Normalized:
    """Replaces the text by a list of changes and moves the alignment along.

    Tie rule of the alignment: a character that replaces one consumes the next character of the
    input and takes its span; an inserted one consumes nothing and takes the span of the character
    just consumed, or (0, 0) where there is none. Consumption follows the order of the *output*,
    also where reordering has carried an inserted mark ahead of a replacing one: that is how the
    reference behaves, and offsets agree with it only so. Cost: linear.

    Args:
        value: The text so far.
        changes: (character, inserted?) in the order of the new text.

    Returns:
        The new text with spans in characters of the original.

    >>> transform(identity("ß"), [("s", False), ("s", True)])
    Normalized(text='ss', alignment=[(0, 1), (0, 1)])
    """
    characters: list[str] = []
    alignment: list[Span] = []
    consumed = 0
    for character, inserted in changes:
        if not inserted:
            consumed += 1
        characters.append(character)
        alignment.append(value.alignment[consumed - 1] if consumed else (0, 0))
    return Normalized("".join(characters), alignment)


def keep(value: Normalized, wanted: Callable[[str], bool]) -> Normalized:
    """Drops the characters that are not wanted.

    Args:
        value: The text so far.
        wanted: Says of one character whether it stays.

    Returns:
        What is left, each character with the span it had.

    >>> keep(identity("a-b"), str.isalpha)
    Normalized(text='ab', alignment=[(0, 1), (2, 3)])
    """
    kept = [(c, span) for c, span in zip(value.text, value.alignment, strict=True) if wanted(c)]
    return Normalized("".join(c for c, _ in kept), [span for _, span in kept])


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
    return transform(value, ((r, i > 0) for c in value.text for i, r in enumerate(replacement(c))))


def clean(value: Normalized) -> Normalized:
    r"""Drops NUL, U+FFFD and control characters, and makes every white space a plain space.

    >>> clean(identity("a\x00b\tc")).text
    'ab c'
    """
    kept = keep(value, lambda c: c not in "\0\ufffd" and not unicode.is_control(c))
    return replace_each(kept, lambda c: " " if unicode.is_whitespace(c) else c)


def set_cjk_apart(value: Normalized) -> Normalized:
    """Puts a space on both sides of every CJK ideograph, so that each becomes a word.

    >>> set_cjk_apart(identity("a中b")).text
    'a 中 b'
    """
    return replace_each(value, lambda c: f" {c} " if unicode.is_cjk(c) else c)


def decompose(value: Normalized) -> Normalized:
    """Takes letters and accents apart (Unicode's NFD, with canonical reordering of marks).

    Runs of marks are sorted by combining class, stably; each mark carries along whether it replaces
    a character or was inserted.

    >>> decompose(identity("é")).alignment
    [(0, 1), (0, 1)]
    """
    ordered: list[tuple[str, bool]] = []
    marks: list[tuple[str, bool]] = []
    for character in value.text:
        for i, part in enumerate(unicode.decompose(character)):
            if unicode.combining_class(part) == 0:
                ordered += sorted(marks, key=_class_of)
                ordered.append((part, i > 0))
                marks = []
            else:
                marks.append((part, i > 0))
    return transform(value, ordered + sorted(marks, key=_class_of))


def _class_of(mark: tuple[str, bool]) -> int:
    return unicode.combining_class(mark[0])


@dataclass(frozen=True)
class BertNormalizer:
    r"""Gives the normalization that BERT models were trained with.

    Args:
        clean_text: Drop control characters, make white space plain.
        handle_chinese_chars: Set CJK ideographs apart.
        strip_accents: Decompose and drop nonspacing marks; None does as `lowercase` says.
        lowercase: Lower-case each character alone (so a final sigma is like any other).

    >>> BertNormalizer(lowercase=False)("Ça\tva").text
    'Ça va'
    """

    clean_text: bool = True
    handle_chinese_chars: bool = True
    strip_accents: bool | None = None
    lowercase: bool = True

    def __call__(self, text: str) -> Normalized:
        r"""Normalizes a text.

        Args:
            text: Any text without lone surrogates.

        Returns:
            The normalized text, aligned with the characters of the original. Cost: linear, but for
            the sorting of long runs of marks.

        Raises:
            UnicodeEncodeError: the text holds a lone surrogate.

        >>> BertNormalizer()("Ça\tva").text
        'ca va'
        """
        value = identity(text)
        if self.clean_text:
            value = clean(value)
        if self.handle_chinese_chars:
            value = set_cjk_apart(value)
        if self.lowercase if self.strip_accents is None else self.strip_accents:
            value = keep(decompose(value), lambda c: not unicode.is_nonspacing_mark(c))
        if self.lowercase:
            value = replace_each(value, unicode.lowercase)
        return value


bert: Final[BertNormalizer] = BertNormalizer()
