"""Opens sources: local files, URLs and standard input, decompressed."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

from piecework._io.compression import decompressed
from piecework._io.files import naming_errors
from piecework._io.remote import is_url, open_url
from piecework._io.sources import STDIN, Source

if TYPE_CHECKING:
    from collections.abc import Iterator


class ByteStream:
    """Reads the bytes of a source, decompressed, in blocks.

    Of standard input and pipes a block is what is there, so that lines are read as they come.

    Attributes:
        bytes_read: The number of bytes of the file that were read, as stored.
        is_at_end: Whether all bytes were read.
    """

    __slots__ = ("_file", "_pieces", "_waits", "bytes_read", "is_at_end")

    def __init__(self, file: BinaryIO, source: Source) -> None:
        self._file = file
        self.bytes_read, self.is_at_end = 0, False
        self._pieces: Iterator[bytes] | None = None
        has_size = source.size is not None or source.compression is not None
        self._waits = has_size or not hasattr(file, "read1")
        if source.compression:
            self._pieces = decompressed(self._stored, source.shown_name, source.compression)

    def seek(self, byte: int) -> None:
        """Skips to a byte of an uncompressed file."""
        self._file.seek(byte)

    def read(self, size: int) -> bytes:
        """Returns about `size` bytes; fewer at the end and of a pipe, none only at the end."""
        if self._pieces is None:
            data = self._stored(size)
            self.is_at_end = len(data) < size if self._waits else not data
            return data
        pieces, length = list[bytes](), 0
        for piece in self._pieces:
            pieces.append(piece)
            length += len(piece)
            if length >= size:
                break
        self.is_at_end = length < size
        return b"".join(pieces)

    def _stored(self, size: int) -> bytes:
        """Returns the next bytes as they are stored, and counts them."""
        data = self._file.read(size) if self._waits else self._file.read1(size)  # type: ignore[attr-defined]  # has it
        self.bytes_read += len(data)
        return data


@contextmanager
def open_file(source: Source) -> Iterator[BinaryIO]:
    """Opens the bytes of a source as they are stored; errors of the operating system name it.

    Raises:
        FileError: The source cannot be opened or read.
        MissingExtraError: The source is a URL that requires a package that is not installed.
    """
    with naming_errors(source.shown_name):
        if source.name == STDIN:
            yield sys.stdin.buffer
            return
        with open_url(source.name) if is_url(source.name) else open(source.name, "rb") as file:
            yield file


@contextmanager
def open_stream(source: Source) -> Iterator[ByteStream]:
    """Opens the decompressed bytes of a source; see :func:`open_file`."""
    with open_file(source) as file:
        yield ByteStream(file, source)
