"""Counting words: all that a trainer ever sees of a corpus.

Training looks at a table `word -> count`, not at text. Such tables add up: count two halves of a
corpus on two machines, merge the tables, and nothing is different. To keep the *order* of words
apart from the order of counting, each word carries its first sight, the smallest (document,
ordinal) at which it stood; sums and minima do not care what is merged first.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from piecework.reference.aligned import Normalized
from piecework.reference.normalize import BertNormalizer
from piecework.reference.pretokenize import PreTokenizer, step_of
from piecework.reference.split import bert

LARGEST_COUNT = 2**64 - 1


class Count(NamedTuple):
    """Gives how often a word occurs and where it was seen first.

    Args:
        occurrences: How often it occurs.
        document: Number of the document of the first sight, from 0.
        ordinal: Number of the word within that document, from 0.

    >>> Count(3, document=0, ordinal=7).occurrences
    3
    """

    occurrences: int
    document: int
    ordinal: int


def count_words(
    texts: Iterable[str],
    *,
    normalizer: Callable[[str], Normalized] | None = None,
    pre_tokenizer: PreTokenizer = bert,
    first_document: int = 0,
) -> dict[str, Count]:
    """Counts the words of some texts.

    Args:
        texts: The documents, in order.
        normalizer: Applied to each document; None is `BertNormalizer()`.
        pre_tokenizer: Splits the normalized document into words.
        first_document: Number of the first of these documents within the whole corpus.

    Returns:
        word -> count and first sight. Cost: linear in the text.

    Raises:
        UnicodeEncodeError: a text holds a lone surrogate.

    >>> count_words(["To be, or not to be"])["be"]
    Count(occurrences=2, document=0, ordinal=1)
    """
    normalize = normalizer or BertNormalizer()
    split = step_of(pre_tokenizer)
    table: dict[str, Count] = {}
    for document, text in enumerate(texts, first_document):
        for ordinal, word in enumerate(split(normalize(text))):
            _add(table, word.text, Count(1, document, ordinal))
    return table


def merge_counts(left: Mapping[str, Count], right: Mapping[str, Count]) -> dict[str, Count]:
    """Adds two tables up; associative and commutative.

    Args:
        left: A table.
        right: Another one, with its documents numbered within the same corpus.

    Returns:
        The counts summed, the first sights by minimum. Cost: linear in the words.

    Raises:
        OverflowError: a sum does not fit 64 bits.

    >>> merge_counts({"a": Count(2, 1, 0)}, {"a": Count(3, 0, 5)})
    {'a': Count(occurrences=5, document=0, ordinal=5)}
    """
    table = dict(left)
    for word, count in right.items():
        _add(table, word, count)
    return table


def in_order(table: Mapping[str, Count]) -> dict[str, int]:
    """Gives the words in order of first sight: the form that training takes.

    Args:
        table: A table with first sights, in any order.

    Returns:
        word -> count; words of the same first sight (of tables that numbered their documents alike)
        by code points.

    >>> in_order({"b": Count(2, 0, 1), "a": Count(1, 0, 0)})
    {'a': 1, 'b': 2}
    """
    by_sight = sorted(table.items(), key=lambda item: (item[1][1:], item[0]))
    return {word: seen.occurrences for word, seen in by_sight}


def _add(table: dict[str, Count], word: str, more: Count) -> None:
    seen = table.get(word)
    if seen is not None:
        more = Count(seen.occurrences + more.occurrences, *min(seen[1:], more[1:]))
    if more.occurrences > LARGEST_COUNT:
        raise OverflowError(f"the count of {word!r} does not fit 64 bits")
    table[word] = more
