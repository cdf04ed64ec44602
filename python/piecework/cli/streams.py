"""Handles closed standard streams, and prints lines to standard error."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Any, NoReturn

from piecework.errors import FileError


class _Closed(io.RawIOBase):
    """Represents a closed standard stream; using it raises an error that names it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def readable(self) -> bool:
        """Returns True, so that the read itself raises the error."""
        return True

    def writable(self) -> bool:
        """Returns True, so that the write itself raises the error."""
        return True

    def readinto(self, _: Any) -> NoReturn:
        """Raises FileError."""
        raise FileError(errno.EBADF, "the stream is closed", self.name)

    def write(self, _: Any) -> NoReturn:
        """Raises FileError."""
        raise FileError(errno.EBADF, "the stream is closed", self.name)


def replace_closed() -> None:
    """Replaces closed standard streams, which are None in Python, by streams whose errors name them.

    A closed standard error is replaced by the null device.
    """
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(_Closed("standard input")))
    if sys.stdout is None:
        out = _Closed("standard output")
        sys.stdout = io.TextIOWrapper(out, encoding="utf-8", write_through=True)
    if sys.stderr is None:
        sys.stderr = _nowhere()


def discard_output() -> None:
    """Redirects standard output to the null device, so that ending the process does not fail."""
    if sys.__stdout__ is None:
        sys.stdout = _nowhere()
        return
    _discard(1)


def report(line: str) -> None:
    """Prints a line to standard error; failing to do so does not change the exit code."""
    try:
        print(line, file=sys.stderr, flush=True)
    except OSError:
        # Later lines, and the buffer at the end of the process, must not fail either.
        _discard(2)


def _discard(descriptor: int) -> None:
    """Redirects a stream of the process to the null device."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _nowhere() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.FileIO(os.devnull, "w"), encoding="utf-8", write_through=True)
