"""What a merge is worth: the one place where WordPiece trainers differ.

For a pair of adjacent symbols that occurs n times, whose symbols occur a and b times among `total`
symbols in all, a criterion is any function `(n, a, b, total) -> number`; the pair with the greatest
value is merged. Equal means exactly equal, so the two ratios are fractions and not floats, and the gain
is a number of its own (`gain`). Numbers decide here, not algorithms: a new criterion is a new function,
and `train` takes any.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from math import fsum, log
from typing import Any

from piecework.reference.gain import Gain

Criterion = Callable[[int, int, int, int], Any]


def frequency(n: int, a: int, b: int, total: int) -> int:
    """Values a pair by how often it occurs: the rule of byte-pair encoding.

    >>> frequency(20, 20, 36, 113)
    20
    """
    return n


def pmi(n: int, a: int, b: int, total: int) -> Fraction:
    """Values a pair by n / (a * b), the order of pointwise mutual information (notes 000 and 001).

    A pair that occurs once, of symbols that occur once, gets the greatest value there is: without
    a floor on n, rarities fill the vocabulary.

    >>> pmi(5, 20, 5, 113)
    Fraction(1, 20)
    """
    return Fraction(n, a * b)


def ratio_to_sum(n: int, a: int, b: int, total: int) -> Fraction:
    """Values a pair by n / (a + b) (note 004).

    >>> ratio_to_sum(20, 36, 20, 113)
    Fraction(5, 14)
    """
    return Fraction(n, a + b)


def likelihood(n: int, a: int, b: int, total: int, *, same: bool = False) -> Gain:
    """Values a merge by the gain in log-likelihood of the corpus (notes 002 and 003).

    Under a unigram model with maximum-likelihood probabilities the corpus has log-likelihood
    `sum(f * ln f) - N * ln N`. Only four counts change when a pair is merged, so the gain has a
    closed form and no candidate needs a second pass over the corpus. Source: Schuster and
    Nakajima 2012 for the idea, `log_likelihood` for the value that it must equal. Cost: four
    logarithms, in one fixed order, on operands ordered by size, so that (a, b) and (b, a) agree to
    the last bit.

    Args:
        n: Merges that a pass from left to right would make.
        a: Count of the left symbol.
        b: Count of the right symbol.
        total: Count of all symbols.
        same: Whether left and right are one symbol, which then loses two occurrences a merge.

    Returns:
        The gain, in natural logarithms; it may be negative.

    >>> round(float(likelihood(20, 36, 20, 113)), 4)
    28.0178
    """
    return Gain(n, min(a, b), max(a, b), total, same)


def log_likelihood(counts: Iterable[int]) -> float:
    """Gives the log-likelihood of a corpus of symbols under their own frequencies.

    Args:
        counts: How often each symbol occurs.

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


def recorded(criterion: Criterion, value: Any, n: int, a: int, b: int) -> float:
    """Gives the value of a merge as the history keeps it: in plain float arithmetic.

    >>> recorded(pmi, pmi(5, 20, 5, 113), 5, 20, 5)
    0.05
    """
    if criterion is pmi:
        return float(n) / (float(a) * float(b))
    if criterion is ratio_to_sum:
        return float(n) / (float(a) + float(b))
    return float(value)
