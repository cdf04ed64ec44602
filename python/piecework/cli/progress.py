"""Shows progress on a terminal: what is done, and speeds."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from piecework._progress import Progress, progress_line, replaced_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from piecework.corpus import CorpusProgress


@contextmanager
def bar(hidden: bool) -> Iterator[Callable[[Progress], object]]:
    """Returns a context manager of a function that shows progress if standard error is a terminal.

    Args:
        hidden: Show nothing.

    Yields:
        The function, which replaces the line.
    """
    if hidden or not sys.stderr.isatty():
        yield lambda progress: None
        return
    with progress_line() as show:
        yield lambda progress: show(progress.stage, progress.done, progress.total)


@contextmanager
def rate_line(hidden: bool) -> Iterator[Callable[[CorpusProgress], object]]:
    """Returns a context manager of a function that shows speeds on one line if standard error is a terminal.

    Args:
        hidden: Show nothing.

    Yields:
        The function, which replaces the line.
    """
    if hidden or not sys.stderr.isatty():
        yield lambda progress: None
        return

    with replaced_line() as write:
        yield lambda progress: write(describe_rate(progress))


def describe_rate(progress: CorpusProgress) -> str:
    """Returns a line with what is done, the speeds and the time left.

    >>> from piecework.corpus import CorpusProgress
    >>> describe_rate(CorpusProgress("encoding", 30_000_000, 60_000_000, 8_000_000, 2.0, 10_000_000, 2_000_000))
    'encoding: 50%, 10.0 MB/s, 3.00 M tokens/s, 0:00:03 left'
    """
    parts = [f"{progress.done / progress.total:.0%}"] if progress.total else []
    if progress.unit == "bytes":
        parts.append(f"{progress.rate / 1e6:.1f} MB/s")
    parts.append(f"{progress.tokens_per_second / 1e6:.2f} M tokens/s")
    if progress.seconds_left is not None:
        minutes, seconds = divmod(round(progress.seconds_left), 60)
        parts.append(f"{minutes // 60}:{minutes % 60:02}:{seconds:02} left")
    return f"{progress.stage}: {', '.join(parts)}"
