"""Floats with an unlimited exponent, whose results are equal on every machine.

The probability of a long text underflows a float. `WideFloat` keeps a float's 53 bits and has an
unlimited exponent; an implementation that scales by powers of two has the same bits. `exp`, `log`
and `log1p` are written out, since a platform's own may differ in the last bit.

Rules with numbers, such as U2, are those of `spec/unigram.md`.
"""

from dataclasses import dataclass
from math import copysign, frexp, inf, ldexp
from struct import pack, unpack
from typing import Self

UNIT = 2**32
"""Sums over words are integers in units of 1 / UNIT (U3)."""

MAX_EXPONENT = 2.0**50
"""Exponents of e are clamped to this magnitude (U4)."""

LN2 = float.fromhex("0x1.62e42fefa39efp-1")
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_SQRT_HALF = float.fromhex("0x1.6a09ep-1")
_LOG1P_DIRECT_LIMIT = float.fromhex("0x1.2bec5p-2")  # below this log1p does not compute 1 + x


@dataclass(frozen=True, slots=True)
class WideFloat:
    """Represents a float that is not negative, with an unlimited exponent (U2).

    Args:
        digits: 0, or from ½ to below 1.
        exponent: The power of two that the digits are multiplied by.

    >>> third = WideFloat.of(1.0) / WideFloat.of(3.0)
    >>> float(third * third) == 1 / 3 * (1 / 3), float(third + third) == 2 / 3
    (True, True)
    """

    digits: float
    exponent: int

    @classmethod
    def of(cls, value: float, exponent: int = 0) -> Self:
        """Returns a float times a power of two.

        >>> WideFloat.of(3.0, 2000)
        WideFloat(digits=0.75, exponent=2002)
        """
        digits, own = frexp(value)
        return cls(digits, own + exponent)

    def __mul__(self, other: "WideFloat") -> "WideFloat":
        return WideFloat.of(self.digits * other.digits, self.exponent + other.exponent)

    def __truediv__(self, other: "WideFloat") -> "WideFloat":
        return WideFloat.of(self.digits / other.digits, self.exponent - other.exponent)

    def __add__(self, other: "WideFloat") -> "WideFloat":
        if not self.digits or not other.digits:
            return self if self.digits else other
        large, small = (self, other) if self.exponent >= other.exponent else (other, self)
        shift = min(large.exponent - small.exponent, 99)  # a number so much smaller adds nothing
        return WideFloat.of(large.digits + ldexp(small.digits, -shift), large.exponent)

    def __lt__(self, other: "WideFloat") -> bool:
        if not self.digits or not other.digits:
            return self.digits < other.digits
        return (self.exponent, self.digits) < (other.exponent, other.digits)

    def __float__(self) -> float:
        return ldexp(self.digits, self.exponent)


ZERO, ONE = WideFloat(0.0, 0), WideFloat.of(1.0)


def to_units(value: float) -> int:
    """Returns a number rounded to a whole number of units (U3).

    >>> to_units(1.0) == UNIT, to_units(1e-300)
    (True, 0)
    """
    return int(value * UNIT + 0.5)


def round_to_f32(value: float) -> float:
    """Rounds to a 32-bit float; a number that is too large becomes infinite.

    >>> round_to_f32(0.1), round_to_f32(-1e39)
    (0.10000000149011612, -inf)
    """
    try:
        rounded: float = unpack("f", pack("f", value))[0]
    except OverflowError:
        return copysign(inf, value)
    return rounded


def ln(value: WideFloat) -> float:
    """Returns the natural logarithm of a number above 0 (U4).

    >>> ln(WideFloat.of(1.0)), ln(WideFloat.of(0.5, -2000))
    (0.0, -1386.9875083004504)
    """
    return log(value.digits) + value.exponent * LN2


def log(x: float) -> float:
    """Returns the natural logarithm of a float above 0, as FreeBSD's `e_log.c` does.

    >>> log(10.0)
    2.302585092994046
    """
    f, k = _reduce(x)
    return _log_near_1(f, k, 0.0)


def log1p(x: float) -> float:
    """Returns ln(1 + x) of a float between -1 and 0, as FreeBSD's `s_log1p.c` does.

    >>> log1p(-0.5), log1p(-1e-20)
    (-0.6931471805599453, -1e-20)
    """
    if -x < 2.0**-53:
        return x
    if -x < _LOG1P_DIRECT_LIMIT:
        return _log_near_1(x, 0, 0.0)
    u = 1.0 + x
    f, k = _reduce(u)
    return _log_near_1(f, k, (x - (u - 1.0)) / u)


def _reduce(x: float) -> tuple[float, int]:
    """Returns f from √½ - 1 to √2 - 1 and k with x = (1 + f) 2^k."""
    x, k = frexp(x)
    return (x * 2 - 1.0, k - 1) if x < _SQRT_HALF else (x - 1.0, k)


def _log_near_1(f: float, k: int, correction: float) -> float:
    """Returns ln((1 + f) 2^k) plus a correction."""
    half = 0.5 * f * f
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    even = w * (
        3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01)
    )
    odd = z * (
        6.666666666666735130e-01
        + w
        * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01))
    )
    return s * (half + (odd + even)) + (k * _LN2_LOW + correction) - half + f + k * _LN2_HIGH


def exp(x: float) -> WideFloat:
    """Returns e to the power of x, as FreeBSD's `e_exp.c` does, without overflow (U4).

    >>> float(exp(1.0)), exp(-1000.0).exponent
    (2.7182818284590455, -1442)
    """
    x = max(-MAX_EXPONENT, min(x, MAX_EXPONENT))
    if abs(x) < float.fromhex("0x1.00001p-28"):
        return WideFloat.of(1.0 + x)
    k = _nearest_power(x)
    high, low = x - k * _LN2_HIGH, k * _LN2_LOW
    x = high - low
    z = x * x
    c = x - z * (
        1.66666666666666019037e-01
        + z
        * (
            -2.77777777770155933842e-03
            + z
            * (
                6.61375632143793436117e-05
                + z * (-1.65339022054652515390e-06 + z * 4.13813679705723846039e-08)
            )
        )
    )
    return WideFloat.of(1.0 + (x * c / (2.0 - c) - low + high), k)


def _nearest_power(x: float) -> int:
    """Returns the exponent of the power of two nearest to e to the x."""
    if abs(x) < float.fromhex("0x1.62e43p-2"):
        return 0
    if abs(x) < float.fromhex("0x1.0a2b2p+0"):
        return 1 if x > 0 else -1
    return int(1.44269504088896338700e00 * x + (0.5 if x > 0 else -0.5))


_PSI = (1 / 24, -37 / 5760, 10313 / 2903040, -5509121 / 1393459200)


def exp_digamma(x: float) -> WideFloat:
    """Returns an approximation of the exponential of the digamma function (U5).

    Source: its asymptotic series, shifted up by recurrence. Cost: constant.

    Args:
        x: At least ½.

    Returns:
        About x - ½ where x is large; less than that where it is small.

    >>> float(exp_digamma(100.0)), float(exp_digamma(0.5))
    (99.50041875394844, 0.14036487089079908)
    """
    correction = 0.0
    while x < 8:
        correction += 1 / x
        x += 1
    y = x - 0.5
    z = 1 / (y * y)
    first, second, third, fourth = _PSI
    large = WideFloat.of(y * (1 + z * (first + z * (second + z * (third + z * fourth)))))
    return large * exp(-correction) if correction else large
