"""Reports progress to a terminal or a callback."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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


@contextmanager
def reporting(progress: ProgressLike) -> Iterator[Report]:
    """Returns a context manager of a function that takes a stage, the amount done and the total.

    Args:
        progress: True shows a bar on standard error if it is a terminal; a callable gets each :class:`Progress`.

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
        with _bar() as report:
            yield report
    else:
        yield lambda stage, done, total: None


@contextmanager
def _bar() -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress as Bar,
        TextColumn,
        TimeElapsedColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda stage, done, total: bar.update(
            task, description=stage, completed=done, total=total or None
        )
