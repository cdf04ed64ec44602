"""Reads the documents of text files and JSON lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework import _core
from piecework.errors import DocumentError, from_utf8
from piecework.io.document_batch import DEFAULT_FIELD, Documents, Skipped
from piecework.io.kinds import check_documents, check_start
from piecework.io.lines import SAMPLE, InvalidBytes, codec_name, decode_blocks, encoding_of
from piecework.io.opening import open_stream

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework.errors import PieceworkError
    from piecework.io.document_batch import Range, ReadOptions
    from piecework.io.opening import ByteStream
    from piecework.io.sources import Source

__all__ = ["count_lines", "read_line_documents"]

_AFTER_RANGE = 1 << 16
"""The number of bytes after a range that are read at a time to finish its last line."""
_COUNTED = 1 << 20
"""The number of bytes whose lines are counted at a time."""


def read_line_documents(
    source: Source, options: ReadOptions, part: Range, batch_bytes: int
) -> Iterator[Documents]:
    """Iterates over the documents of text or JSON lines."""
    is_json = source.format == "jsonl"
    # A line belongs to the range if the byte before it does not end a line of the range before.
    first = max(0, part.start - 1)
    reader = _core.DocumentReader(
        members=(options.field or DEFAULT_FIELD, list(options.keep)) if is_json else None,
        whole=options.per == "file",
        keep_line_ends=options.keep_line_ends,
        stop=options.on_error == "raise",
        span=(first, part.start > 0, part.end),
    )
    faults = _Faults(source, options, first)
    with open_stream(source) as stream:
        blocks = _blocks(stream, source, options)
        if first:
            stream.seek(first)
        position = first
        while not reader.is_finished:
            remaining = None if part.end is None else part.end - position
            block = blocks.read(_block_size(reader.pending, remaining, batch_bytes))
            if not position:
                check_start(block, source.shown_name, "")
                check_documents(block, source.shown_name, is_json=is_json)
            position += len(block)
            parsed = reader.read(block, blocks.is_at_end)
            skipped = faults.skipped(parsed.faults)
            if len(parsed.texts) or skipped:
                kept = dict(zip(options.keep, parsed.kept, strict=False))
                yield Documents(
                    parsed.texts,
                    parsed.positions,
                    kept,
                    skipped,
                    [position for _, position, *_ in parsed.faults],
                    bytes_read=stream.bytes_read,
                    text_bytes=parsed.texts.nbytes,
                )


def _block_size(pending: int, remaining: int | None, batch_bytes: int) -> int:
    """Returns the number of bytes to read next: a batch with the unfinished line, or more of a line over a batch."""
    size = batch_bytes - pending if pending < batch_bytes else batch_bytes
    return size if remaining is None else min(size, max(remaining, 0) + _AFTER_RANGE)


def _blocks(stream: ByteStream, source: Source, options: ReadOptions) -> ByteStream | _Transcoder:
    """Returns the UTF-8 bytes of a source in blocks."""
    if not options.is_decoded:
        return stream
    return _Transcoder(stream, source.shown_name, options)


class _Transcoder:
    """Reads blocks of bytes in any encoding as UTF-8.

    Attributes:
        is_at_end: Whether all bytes were read.
    """

    def __init__(self, stream: ByteStream, name: str, options: ReadOptions) -> None:
        start = stream.read(SAMPLE) if options.encoding == "auto" else b""
        encoding = encoding_of(start, whole=len(start) < SAMPLE) if start else options.encoding
        codec = codec_name("utf-8" if encoding in (None, "auto") else encoding, options.errors)
        # To skip a line, its invalid bytes become surrogates, which are invalid in UTF-8.
        skips = options.errors == "strict" and options.on_error == "skip"
        errors = "surrogateescape" if skips else options.errors
        self._name, self._lines, self.is_at_end = name, 0, False
        self._texts = decode_blocks(_Prefixed(start, stream), name, codec, errors)

    def read(self, _size: int) -> bytes:
        """Returns the UTF-8 of the next block; none only at the end."""
        try:
            text = next(filter(None, self._texts), "")
        except InvalidBytes as error:
            raise error.located(self._name, self._lines) from None
        self._lines += text.count("\n")
        self.is_at_end = not text
        return text.encode("utf-8", "surrogatepass")


class _Prefixed:
    """Reads bytes that were read before, and then a stream."""

    def __init__(self, start: bytes, stream: ByteStream) -> None:
        self._start, self._stream = start, stream

    def read(self, size: int) -> bytes:
        """Returns the next bytes; none only at the end."""
        start, self._start = self._start, b""
        return start or self._stream.read(size)


def count_lines(source: Source, end: int) -> int:
    """Returns the number of line ends before a byte of a source, decompressed, which is read up to there."""
    count = 0
    with open_stream(source) as stream:
        while end > 0 and (data := stream.read(min(_COUNTED, end))[:end]):
            count += data.count(b"\n")
            end -= len(data)
    return count


class _Faults:
    """Converts the faults of a reader, whose lines are counted from the first byte that was read."""

    def __init__(self, source: Source, options: ReadOptions, first: int) -> None:
        self._source, self._options, self._first = source, options, first
        self._lines_before: int | None = None if first else 0

    def skipped(self, faults: list[tuple[int, int, int, str, int | None]]) -> list[Skipped]:
        """Returns the skipped lines; raises for the first one unless they are skipped."""
        if faults and self._options.on_error == "raise":
            raise self._error(faults[0])
        return [
            Skipped(self._source.name, self._line(line), byte, reason)
            for line, _, byte, reason, _ in faults
        ]

    def _line(self, line: int) -> int:
        """Returns the number of a line, from 1, after counting the lines before the first byte that was read."""
        if self._lines_before is None:
            self._lines_before = count_lines(self._source, self._first)
        return self._lines_before + line + 1

    def _error(self, fault: tuple[int, int, int, str, int | None]) -> PieceworkError:
        """Returns the exception for a fault."""
        relative, _, byte, reason, invalid = fault
        line, name = self._line(relative), self._source.shown_name
        if invalid is not None:
            problem = f"invalid UTF-8 in line {line} at byte {byte} of the file (0x{invalid:02x})"
            return from_utf8(f"{name}: ", problem, invalid, line, byte)
        error = DocumentError(
            reason, place=f"{name}: line {line}, byte {byte}: ", hint=self._hint()
        )
        error.line, error.byte = line, byte
        return error

    def _hint(self) -> str:
        choose = "" if self._options.field else "pass `field=...`, the member with the text, or "
        return f'{choose or "pass "}`on_error="skip"` to skip such lines'
