"""How long calls take."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")


def best(
    call: Callable[[], Result], times: int, clock: Callable[[], float] = time.process_time
) -> tuple[float, Result]:
    """Give the least seconds of a call, of the processor unless told otherwise, and what it gave."""
    if times < 1:
        raise ValueError("a call is timed once at least")
    least = float("inf")
    for _ in range(times):
        start = clock()
        result = call()
        least = min(least, clock() - start)
    return least, result
