"""Shows progress bars on a terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from piecework.results import Progress

__all__ = ["bar"]


@contextmanager
def bar(hidden: bool) -> Iterator[Callable[[Progress], None]]:
    """Returns a context manager of a function that shows progress if standard error is a terminal.

    Args:
        hidden: Show nothing.

    Yields:
        The function, which shows a bar for each stage.
    """
    if hidden or not sys.stderr.isatty():
        yield lambda progress: None
        return
    from rich import progress as rich
    from rich.console import Console

    columns = (rich.TextColumn("{task.description}"), rich.BarColumn(), rich.TaskProgressColumn())
    with rich.Progress(
        *columns, rich.TimeElapsedColumn(), console=Console(stderr=True), transient=True
    ) as bars:
        tasks: dict[str, rich.TaskID] = {}

        def show(progress: Progress) -> None:
            if progress.stage not in tasks:
                tasks[progress.stage] = bars.add_task(progress.stage, total=None)
            bars.update(
                tasks[progress.stage], completed=progress.done, total=progress.total or None
            )

        yield show
