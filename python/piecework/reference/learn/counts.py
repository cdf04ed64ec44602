"""Counting words: a trainer sees a table of words, and no text.

Training takes a table `word -> count`. Tables add up: count two halves of a corpus on two machines,
merge the tables, and the result is that of the whole. To make the *order* of words independent of
the order of counting, each word carries its first occurrence, the smallest (document, ordinal) of
the word; sums and minima do not depend on the order of merging.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from piecework.reference.text.bert import BERT, Normalized, Span, split_bert

LARGEST_COUNT = 2**64 - 1


class WordCount(NamedTuple):
    """Holds the count of a word and its first occurrence.

    Args:
        occurrences: The number of occurrences.
        document: Index of the document of the first occurrence, from 0.
        ordinal: Index of the word within that document, from 0.

    >>> WordCount(3, document=0, ordinal=7).occurrences
    3
    """

    occurrences: int
    document: int
    ordinal: int


def count_words(
    texts: Iterable[str],
    *,
    normalizer: Callable[[str], Normalized] = BERT,
    pre_tokenizer: Callable[[str], list[Span]] = split_bert,
    first_document: int = 0,
) -> dict[str, WordCount]:
    """Counts the words of texts.

    Args:
        texts: The documents, in order.
        normalizer: Applied to each document.
        pre_tokenizer: Splits the normalized document into words.
        first_document: Index of the first of these documents within the whole corpus.

    Returns:
        word -> count and first occurrence. Cost: linear in the text.

    Raises:
        UnicodeEncodeError: a text holds a lone surrogate.

    >>> count_words(["To be, or not to be"])["be"]
    WordCount(occurrences=2, document=0, ordinal=1)
    """
    table: dict[str, WordCount] = {}
    for document, text in enumerate(texts, first_document):
        normalized = normalizer(text).text
        for ordinal, (start, end) in enumerate(pre_tokenizer(normalized)):
            _add(table, normalized[start:end], WordCount(1, document, ordinal))
    return table


def merge_counts(
    left: Mapping[str, WordCount], right: Mapping[str, WordCount]
) -> dict[str, WordCount]:
    """Adds two tables; the operation is associative and commutative.

    Args:
        left: A table.
        right: Another table, whose documents are numbered within the same corpus.

    Returns:
        The summed counts, with the earlier first occurrences. Cost: linear in the words.

    Raises:
        OverflowError: a sum does not fit 64 bits.

    >>> merge_counts({"a": WordCount(2, 1, 0)}, {"a": WordCount(3, 0, 5)})
    {'a': WordCount(occurrences=5, document=0, ordinal=5)}
    """
    table = dict(left)
    for word, count in right.items():
        _add(table, word, count)
    return table


def sort_counts(table: Mapping[str, WordCount]) -> dict[str, int]:
    """Returns the counts of words in order of first occurrence, as training takes them.

    Args:
        table: A table with first occurrences, in any order.

    Returns:
        word -> count. Tie rule: the lower code points (first occurrences tie if tables number their
        documents alike).

    >>> sort_counts({"b": WordCount(2, 0, 1), "a": WordCount(1, 0, 0)})
    {'a': 1, 'b': 2}
    """
    by_occurrence = sorted(table.items(), key=lambda item: (item[1][1:], item[0]))
    return {word: seen.occurrences for word, seen in by_occurrence}


def _add(table: dict[str, WordCount], word: str, more: WordCount) -> None:
    seen = table.get(word)
    if seen is not None:
        more = WordCount(seen.occurrences + more.occurrences, *min(seen[1:], more[1:]))
    if more.occurrences > LARGEST_COUNT:
        raise OverflowError(f"the count of {word!r} does not fit 64 bits")
    table[word] = more
