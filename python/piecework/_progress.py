"""Reports progress to a terminal or a callback."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from piecework._messages import wrong_type
from piecework._settings.immutable import Record, dataclass


@dataclass(frozen=True, slots=True)
class Progress(Record):
    """Describes the progress of a long call.

    Attributes:
        stage: The current activity, in a word or two.
        done: The amount done.
        total: The total amount; 0 if unknown.
    """

    stage: str
    done: int
    total: int


ProgressLike = bool | Callable[[Progress], object]

Report = Callable[[str, int, int], object]

_INTERVAL = 0.1
"""The seconds between two lines of a stage."""


@contextmanager
def reporting(progress: ProgressLike) -> Iterator[Report]:
    """Returns a context manager of a function that takes a stage, the amount done and the total.

    Args:
        progress: True shows a line on standard error if it is a terminal; a callable gets each :class:`Progress`.

    Yields:
        The function.

    Raises:
        TypeError: `progress` is neither a bool nor a function.

    >>> with reporting(print) as report:
    ...     report("counting", 1, 2)
    Progress(stage='counting', done=1, total=2)
    """
    if callable(progress):
        yield lambda stage, done, total: progress(Progress(stage, done, total))
        return
    if not isinstance(progress, bool):
        raise wrong_type("progress", "a bool or a function", progress)
    if progress and sys.stderr.isatty() and not os.environ.get("PIECEWORK_NO_PROGRESS"):
        with progress_line() as report:
            yield report
    else:
        yield lambda stage, done, total: None


@contextmanager
def progress_line() -> Iterator[Report]:
    """Returns a context manager of a function that shows progress, and the time since its beginning, on one line."""
    begin = time.monotonic()
    shown = ("", -_INTERVAL)
    with replaced_line() as write:

        def show(stage: str, done: int, total: int) -> None:
            nonlocal shown
            now = time.monotonic()
            if stage == shown[0] and now - shown[1] < _INTERVAL:
                return
            shown = stage, now
            write(f"{_described(stage, done, total)}, {timedelta(seconds=int(now - begin))}")

        yield show


@contextmanager
def replaced_line() -> Iterator[Callable[[str], None]]:
    """Returns a context manager of a function that replaces one line of standard error, which the end of the block removes."""

    def write(line: str) -> None:
        sys.stderr.write(f"\r\x1b[K{line}")
        sys.stderr.flush()

    try:
        yield write
    finally:
        write("")


def _described(stage: str, done: int, total: int) -> str:
    """Returns what is done.

    >>> _described("counting", 1_200, 4_800), _described("encoding", 5, 0)
    ('counting: 1,200 of 4,800 (25%)', 'encoding: 5')
    """
    return f"{stage}: {done:,}" + (f" of {total:,} ({done / total:.0%})" if total else "")
