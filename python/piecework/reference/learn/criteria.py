"""The score of a merge: the only part in which WordPiece trainers differ.

For a pair of adjacent symbols that occurs n times, whose symbols occur a and b times among `total`
symbols, a criterion is any function `(n, a, b, total) -> number`; the pair with the greatest value
is merged. Values compare exactly, so the two ratios are fractions, and the gain is a number type of
its own (`gain`). `train` accepts any such function.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from math import fsum, log
from typing import Any

from piecework.reference.learn.gain import Gain

Criterion = Callable[[int, int, int, int], Any]


def frequency(n: int, a: int, b: int, total: int) -> int:
    """Returns the number of occurrences of a pair: the rule of byte-pair encoding.

    >>> frequency(20, 20, 36, 113)
    20
    """
    return n


def pmi(n: int, a: int, b: int, total: int) -> Fraction:
    """Returns n / (a * b), which orders pairs by pointwise mutual information.

    A pair that occurs once, of symbols that occur once, gets the maximum: without a lower limit on
    n, rare pairs fill the vocabulary. Source: Church and Hanks 1990; as a score of WordPiece,
    Hugging Face's course.

    >>> pmi(5, 20, 5, 113)
    Fraction(1, 20)
    """
    return Fraction(n, a * b)


def ratio_to_sum(n: int, a: int, b: int, total: int) -> Fraction:
    """Returns n / (a + b), half the Dice coefficient (Dice 1945).

    >>> ratio_to_sum(20, 36, 20, 113)
    Fraction(5, 14)
    """
    return Fraction(n, a + b)


def likelihood(n: int, a: int, b: int, total: int, *, is_same_symbol: bool = False) -> Gain:
    """Returns the gain of a merge in log-likelihood of the corpus.

    Under a unigram model with maximum-likelihood probabilities the corpus has log-likelihood `sum(f
    * ln f) - N * ln N`. A merge changes only four counts, so the gain has a closed form and no
    candidate needs a second pass over the corpus. Source: the idea is from Schuster and Nakajima
    2012; the value equals the difference of `log_likelihood`. Cost: four logarithms, in one fixed
    order, on operands ordered by size, so that (a, b) and (b, a) agree to the last bit.

    Args:
        n: Number of merges of a pass from left to right.
        a: Count of the left symbol.
        b: Count of the right symbol.
        total: Count of all symbols.
        is_same_symbol: Whether left and right are one symbol, which then loses two occurrences with
            each merge.

    Returns:
        The gain, in natural logarithms; it may be negative.

    >>> round(float(likelihood(20, 36, 20, 113)), 4)
    28.0178
    """
    return Gain(n, min(a, b), max(a, b), total, is_same_symbol)


def log_likelihood(counts: Iterable[int]) -> float:
    """Returns the log-likelihood of a corpus of symbols under their own frequencies.

    Args:
        counts: The count of each symbol.

    Returns:
        sum(f * ln f) - N * ln N, in natural logarithms.

    >>> round(log_likelihood([15, 36, 20, 17, 16, 4, 5]), 4)
    -198.5343
    """
    positive = [f for f in counts if f > 0]
    total = sum(positive)
    return fsum(f * log(f) for f in positive) - total * log(total) if total else 0.0


CRITERIA: dict[str, Criterion] = {
    "frequency": frequency,
    "pmi": pmi,
    "sum": ratio_to_sum,
    "likelihood": likelihood,
}


def history_score(criterion: Criterion, value: Any, n: int, a: int, b: int) -> float:
    """Returns the score of a merge for the history, in plain float arithmetic.

    >>> history_score(pmi, pmi(5, 20, 5, 113), 5, 20, 5)
    0.05
    """
    if criterion is pmi:
        return float(n) / (float(a) * float(b))
    if criterion is ratio_to_sum:
        return float(n) / (float(a) + float(b))
    return float(value)
