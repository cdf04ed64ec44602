"""A vocabulary as a unigram language model (Schuster and Nakajima 2012).

Training ends with a vocabulary; its probabilities come from one more pass over the count table.
Each word is encoded by longest match, each entry is counted, and its share of all counts is its
probability. An entry that never occurs gets a small floor instead of zero, so that every text has a
finite log-likelihood. With the floors the probabilities sum to a little more than one.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import fsum, log

from piecework.reference.model.wordpiece import LongestMatchEncoder

PROBABILITY_FLOOR = 2.0**-52


def count_longest_matches(
    words: Mapping[str, int], vocabulary: Sequence[str], prefix: str
) -> dict[str, int]:
    """Counts how often longest match emits each entry; a word that fails emits none.

    Args:
        words: word -> count.
        vocabulary: The entries.
        prefix: Prefix of continuing entries.

    Returns:
        entry -> count, for every entry, in the order of the vocabulary. Cost: encoding each word
        once.

    >>> count_longest_matches({"hugs": 5, "bum": 2}, ["h", "hug", "##s"], "##")
    {'h': 0, 'hug': 5, '##s': 5}
    """
    counts = dict.fromkeys(vocabulary, 0)
    longest = max(map(len, vocabulary), default=0)
    split = LongestMatchEncoder(counts, prefix, max_input_chars_per_word=None, longest=longest)
    for word, count in words.items():
        for piece in split(word):
            if piece.entry is not None:
                counts[piece.entry] += count
    return counts


def count_tokens(
    words: Mapping[str, int], vocabulary: Sequence[str], prefix: str, special_tokens: Iterable[str]
) -> list[int]:
    """Counts every entry of a finished vocabulary; special tokens count zero.

    Args:
        words: The table that the vocabulary was trained on, without rare words.
        vocabulary: The entries, in order of their ids.
        prefix: Prefix of continuing entries.
        special_tokens: Entries that are special tokens.

    Returns:
        The count of each id.

    >>> count_tokens({"hugs": 5}, ["[UNK]", "hug", "##s"], "##", ["[UNK]"])
    [0, 5, 5]
    """
    counts = count_longest_matches(words, vocabulary, prefix)
    counts.update(dict.fromkeys(counts.keys() & set(special_tokens), 0))
    return list(counts.values())


def probability(count: int, total: int) -> float:
    """Returns the probability of an entry.

    Args:
        count: Its count.
        total: The sum of all counts.

    Returns:
        Its share, or 2**-52 if the count is 0.

    >>> probability(1, 4), probability(0, 4)
    (0.25, 2.220446049250313e-16)
    """
    return count / total if count else PROBABILITY_FLOOR


def log_likelihood(probabilities: Iterable[float]) -> float:
    """Returns the log-likelihood of a sequence of tokens: the sum of their logarithms.

    Args:
        probabilities: The probability of each token.

    Returns:
        Natural logarithm, 0 or less.

    >>> log_likelihood([0.5, 0.25]) == log(0.5) + log(0.25)
    True
    """
    return fsum(log(p) for p in probabilities)
