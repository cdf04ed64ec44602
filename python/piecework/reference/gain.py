"""The gain of a merge: a real number that compares exactly and reads as a float.

Section 2.3 of `spec/wordpiece.md` has the formula, and the proof that its float is off by little.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import total_ordering
from itertools import chain

from piecework.reference import floats
from piecework.reference.logarithms import Term, sign

Function = Callable[[float], float]

ERROR = 2.0**-40
"""A float is off by less than this times n. Proven is 2^-44, with logarithms that are right to 2 units in
the last place; here they are the platform's, and may be off by 80."""


@total_ordering
@dataclass(frozen=True, slots=True, eq=False)
class Gain:
    """Gives the gain in log-likelihood of merging a pair.

    Comparisons are those of real numbers: by floats where these are far enough apart, else exactly. The
    float that it converts to is the same on every machine.

    Args:
        n: Merges that a pass from left to right would make.
        a: Count of one symbol.
        b: Count of the other, at least `a`.
        total: Count of all symbols.
        same: Whether both are one symbol, which then loses two occurrences a merge.

    >>> float(Gain(20, 20, 36, 113)), Gain(20, 20, 36, 113).sign()
    (28.017808422658216, 1)
    >>> Gain(1, 2, 2, 2, same=True).sign()  # `aa`, all there is, with an empty prefix
    0
    """

    n: int
    a: int
    b: int
    total: int
    same: bool = False
    estimate: float = field(init=False, repr=False)
    __hash__ = None  # type: ignore[assignment]  # gains of different counts may be equal

    def __post_init__(self) -> None:
        object.__setattr__(self, "estimate", self._in_floats(math.log, math.log1p))

    def __float__(self) -> float:
        return self._in_floats(floats.log, floats.log1p)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Gain) and self._compared(other) == 0

    def __lt__(self, other: "Gain") -> bool:
        return self._compared(other) < 0

    def sign(self) -> int:
        """Gives 1 if the merge raises the log-likelihood, -1 if it lowers it, 0 if it does neither."""
        return self._sign_of(self.estimate, self.n, self.terms())

    def terms(self) -> Iterator[Term]:
        """Gives the gain as a sum of integers times logarithms of integers."""
        lost = 2 * self.n if self.same else self.n
        symbols = [self.a] if self.same else [self.a, self.b]
        after = [self.n, *(count - lost for count in symbols), self.total]
        before = [*symbols, self.total - self.n]
        return chain(((x, x) for x in after if x), ((-x, x) for x in before if x))

    def _compared(self, other: "Gain") -> int:
        apart = self.estimate - other.estimate
        opposite = ((-coefficient, x) for coefficient, x in other.terms())
        return self._sign_of(apart, self.n + other.n, chain(self.terms(), opposite))

    @staticmethod
    def _sign_of(estimate: float, n: int, terms: Iterator[Term]) -> int:
        if abs(estimate) > ERROR * n:
            return 1 if estimate > 0 else -1
        return sign(terms)

    def _in_floats(self, log: Function, log1p: Function) -> float:
        def left_over(whole: int, part: int) -> float:
            share = float(part) / float(whole)
            # Beyond 2^53 a share below 1 can round to 1, whose logarithm would be infinite.
            rest = float(whole - part)
            return rest * (log1p(-share) if share < 1.0 else log(rest / float(whole)))

        n, a, b, total = self.n, self.a, self.b, self.total
        lost = 2 * n if self.same else n
        gain = n * log((float(n) * float(total)) / (float(a) * float(b)))
        if a > lost:
            gain += left_over(a, lost)
        if b > lost and not self.same:
            gain += left_over(b, lost)
        if total > n:
            gain -= left_over(total, n)
        return gain
