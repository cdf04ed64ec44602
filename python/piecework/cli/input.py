"""Reads the lines of files that are no texts: ids, and lists of words."""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Self

from piecework._exceptions import from_undecodable, wrap_os_error
from piecework.cli.streams import report
from piecework.errors import InvalidUtf8Error, PieceworkError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._progress import Progress

STDIN = "-"


def announce_terminal() -> None:
    """Says that standard input is read, if it is a terminal."""
    if sys.stdin.isatty():
        report("reading from the terminal; press Ctrl-D to end the input")


class Input:
    """Reads the lines of a file or of standard input in UTF-8, and counts what it has read.

    Attributes:
        name: The name in messages.
        size: The size in bytes; 0 if unknown.
        bytes: The number of bytes read so far.
        line: The number of lines read so far.
    """

    def __init__(self, file: str, errors: str = "strict", *, json_lines: bool = False) -> None:
        """Creates a reader, which opens the file on entering the context.

        Args:
            file: The file; `-` for standard input.
            errors: ``"strict"`` raises on invalid UTF-8, ``"replace"`` replaces it by U+FFFD.
            json_lines: Whether JSON lines are accepted.
        """
        # Imported before anything is written: Python ends by the signal itself, not with exit code 130, if an
        # interrupt occurs while a module's classes are created.
        import piecework.tokenizer._results  # noqa: F401

        self.name = "standard input" if file == STDIN else file
        self.size = self.bytes = self.line = 0
        self._start = b""
        self._file = file
        self._errors = errors
        self._json_lines = json_lines
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        """Opens the file."""
        self._stream: BinaryIO = sys.stdin.buffer
        if self._file == STDIN:
            announce_terminal()
            return self
        from piecework._io.kinds import check_text

        check_text(self._file, "", json_lines=self._json_lines)
        try:
            self._stream = self._stack.enter_context(Path(self._file).open("rb"))
            self.size = Path(self._file).stat().st_size
        except OSError as error:
            raise wrap_os_error(error, self._file) from None
        return self

    def __exit__(self, *_: object) -> None:
        """Closes the file; standard input stays open."""
        self._stack.close()

    def lines(self) -> Iterator[str]:
        """Iterates over the lines without their line ends.

        Raises:
            FileError: The file cannot be read.
            FormatError: The file is not text.
            InvalidUtf8Error: Invalid UTF-8, unless it is replaced.
        """
        try:
            for raw in self._stream:
                self._check_start(raw)
                self.line += 1
                yield self._decoded(raw).removesuffix("\n").removesuffix("\r")
                self.bytes += len(raw)
        except OSError as error:
            raise wrap_os_error(error, self.name) from None

    def progress(self, stage: str) -> Progress:
        """Returns the number of bytes read so far as progress."""
        from piecework._progress import Progress

        return Progress(stage, self.bytes, self.size)

    def _check_start(self, raw: bytes) -> None:
        """Raises the error for a file that is not text, as soon as enough of its first bytes are known."""
        from piecework._io.kinds import START, check_start

        if len(self._start) < START:
            self._start += raw[:START]
            check_start(self._start, self.name, "")

    def _decoded(self, raw: bytes) -> str:
        try:
            return raw.decode("utf-8", self._errors)
        except UnicodeDecodeError as error:
            byte = self.bytes + error.start
            problem = f"invalid UTF-8 in line {self.line} at byte {byte} of the file"
            raise from_undecodable(
                error,
                f"{problem} (0x{raw[error.start]:02x})",
                (self.line, byte),
                hint='pass `errors="replace"` to replace it by U+FFFD',
                place=f"{self.name}: ",
            ) from None


@contextmanager
def of_utf8_alone() -> Iterator[None]:
    """Replaces the hint for invalid UTF-8, for files that no option of the encoding concerns."""
    try:
        yield
    except InvalidUtf8Error as error:
        error.hint = "write it in UTF-8, for example by: iconv -f GB18030 -t UTF-8"
        raise


def words_of(file: str) -> list[str]:
    """Returns the lines of a file that are not empty, without a byte order mark."""
    with of_utf8_alone(), Input(file) as source:
        lines = list(source.lines())
    lines[:1] = [line.removeprefix("\ufeff") for line in lines[:1]]
    return list(filter(None, lines))


@contextmanager
def at_line(name: str, number: int) -> Iterator[None]:
    """Adds the name of the file and the number of the line to errors."""
    try:
        yield
    except PieceworkError as error:
        raise error.at(f"{name}: line {number}") from None
