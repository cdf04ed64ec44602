"""Reads the documents of text files and JSON lines."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from piecework import _core
from piecework._exceptions import from_undecodable
from piecework._io.document_batch import DEFAULT_FIELD, Documents, Range, ReadOptions, Skipped
from piecework._io.kinds import START, check_documents, check_start
from piecework._io.lines import (
    SAMPLE,
    InvalidBytes,
    codec_name,
    decode_blocks,
    encoding_of,
    likely_encoding,
)
from piecework._io.opening import ByteStream, open_stream
from piecework._io.sources import Source, describe_name
from piecework.errors import DocumentError, PieceworkError

if TYPE_CHECKING:
    from collections.abc import Iterator

_AFTER_RANGE = 1 << 16
"""The number of bytes after a range that are read at a time to finish its last line."""
_START = 1 << 16
"""The number of bytes by which the format of a file is recognized."""
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
        blocks: ByteStream | _Transcoder = stream
        if options.is_decoded:
            blocks = _Transcoder(stream, source.shown_name, options)
            faults.codec = blocks.changed_from
        if first:
            stream.seek(first)
        position, start, is_checked = first, b"", first > 0
        while not reader.is_finished:
            remaining = None if part.end is None else part.end - position
            block = blocks.read(_block_size(reader.pending, remaining, batch_bytes))
            if not is_checked:
                start += block  # the first block of a pipe may be a single line
                check_start(start, source.shown_name)
                is_checked = blocks.is_at_end or len(start) >= _START
                if is_json or (is_checked and not source.is_given):
                    check_documents(start, source.shown_name, is_json=is_json)
            before, position = position, position + len(block)
            parsed = reader.read(block, blocks.is_at_end)
            skipped = faults.skipped(
                parsed.faults, block, is_first=not before and not len(parsed.texts)
            )
            if len(parsed.texts) or skipped:
                kept = dict(zip(options.keep, parsed.kept, strict=False))
                yield Documents(
                    parsed.texts,
                    kept,
                    skipped,
                    [fault.start for fault in parsed.faults],
                    bytes_read=stream.bytes_read,
                    text_bytes=parsed.texts.nbytes,
                    get_positions=partial(getattr, parsed, "positions"),
                    get_lines=partial(getattr, parsed, "lines"),
                )


def _block_size(pending: int, remaining: int | None, batch_bytes: int) -> int:
    """Returns the number of bytes to read next: a batch with the unfinished line, or more of a line over a batch."""
    size = batch_bytes - pending if pending < batch_bytes else batch_bytes
    return size if remaining is None else min(size, max(remaining, 0) + _AFTER_RANGE)


class _Transcoder:
    """Reads blocks of bytes in any encoding as UTF-8.

    Attributes:
        changed_from: The codec of the bytes, if those of the UTF-8 can differ from them; else None.
        is_at_end: Whether all bytes were read.
    """

    def __init__(self, stream: ByteStream, name: str, options: ReadOptions) -> None:
        is_unknown = options.encoding == "auto"
        start = _start(stream) if is_unknown else stream.read(START)
        check_start(start, name)
        encoding = encoding_of(start, whole=len(start) < SAMPLE) if is_unknown else options.encoding
        codec = codec_name(encoding or "utf-8", options.errors)
        # To skip a line, its invalid bytes become surrogates, which are invalid in UTF-8.
        skips = options.errors == "strict" and options.on_error == "skip"
        errors = "surrogateescape" if skips else options.errors
        self.changed_from = None if (codec, errors) == ("utf-8", "strict") else codec
        self._name, self._lines, self.is_at_end, self._skips = name, 0, False, skips
        self._texts = decode_blocks(start, stream.read, codec, errors)

    def read(self, _size: int) -> bytes:
        """Returns the UTF-8 of the next block; none only at the end."""
        try:
            text = next(filter(None, self._texts), "")
        except InvalidBytes as error:
            remedies = [] if self._skips else ['`on_error="skip"` to skip such lines']
            raise error.located(self._name, self._lines, remedies) from None
        self._lines += text.count("\n")
        self.is_at_end = not text
        return text.encode("utf-8", "surrogatepass")


def _start(stream: ByteStream) -> bytes:
    """Returns the first bytes of a stream, by which its encoding is detected."""
    start = b""
    while len(start) < SAMPLE and (block := stream.read(SAMPLE - len(start))):
        start += block
    return start


def count_lines(source: Source, end: int) -> int:
    """Returns the number of line ends before a byte of a source, decompressed, which is read up to there."""
    count = 0
    with open_stream(source) as stream:
        while end > 0 and (data := stream.read(min(_COUNTED, end))[:end]):
            count += data.count(b"\n")
            end -= len(data)
    return count


class _Faults:
    """Converts the faults of a reader, whose lines are counted from the first byte that was read.

    Attributes:
        codec: The codec from which the reader's bytes were transcoded, so that their offsets are not those of the file; None
            for those of the file.
    """

    def __init__(self, source: Source, options: ReadOptions, first: int) -> None:
        self._source, self._options, self._first = source, options, first
        self._lines_before: int | None = None if first else 0
        self.codec: str | None = None

    def skipped(
        self, faults: list[_core.LineFault], block: bytes, *, is_first: bool
    ) -> list[Skipped]:
        """Returns the skipped lines; raises for the first one unless they are skipped.

        Args:
            faults: The faults.
            block: The bytes in which they were found.
            is_first: Whether the first fault is that of the first document of the file.
        """
        if faults and self._options.on_error == "raise":
            raise self._error(faults[0], block, is_first=is_first)
        return [
            Skipped(
                self._source.shown_name,
                self._line(fault.line),
                self._byte(fault),
                self._reason(fault),
            )
            for fault in faults
        ]

    def _byte(self, fault: _core.LineFault) -> int | None:
        """Returns the byte of the file with a fault; None if it is unknown."""
        return fault.byte if self.codec is None else None

    def _reason(self, fault: _core.LineFault) -> str:
        is_invalid = self.codec is not None and fault.invalid_byte is not None
        return f"invalid bytes in {self.codec}" if is_invalid else fault.reason

    def _line(self, line: int) -> int:
        """Returns the number of a line, from 1, after counting the lines before the first byte that was read."""
        if self._lines_before is None:
            self._lines_before = count_lines(self._source, self._first)
        return self._lines_before + line + 1

    def _error(self, fault: _core.LineFault, block: bytes, *, is_first: bool) -> PieceworkError:
        """Returns the exception for a fault."""
        from piecework._io.remedies import bytes_remedy

        line, value = self._line(fault.line), fault.invalid_byte
        place, byte = f"{self._source.shown_name}: ", self._byte(fault)
        if value is not None:
            reason = f"{self._reason(fault)} in line {line}"
            if byte is not None:
                reason = f"invalid UTF-8 in line {line} at byte {byte} of the file (0x{value:02x})"
            cause = UnicodeDecodeError("utf-8", bytes([value]), 0, 1, reason)
            hint = bytes_remedy(likely_encoding(block))
            return from_undecodable(cause, reason, (line, byte), hint=hint, place=place)
        hint = self._hint(fault, block, is_first=is_first)
        where = f"line {line}" if byte is None else f"line {line}, byte {byte}"
        error = DocumentError(fault.reason, place=f"{place}{where}: ", hint=hint)
        error.line, error.byte = line, byte
        return error

    def _hint(self, fault: _core.LineFault, block: bytes, *, is_first: bool) -> str:
        """Returns the remedy for a fault other than invalid UTF-8."""
        from piecework._io.remedies import line_remedy, several_lines_remedy

        name = self._source.shown_name
        if is_first and fault.kind == "unfinished JSON" and _continues(block, fault.start):
            return several_lines_remedy(name)
        is_text = self._options.field and describe_name(name)[0] == "text"
        if is_first and is_text and fault.kind in {"invalid JSON", "not an object"}:
            return "leave out `field` to read lines of text"
        return line_remedy(fault.kind, fault.field)


def _continues(block: bytes, start: int) -> bool:
    """Returns whether the lines after the line at `start` go on with its value, and begin no other object."""
    rest = block[start:].partition(b"\n")[2].lstrip()
    return bool(rest) and not rest.startswith(b"{")
