"""Text read line by line: a file, or standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, Self

from piecework.errors import InvalidUtf8Error, wrap_os_error

__all__ = ["STDIN", "Input", "read_all"]

STDIN = "-"
_LINES = 4096
_CHARACTERS = 1 << 22
"""Lines are handled in batches: enough to keep the threads busy, few enough to hold in memory."""


class Input:
    """A file, or standard input, that is open for reading and knows how far it was read.

    Attributes:
        name: Its name in messages.
        size: Its bytes; 0 where that is not known.
        bytes: The bytes read so far.
        line: The lines read so far.
    """

    def __init__(self, file: str, errors: str = "strict") -> None:
        """Say which file (`-` for standard input), and what becomes of broken bytes."""
        self.name = "standard input" if file == STDIN else file
        self.size = self.bytes = self.line = 0
        self._file = file
        self._errors = errors
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        """Open it."""
        self._stream: BinaryIO = sys.stdin.buffer
        if self._file == STDIN:
            if sys.stdin.isatty():
                print("reading from the terminal; Ctrl-D ends it", file=sys.stderr)
            return self
        try:
            self._stream = self._stack.enter_context(Path(self._file).open("rb"))
            self.size = Path(self._file).stat().st_size
        except OSError as error:
            raise wrap_os_error(error, self._file) from None
        return self

    def __exit__(self, *_: object) -> None:
        """Close it, if it is a file."""
        self._stack.close()

    def raw_lines(self) -> Iterator[str]:
        """Iterate over the lines, with their ends.

        Raises:
            FileError: It cannot be read.
            InvalidUtf8Error: Broken bytes, unless they are replaced.
        """
        try:
            for raw in self._stream:
                self.line += 1
                yield self._decoded(raw)
                self.bytes += len(raw)
        except OSError as error:
            raise wrap_os_error(error, self.name) from None

    def lines(self) -> Iterator[str]:
        """Iterate over the lines, without their ends; errors as for :meth:`raw_lines`."""
        return map(without_end, self.raw_lines())

    def batches(self, lines: int = _LINES) -> Iterator[list[str]]:
        """Iterate over lists of at most so many lines, with their ends; errors as for :meth:`raw_lines`."""
        batch: list[str] = []
        characters = 0
        for line in self.raw_lines():
            batch.append(line)
            characters += len(line)
            if len(batch) >= lines or characters >= _CHARACTERS:
                yield batch
                batch, characters = [], 0
        if batch:
            yield batch

    def _decoded(self, raw: bytes) -> str:
        try:
            return raw.decode("utf-8", self._errors)
        except UnicodeDecodeError as error:
            place = self.bytes + error.start
            message = (
                f"{self.name}: invalid UTF-8 in line {self.line} at byte {place} of the file "
                f"(0x{raw[error.start]:02x}); pass --errors replace to go on with U+FFFD"
            )
            broken = InvalidUtf8Error("utf-8", raw, error.start, error.end, message)
            broken.line, broken.byte = self.line, place
            raise broken from None


def without_end(line: str) -> str:
    """Give a line without its line feed, and a carriage return before it."""
    return line.removesuffix("\n").removesuffix("\r")


def read_all() -> bytes:
    """Read standard input to its end."""
    return sys.stdin.buffer.read()
