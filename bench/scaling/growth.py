"""Measures how the time of a call grows with its input: the exponent of the size, which is 1 for proportional time."""

from __future__ import annotations

import ctypes
import gc
import math
import random
import sys
from typing import TYPE_CHECKING, NamedTuple

from timing import best

from piecework.errors import PieceworkError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Call = Callable[[], object]
    Prepare = Callable[[int], Call]
    Mechanisms = dict[str, Prepare]

FIRST_SIZE, FACTOR, SIZES = 256, 4, 4
LARGEST = FIRST_SIZE * FACTOR**6
"""The largest size, about a million, for calls that take no time at all."""
ENOUGH, MOST = 0.03, 2.5
"""Sizes grow until a call takes the first number of seconds, unless the next is expected to take more than the second."""
LARGER = 3
"""How often a mechanism that seems to grow too fast gets a larger size: the step from one cache of the processor to the
next, which takes longer for each byte, is then among the smallest sizes, and quadratic time is still quadratic."""
TIMED = 0.002
"""A shorter call is mostly the fixed costs of any call."""
EXPONENT = 1.2
"""Above this, time is not proportional; sorting, whose exponent is about 1.06, is below."""
MANY = "n of them"
"""The end of the name of a mechanism with a set of n strings. A lookup takes longer the less of the set is in a cache of the
processor, so that its exponent is that of a `dict`, at most."""
LOOKUPS = "a dict of Python, looked up at random: n of them"
SQUARE = ", backtracking"
"""The end of the name of a mechanism that is only promised to take the square of its input, and less than a limit of steps."""


class Growth(NamedTuple):
    """Holds the seconds of a mechanism at its sizes, and the error that ended them, if any."""

    seconds: dict[int, float]
    error: str = ""

    @property
    def exponent(self) -> float:
        """The slope of the logarithm of the time on that of the size, or less where times are too short to distinguish.

        NaN if all are too short.
        """
        timed = list(self.seconds.items())[-SIZES:]
        while len(timed) > 2 and timed[1][1] < TIMED:
            del timed[0]
        if len(timed) > 2 and timed[0][1] < TIMED:
            del timed[0]
        if len(timed) < 2 or timed[-1][1] < TIMED:
            return math.nan
        return _slope([(math.log(size), math.log(max(spent, TIMED))) for size, spent in timed])

    @property
    def slowest(self) -> float:
        """The seconds at the largest size."""
        return max(self.seconds.values(), default=0.0)

    @property
    def is_short(self) -> bool:
        """Whether the largest size takes too few seconds, or too few more than the smallest, where fixed costs count."""
        return self.slowest < max(ENOUGH, FACTOR * min(self.seconds.values(), default=0.0))

    @property
    def next(self) -> float:
        """The seconds that are expected for the next size, from the last two."""
        *_, before, last = (0.0, 0.0, *self.seconds.values())
        return last * last / max(before, TIMED) if before else last

    def is_proportional(self, limit: float = EXPONENT) -> bool:
        """Returns whether the time grows about as the size; a call that never takes long enough counts too."""
        return not self.exponent > limit


def growth(prepare: Prepare, limit: float = EXPONENT) -> Growth:
    """Returns the times of a mechanism, with larger sizes if its exponent is over the limit."""
    found = Growth({})
    size = FIRST_SIZE
    while not found.error and size <= LARGEST and found.is_short and found.next < MOST:
        found = _with(found, prepare, size)
        size *= FACTOR
    for _ in range(LARGER):
        if found.is_proportional(limit) or found.error or found.next > 2 * MOST:
            break
        found = _with(found, prepare, size)
        size *= FACTOR
    return found


def _with(found: Growth, prepare: Prepare, size: int) -> Growth:
    """Returns the times with those of one more size, or with the error that it raises."""
    try:
        return Growth({**found.seconds, size: _seconds(prepare(size))})
    except PieceworkError as error:
        return Growth(found.seconds, f"{type(error).__name__} at size {size:,}")


def _seconds(call: Call) -> float:
    """Returns the least CPU seconds of some repetitions, without collections of garbage; the first may build tables."""
    gc.collect()
    gc.disable()
    try:
        least, _ = best(call, 1)
        return (
            min(least, best(call, 2 if least < MOST / 8 else 1)[0]) if least < 2 * MOST else least
        )
    finally:
        gc.enable()


def _slope(points: list[tuple[float, float]]) -> float:
    """Returns the slope of the line with the least squared errors."""
    x_mean = sum(x for x, _ in points) / len(points)
    y_mean = sum(y for _, y in points) / len(points)
    products = sum((x - x_mean) * (y - y_mean) for x, y in points)
    return products / sum((x - x_mean) ** 2 for x, _ in points)


def _keep_memory() -> None:
    """Lets the allocator of Linux keep what is freed, since new pages cost more time for each byte than used ones."""
    if sys.platform == "linux":
        trim_threshold, most_maps = -1, -4  # numbers of malloc.h
        ctypes.CDLL(None).mallopt(most_maps, 0)
        ctypes.CDLL(None).mallopt(trim_threshold, 2**31 - 1)


def _details(found: Growth) -> str:
    return " <-- too fast: " + ", ".join(f"{spent:.3f}" for spent in found.seconds.values())


def report(mechanisms: Iterable[tuple[str, Prepare]]) -> list[str]:
    """Prints the time and the exponent of each mechanism, and returns the names of those that grow too fast."""
    _keep_memory()
    print(f"{'mechanism':<78} {'size':>10} {'seconds':>8} {'exponent':>8}")
    lookups = _line(LOOKUPS, growth(_lookups, math.inf), math.inf)
    too_fast = []
    for name, prepare in mechanisms:
        limit = _limit(name, lookups)
        exponent = _line(name, growth(prepare, limit), limit)
        if exponent > limit:
            too_fast.append(f"{name}: exponent {exponent:.2f}")
    return too_fast


def _limit(name: str, lookups: float) -> float:
    """Returns the largest exponent of a mechanism."""
    if name.endswith(MANY):
        return max(EXPONENT, lookups)
    return 2 * EXPONENT if name.endswith(SQUARE) else EXPONENT


def _line(name: str, found: Growth, limit: float) -> float:
    """Prints the line of a mechanism, and returns its exponent."""
    size, spent = max(found.seconds.items(), default=(0, math.nan))
    details = "" if found.is_proportional(limit) else _details(found)
    print(
        f"{name:<78} {size:>10,} {spent:>8.3f} {found.exponent:>8.2f}{details}  {found.error}".rstrip(),
        flush=True,
    )
    return found.exponent


def _lookups(size: int) -> Call:
    """Returns the call that looks up as many strings in a `dict` of them as a size, in random order."""
    table = {f"tok{number}": None for number in random.Random(6).sample(range(size), size)}
    strings = [f"tok{number}" for number in range(size)]
    return lambda: sum(string in table for string in strings)
