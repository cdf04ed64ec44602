"""Text read line by line: a file, or standard input."""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Self, TypeVar

from piecework.cli.streams import report
from piecework.errors import (
    ConfigError,
    FormatError,
    InvalidUtf8Error,
    PieceworkError,
    wrap_os_error,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from piecework.types import Progress

__all__ = ["STDIN", "Input", "at_line", "without_end"]

Result = TypeVar("Result")

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

    def __init__(
        self,
        file: str,
        errors: str = "strict",
        command: str | None = None,
        *,
        json_lines: bool = False,
    ) -> None:
        """Say which file (`-` for standard input), and what becomes of broken bytes.

        With the command that would read its text from standard input, a file that is not text is an error that says how it
        becomes one; JSON lines can be accepted.
        """
        self.name = "standard input" if file == STDIN else file
        self.size = self.bytes = self.line = 0
        self._file = file
        self._errors = errors
        self._command = command
        self._json_lines = json_lines
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        """Open it."""
        self._stream: BinaryIO = sys.stdin.buffer
        if self._file == STDIN:
            if sys.stdin.isatty():
                report("reading from the terminal; Ctrl-D ends it")
            return self
        if self._command:
            from piecework.io import check_text

            check_text(self._file, self._command, json_lines=self._json_lines)
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
                if not self.line:
                    self._check_start(raw)
                self.line += 1
                yield self._decoded(raw)
                self.bytes += len(raw)
        except OSError as error:
            raise wrap_os_error(error, self.name) from None

    def lines(self) -> Iterator[str]:
        """Iterate over the lines, without their ends; errors as for :meth:`raw_lines`."""
        return map(without_end, self.raw_lines())

    def batches(self, lines: int | None = None) -> Iterator[list[str]]:
        """Iterate over lists of at most so many lines, with their ends; errors as for :meth:`raw_lines`."""
        lines = lines or _LINES
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

    def blaming(self, work: Callable[[list[str]], Result], lines: list[str]) -> Result:
        """Do something with the lines read last; an error names the first of them that has one."""
        try:
            return work(lines)
        except ConfigError:  # a setting, which no line is to blame for
            raise
        except PieceworkError:
            for number, line in enumerate(lines, self.line - len(lines) + 1):
                with at_line(self.name, number):
                    work([line])
            raise

    def progress(self, stage: str) -> Progress:
        """Give how far it was read."""
        from piecework.types import Progress

        return Progress(stage, self.bytes, self.size)

    def _check_start(self, raw: bytes) -> None:
        if self._command:
            from piecework.io import check_start

            check_start(raw, self.name, self._command)

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


@contextmanager
def at_line(name: str, number: int) -> Iterator[None]:
    """Add a line's place to errors about what it holds."""
    try:
        yield
    except PieceworkError as error:
        raise FormatError(f"{name}: line {number}: {error}") from None
