"""The exact gain of a merge against products of integer powers and high-precision decimals."""

import itertools
import random
from collections.abc import Iterable, Iterator
from decimal import Decimal, localcontext
from math import lcm, log, prod

import pytest

from piecework.reference.learn.gain import Gain
from piecework.reference.numbers.logarithms import Term, approximate, coprime, sign

SCALE = 2**56
"""Multiplies counts so that no float holds their differences."""


def gains(total: int) -> Iterator[Gain]:
    """Iterates over all gains that a table of `total` symbols can have."""
    for n in range(1, total // 2 + 1):
        for a in range(n, total):
            yield from (Gain(n, a, b, total) for b in range(a, total - a + 1))
        for a in range(2 * n, total + 1):
            yield Gain(n, a, a, total, is_same_symbol=True)


def compared_by_powers(terms: Iterable[Term]) -> int:
    """Returns the sign of a sum of logarithms, computed from the corresponding product of powers."""
    known = list(terms)
    above = prod(x**c for c, x in known if c > 0)
    below = prod(x**-c for c, x in known if c < 0)
    return (above > below) - (above < below)


def in_decimals(gain: Gain) -> Decimal:
    """Returns a gain to about 70 decimal places."""
    return sum((c * Decimal(x).ln() for c, x in gain.terms()), Decimal(0))


def order(one: Gain, other: Gain) -> int:
    assert (one == other) + (one < other) + (one > other) == 1
    return (one > other) - (one < other)


def difference(one: Gain, other: Gain) -> list[Term]:
    return [*one.terms(), *((-c, x) for c, x in other.terms())]


@pytest.mark.parametrize("total", range(2, 10))
def test_gains_compare_as_products_of_powers(total: int) -> None:
    every = list(gains(total))
    for gain in every:
        assert gain.sign() == compared_by_powers(gain.terms())
    for one, other in itertools.product(every, repeat=2):
        assert order(one, other) == compared_by_powers(difference(one, other))


def test_float_gains_of_equal_gains_differ() -> None:
    """Floats order equal gains either way, so they cannot decide ties."""
    sides = set()
    for total in range(4, 25):
        ordered = sorted(gains(total), key=lambda gain: gain.estimate)
        for one, other in itertools.pairwise(ordered):
            if one == other:
                sides.add((float(one) > float(other)) - (float(one) < float(other)))
                assert sign(difference(one, other)) == 0
    assert sides == {-1, 0, 1}


def test_zero_gain_has_a_positive_float() -> None:
    gain = Gain(2, 3, 3, 6)
    assert gain.sign() == 0
    assert float(gain) > 0


def test_multiplied_counts_multiply_the_gain() -> None:
    """Equal gains stay equal and others keep their order for counts beyond the precision of floats."""
    for total in range(2, 6):
        every = list(gains(total))
        for one, other in itertools.product(every, repeat=2):
            assert order(scaled(one), scaled(other)) == order(one, other)
            more = Gain(
                one.n * SCALE,
                one.a * SCALE + 1,
                one.b * SCALE + 1,
                total * SCALE,
                one.is_same_symbol,
            )
            assert more < scaled(one)  # a more frequent symbol makes the pair worth less


def scaled(gain: Gain) -> Gain:
    n, a, b, total = (count * SCALE for count in (gain.n, gain.a, gain.b, gain.total))
    return Gain(n, a, b, total, gain.is_same_symbol)


def test_gains_compare_as_high_precision_decimals() -> None:
    choice = random.Random(5)
    undecided = 0
    with localcontext() as context:
        context.prec = 90
        for _ in range(100):
            one, other = similar_gains(choice)
            distance = in_decimals(one) - in_decimals(other)
            assert order(one, other) == (distance > 1e-50) - (distance < -1e-50)
            assert one.sign() == (in_decimals(one) > 1e-50) - (in_decimals(one) < -1e-50)
            undecided += abs(one.estimate - other.estimate) < (one.n + other.n) / 2**44
            for gain in (one, other):
                assert abs(Decimal(float(gain)) - in_decimals(gain)) < Decimal(gain.n) / 2**44
    assert undecided > 25


def similar_gains(choice: random.Random) -> tuple[Gain, Gain]:
    """Returns two gains of one step with similar counts, small or large."""
    size = 2 ** choice.randint(2, 61)
    n = choice.randint(1, size)
    a, b = sorted(choice.randint(2 * n, 3 * size) for _ in range(2))
    total = a + b + choice.randint(8, max(8, 2 * size))
    moved = [choice.randint(0, 2) for _ in range(3)]
    other = Gain(n + moved[0], a + 2 * moved[0] + moved[1], b + 2 * moved[0] + moved[1], total)
    return Gain(n, a, b, total, is_same_symbol=a == b), other


def test_precision_grows_until_the_sign_is_certain() -> None:
    """A power of 2 and one of 3 whose logarithms agree to 70 digits."""
    above, below = (approximate([(1, x)], 1024)[0] for x in (3, 2))
    last, now = (0, 1), (1, 0)
    while now[0] < 2**120:  # convergents of ln 3 / ln 2
        quotient, rest = divmod(above, below)
        above, below = below, rest
        last, now = now, (quotient * now[0] + last[0], quotient * now[1] + last[1])
    twos, threes = now
    terms = [(twos, 2), (-threes, 3)]
    value, error = approximate(terms, 128)
    assert abs(value) <= error
    value, error = approximate(terms, 1024)
    assert abs(value) > error
    assert sign(terms) == (1 if value > 0 else -1)
    assert sign([(-c, x) for c, x in terms]) == -sign(terms)


def test_coprime_terms_give_the_same_sum() -> None:
    choice = random.Random(6)
    for _ in range(300):
        terms = [(choice.randint(-9, 9), choice.randint(1, 400)) for _ in range(12)]
        rewritten = coprime(terms)
        arguments = [x for _, x in rewritten]
        assert all(c and x > 1 for c, x in rewritten)
        assert prod(arguments) == lcm(*arguments)
        assert sum(c * log(x) for c, x in rewritten) == pytest.approx(
            sum(c * log(x) for c, x in terms)
        )
