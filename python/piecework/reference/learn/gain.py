"""The gain of a merge: a real number that compares exactly and converts to a float.

Section 2.3 of `spec/wordpiece.md` has the formula, and the proof of the error bound of its float.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import total_ordering
from itertools import chain

from piecework.reference.numbers import floats
from piecework.reference.numbers.logarithms import Term, sign

FloatFunction = Callable[[float], float]

ERROR = 2.0**-40
"""The error bound of a float, times n.

The proven bound is 2^-44, with logarithms within 2 units in the last place; the platform's
logarithms used here may be off by 80."""


@total_ordering
@dataclass(frozen=True, slots=True, eq=False)
class Gain:
    """Represents the gain in log-likelihood of merging a pair.

    Comparisons are those of real numbers: by floats where these differ enough, else exactly. The
    converted float is equal on every machine.

    Args:
        n: Number of merges of a pass from left to right.
        a: Count of one symbol.
        b: Count of the other, at least `a`.
        total: Count of all symbols.
        is_same_symbol: Whether both are one symbol, which then loses two occurrences with each
            merge.

    >>> float(Gain(20, 20, 36, 113)), Gain(20, 20, 36, 113).sign()
    (28.017808422658216, 1)
    >>> Gain(1, 2, 2, 2, is_same_symbol=True).sign()  # the corpus `aa`, with an empty prefix
    0
    """

    n: int
    a: int
    b: int
    total: int
    is_same_symbol: bool = False
    estimate: float = field(init=False, repr=False)
    __hash__ = None  # type: ignore[assignment]  # gains of different counts may be equal

    def __post_init__(self) -> None:
        object.__setattr__(self, "estimate", self._evaluate(math.log, math.log1p))

    def __float__(self) -> float:
        return self._evaluate(floats.log, floats.log1p)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Gain) and self._compare(other) == 0

    def __lt__(self, other: "Gain") -> bool:
        return self._compare(other) < 0

    def sign(self) -> int:
        """Returns 1 if the merge raises the log-likelihood, -1 if it lowers it, else 0."""
        return self._sign_of(self.estimate, self.n, self.terms())

    def terms(self) -> Iterator[Term]:
        """Returns the gain as a sum of integers times logarithms of integers."""
        lost = 2 * self.n if self.is_same_symbol else self.n
        symbols = [self.a] if self.is_same_symbol else [self.a, self.b]
        after = [self.n, *(count - lost for count in symbols), self.total]
        before = [*symbols, self.total - self.n]
        return chain(((x, x) for x in after if x), ((-x, x) for x in before if x))

    def _compare(self, other: "Gain") -> int:
        difference = self.estimate - other.estimate
        opposite = ((-coefficient, x) for coefficient, x in other.terms())
        return self._sign_of(difference, self.n + other.n, chain(self.terms(), opposite))

    @staticmethod
    def _sign_of(estimate: float, n: int, terms: Iterator[Term]) -> int:
        if abs(estimate) > ERROR * n:
            return 1 if estimate > 0 else -1
        return sign(terms)

    def _evaluate(self, log: FloatFunction, log1p: FloatFunction) -> float:
        def remainder_term(whole: int, part: int) -> float:
            share = float(part) / float(whole)
            # Beyond 2^53 a share below 1 can round to 1, whose logarithm would be infinite.
            rest = float(whole - part)
            return rest * (log1p(-share) if share < 1.0 else log(rest / float(whole)))

        n, a, b, total = self.n, self.a, self.b, self.total
        lost = 2 * n if self.is_same_symbol else n
        gain = n * log((float(n) * float(total)) / (float(a) * float(b)))
        if a > lost:
            gain += remainder_term(a, lost)
        if b > lost and not self.is_same_symbol:
            gain += remainder_term(b, lost)
        if total > n:
            gain -= remainder_term(total, n)
        return gain
