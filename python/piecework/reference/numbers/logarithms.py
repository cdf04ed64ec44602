"""Sums of integers times logarithms of integers, whose sign is computed exactly.

e to the power of such a sum is a product of powers of integers, so the sum is 0 exactly if that
product is 1. With pairwise coprime arguments, which greatest common divisors give without
factoring, the product is 1 only if no term is left. A sum that is not 0 shows its sign at
sufficient precision.
"""

from collections.abc import Iterable
from functools import lru_cache
from math import gcd

Term = tuple[int, int]
"""A coefficient, and the positive integer whose logarithm it multiplies."""

FIRST_BITS = 128
"""The initial precision of a sign; each further attempt doubles it."""


def sign(terms: Iterable[Term]) -> int:
    """Returns the sign of a sum of logarithms: -1, 0 or 1, exact for all integers.

    Cost: fixed-point evaluation at a precision that doubles until the sign is certain.

    Args:
        terms: Coefficients and arguments, in any order; arguments may repeat.

    >>> sign([(3, 4), (-2, 8)]), sign([(5, 2), (-3, 3)])  # 64 = 64, 32 > 27
    (0, 1)
    """
    left = coprime(terms)
    bits = FIRST_BITS
    while left:
        value, error = approximate(left, bits)
        if abs(value) > error:
            return 1 if value > 0 else -1
        bits *= 2
    return 0


def coprime(terms: Iterable[Term]) -> list[Term]:
    """Rewrites a sum of logarithms with pairwise coprime arguments above 1.

    Each step replaces two arguments x and y with the common divisor g by x/g, y/g and g. The
    product of all arguments falls with each step, so this terminates. Logarithms of such arguments
    are linearly independent over the integers, so the sum is 0 only if it has no terms. Source:
    coprime bases (Bach, Driscoll and Shallit 1993).

    >>> coprime([(1, 12), (-2, 6), (1, 3)])
    []
    >>> sorted(coprime([(1, 12), (-1, 18)]))
    [(-1, 3), (1, 2)]
    """
    open_terms = list(terms)
    done: list[Term] = []
    while open_terms:
        coefficient, x = open_terms.pop()
        if coefficient == 0 or x == 1:
            continue
        at = next((i for i, (_, y) in enumerate(done) if gcd(x, y) > 1), None)
        if at is None:
            done.append((coefficient, x))
            continue
        other, y = done.pop(at)
        common = gcd(x, y)
        open_terms += [
            (coefficient, x // common),
            (other, y // common),
            (coefficient + other, common),
        ]
    return done


def approximate(terms: Iterable[Term], bits: int) -> tuple[int, int]:
    """Returns a sum of logarithms in fixed point, with an error bound.

    With 2^k the largest power of two up to x, ln x = 2 (k atanh(1/3) + atanh((x - 2^k) / (x +
    2^k))).

    Args:
        terms: Coefficients and arguments.
        bits: Precision, at least 64.

    Returns:
        Value and error in units of 2^-bits: the sum differs from the value by at most the error.

    >>> value, error = approximate([(1, 10)], 64)
    >>> value / 2**64, error < 2**16
    (2.302585092994046, True)
    """
    twos = value = size = 0
    for coefficient, x in terms:
        k = x.bit_length() - 1
        twos += coefficient * k
        value += coefficient * atanh(x - (1 << k), x + (1 << k), bits)
        size += abs(coefficient)
    return 2 * (value + twos * atanh(1, 3, bits)), 2 * (size + abs(twos)) * bits


@lru_cache(1 << 12)
def atanh(p: int, q: int, bits: int) -> int:
    """Returns the inverse hyperbolic tangent of p/q in fixed point, by its power series.

    Every division rounds down. A power of p/q is too small by less than 9/8 units, since its error
    is divided by 9 before 1 is added; so a term of the sum is too small by less than 11/8, and the
    terms after the last one sum to less than 2. There are at most bits/3 + 1 terms, so from 64 bits
    on the result is too small by less than `bits` units.

    Args:
        p: At least 0.
        q: At least 3 p.
        bits: Precision, at least 64.

    Returns:
        The value in units of 2^-bits, too small by less than `bits` units.

    >>> atanh(1, 3, 64) * 2 / 2**64  # ln 2
    0.6931471805599453
    """
    power, total, n = (p << bits) // q, 0, 1
    while power:
        total += power // n
        power = power * p * p // (q * q)
        n += 2
    return total
