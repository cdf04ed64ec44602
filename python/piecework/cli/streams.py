"""Standard streams that are closed, or can be written to no more; lines on standard error."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Any, NoReturn

from piecework.errors import FileError

__all__ = ["discard_output", "replace_closed", "report"]


class _Closed(io.RawIOBase):
    """Stands for a stream that the process was started without: using it is an error that names it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def readable(self) -> bool:
        """Say that it is the reading that fails."""
        return True

    def writable(self) -> bool:
        """Say that it is the writing that fails."""
        return True

    def readinto(self, _: Any) -> NoReturn:
        """Fail."""
        raise FileError(errno.EBADF, "it is closed", self.name)

    def write(self, _: Any) -> NoReturn:
        """Fail."""
        raise FileError(errno.EBADF, "it is closed", self.name)


def replace_closed() -> None:
    """Put streams that name themselves in errors where Python has None, as after ``<&-``; errors without a place go nowhere."""
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(_Closed("standard input")))
    if sys.stdout is None:
        out = _Closed("standard output")
        sys.stdout = io.TextIOWrapper(out, encoding="utf-8", write_through=True)
    if sys.stderr is None:
        sys.stderr = _nowhere()


def discard_output() -> None:
    """Let what is still to be written go nowhere, so that ending the process does not fail."""
    if sys.__stdout__ is None:
        sys.stdout = _nowhere()
        return
    _discard(1)


def report(line: str) -> None:
    """Print a line on standard error, where it can be written; what cannot be reported changes no exit code."""
    try:
        print(line, file=sys.stderr, flush=True)
    except OSError:
        # Later lines, and what is still in the buffer when the process ends, must not fail either.
        _discard(2)


def _discard(descriptor: int) -> None:
    """Let a stream of the process write nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _nowhere() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.FileIO(os.devnull, "w"), encoding="utf-8", write_through=True)
