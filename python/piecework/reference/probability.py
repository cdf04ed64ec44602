"""A vocabulary as a unigram language model (note 002).

Training ends with a vocabulary; its probabilities come from one more look at the count table. Each
word is split by longest match, each entry is counted, and its share of all counts is its
probability. What never occurs gets a small floor instead of zero, so that every text has a finite
log-likelihood. The floors come on top: the probabilities sum to a little more than one.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import fsum, log

from piecework.reference.encode import Splitter

FLOOR = 2.0**-52


def emitted(words: Mapping[str, int], vocabulary: Sequence[str], prefix: str) -> dict[str, int]:
    """Counts how often longest match gives each entry; a word that fails gives none.

    Args:
        words: word -> count.
        vocabulary: The entries.
        prefix: What continuing entries begin with.

    Returns:
        entry -> count, for every entry, in the order of the vocabulary.

    >>> emitted({"hugs": 5, "bum": 2}, ["h", "hug", "##s"], "##")
    {'h': 0, 'hug': 5, '##s': 5}
    """
    counts = dict.fromkeys(vocabulary, 0)
    longest = max(map(len, vocabulary), default=0)
    split = Splitter(counts, prefix, max_input_chars_per_word=None, longest=longest)
    for word, count in words.items():
        for piece in split(word):
            if piece.entry is not None:
                counts[piece.entry] += count
    return counts


def token_counts(
    words: Mapping[str, int], vocabulary: Sequence[str], prefix: str, special_tokens: Iterable[str]
) -> list[int]:
    """Counts every entry of a finished vocabulary; special tokens count nothing.

    Args:
        words: The table that the vocabulary was trained on, rare words dropped.
        vocabulary: The entries, in order of their ids.
        prefix: What continuing entries begin with.
        special_tokens: Those among them that stand for no text.

    Returns:
        One count for each id.

    >>> token_counts({"hugs": 5}, ["[UNK]", "hug", "##s"], "##", ["[UNK]"])
    [0, 5, 5]
    """
    counts = emitted(words, vocabulary, prefix)
    counts.update(dict.fromkeys(counts.keys() & set(special_tokens), 0))
    return list(counts.values())


def probability(count: int, total: int) -> float:
    """Gives the probability of an entry.

    Args:
        count: Its count.
        total: The sum of all counts.

    Returns:
        Its share, or 2**-52 where the count is 0.

    >>> probability(1, 4), probability(0, 4)
    (0.25, 2.220446049250313e-16)
    """
    return count / total if count else FLOOR


def log_likelihood(probabilities: Iterable[float]) -> float:
    """Gives the log-likelihood of a sequence of tokens: the sum of their logarithms.

    Args:
        probabilities: One for each token.

    Returns:
        Natural logarithm, 0 or less.

    >>> log_likelihood([0.5, 0.25]) == log(0.5) + log(0.25)
    True
    """
    return fsum(log(p) for p in probabilities)
