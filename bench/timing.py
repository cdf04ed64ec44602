"""Timing of calls."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")


def best(
    call: Callable[[], Result], times: int, clock: Callable[[], float] = time.process_time
) -> tuple[float, Result]:
    """Returns the minimum seconds of a call (CPU time by default) and its result."""
    if times < 1:
        raise ValueError("a call must be timed at least once")
    least = float("inf")
    for _ in range(times):
        start = clock()
        result = call()
        least = min(least, clock() - start)
    return least, result
