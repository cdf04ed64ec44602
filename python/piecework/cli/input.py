"""Reads the lines of a file or of standard input."""

from __future__ import annotations

import sys
from collections import deque
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Self, TypeVar

from piecework.cli.streams import report
from piecework.errors import (
    ConfigError,
    PieceworkError,
    from_undecodable,
    wrap_os_error,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from piecework.io.documents import ReadOptions
    from piecework.io.sources import Source
    from piecework.results import Progress

__all__ = [
    "STDIN",
    "DocumentInput",
    "Input",
    "at_line",
    "open_inputs",
    "stdin_lines",
    "without_end",
]

_ONLY_TEXT = "text 0: "
"""The place of an error in a batch of one line, which the number of the line replaces."""

Result = TypeVar("Result")

STDIN = "-"
_LINES = 4096
_CHARACTERS = 1 << 22
"""The size of a batch in lines and in characters: enough to keep the threads busy, few enough to hold in memory."""


class Input:
    """Reads the lines of a file or of standard input, and counts what it has read.

    Attributes:
        file: The name as given.
        name: The name in messages.
        size: The size in bytes; 0 if unknown.
        bytes: The number of bytes read so far.
        line: The number of lines read so far.
    """

    def __init__(
        self,
        file: str,
        errors: str = "strict",
        command: str | None = None,
        *,
        json_lines: bool = False,
    ) -> None:
        """Creates a reader, which opens the file on entering the context.

        Args:
            file: The file; `-` for standard input.
            errors: ``"strict"`` raises on invalid UTF-8, ``"replace"`` replaces it by U+FFFD.
            command: The command that reads text from standard input. If given, a file that is not text is an error that
                names a conversion for this command.
            json_lines: Whether JSON lines are accepted.
        """
        # Imported before anything is written: Python ends by the signal itself, not with exit code 130, if an
        # interrupt occurs while a module's classes are created.
        import piecework.results  # noqa: F401

        self.name = "standard input" if file == STDIN else file
        self.size = self.bytes = self.line = 0
        self._start = b""
        self.file = file
        self._errors = errors
        self._command = command
        self._json_lines = json_lines
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        """Opens the file."""
        self._stream: BinaryIO = sys.stdin.buffer
        if self.file == STDIN:
            if sys.stdin.isatty():
                report("reading from the terminal; press Ctrl-D to end the input")
            return self
        if self._command:
            from piecework.io import check_text

            check_text(self.file, self._command, json_lines=self._json_lines)
        try:
            self._stream = self._stack.enter_context(Path(self.file).open("rb"))
            self.size = Path(self.file).stat().st_size
        except OSError as error:
            raise wrap_os_error(error, self.file) from None
        return self

    def __exit__(self, *_: object) -> None:
        """Closes the file; standard input stays open."""
        self._stack.close()

    def raw_lines(self) -> Iterator[str]:
        """Iterates over the lines with their line ends.

        Raises:
            FileError: The file cannot be read.
            InvalidUtf8Error: Invalid UTF-8, unless it is replaced.
        """
        try:
            for raw in self._stream:
                if self._command:
                    self._check_start(raw)
                self.line += 1
                yield self._decoded(raw)
                self.bytes += len(raw)
        except OSError as error:
            raise wrap_os_error(error, self.name) from None

    def lines(self) -> Iterator[str]:
        """Iterates over the lines without their line ends; for errors see :meth:`raw_lines`."""
        return map(without_end, self.raw_lines())

    def batches(self, lines: int | None = None) -> Iterator[list[str]]:
        """Iterates over lists of at most `lines` lines with line ends; for errors see :meth:`raw_lines`."""
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

    def apply(self, work: Callable[[list[str]], Result], lines: list[str]) -> Result:
        """Returns the result of a function for the lines read last; an error names the first invalid line."""
        try:
            return work(lines)
        except PieceworkError as error:
            if isinstance(error, ConfigError) or error.setting:  # which does not depend on a line
                error.place = ""
                raise
            for number, line in enumerate(lines, self.line - len(lines) + 1):
                with _at_place(self._place(number)):
                    work([line])
            raise

    def _place(self, number: int) -> str:
        """Returns the place of a line, for errors."""
        return f"{self.name}: line {number}"

    def text(self, line: str) -> str:
        """Returns the text of a line that :meth:`batches` returned."""
        return without_end(line)

    def progress(self, stage: str) -> Progress:
        """Returns the number of bytes read so far as progress."""
        from piecework.results import Progress

        return Progress(stage, self.bytes, self.size)

    def _check_start(self, raw: bytes) -> None:
        """Raises the error for a file that is not text, as soon as enough of its first bytes are known."""
        from piecework.io import START, check_start

        if self._command and len(self._start) < START:
            self._start += raw[:START]
            check_start(self._start, self.name, self._command)

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


def without_end(line: str) -> str:
    """Returns a line without its line feed, and without a carriage return before it."""
    return line.removesuffix("\n").removesuffix("\r")


class DocumentInput(Input):
    """Reads the texts of documents instead of lines; they have no line ends.

    Attributes:
        line: The number of documents read so far.
        bytes: The number of bytes of their texts.
    """

    def __init__(self, sources: Sequence[Source], reading: ReadOptions) -> None:
        """Creates a reader of all sources in order."""
        from piecework.io.sources import total_size

        super().__init__(sources[0].name if len(sources) == 1 else "the documents")
        self._sources, self._reading = sources, reading
        self._places: deque[tuple[Source, int]] = deque(maxlen=_LINES)
        self._stored = 0
        self.size = total_size(sources)

    def __enter__(self) -> Self:
        """Returns the reader, which opens its files when it reads them."""
        return self

    def raw_lines(self) -> Iterator[str]:
        """Iterates over the texts."""
        from piecework._core import ArrowTexts
        from piecework.io.documents import read_all

        for source, documents, stored in read_all(self._sources, self._reading):
            self._stored = stored
            texts = ArrowTexts(documents.texts)
            for index in range(len(texts)):
                self.line += 1
                text = texts[index]
                self._places.append((source, int(documents.positions[index])))
                yield text
                self.bytes += len(text.encode())

    def _place(self, number: int) -> str:
        """Returns the place of a document; that of an old one is unknown."""
        from piecework.io.documents import place_of

        index = number - self.line - 1 + len(self._places)
        return place_of(*self._places[index]) if index >= 0 else f"document {number}"

    def text(self, line: str) -> str:
        """Returns the text of a document."""
        return line

    def progress(self, stage: str) -> Progress:
        """Returns the number of stored bytes read so far as progress."""
        from piecework.results import Progress

        return Progress(stage, self._stored, self.size)


def open_inputs(file: str, reading: ReadOptions, command: str) -> list[Input]:
    """Returns the readers of what a file names: of the lines of a text file, or of the documents of each source.

    Args:
        file: The file, folder, pattern or URL; `-` for standard input.
        reading: The options of reading.
        command: The command that reads text from standard input; see :class:`Input`.
    """
    from piecework.io.documents import find_documents

    sources = find_documents(file, reading)
    if sources is None:
        return [Input(file, reading.errors, command)]
    return [DocumentInput([source], reading) for source in sources]


@contextmanager
def _at_place(place: str) -> Iterator[None]:
    """Adds the place of a line or document to errors."""
    try:
        yield
    except PieceworkError as error:
        error.place = error.place.removeprefix(_ONLY_TEXT)
        raise error.at(place) from None


def at_line(name: str, number: int) -> AbstractContextManager[None]:
    """Adds the name of the file and the number of the line to errors."""
    return _at_place(f"{name}: line {number}")


def stdin_lines(command: str, errors: str) -> Iterator[str]:
    """Iterates over the lines of standard input; `command` and `errors` as for :class:`Input`."""
    with Input(STDIN, errors, command) as source:
        yield from source.lines()
