"""Decompresses gzip and Zstandard, of any number of members or frames."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from piecework._io.extras import import_extra
from piecework.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class _Kind(NamedTuple):
    """Describes a kind of compression.

    Attributes:
        part: The name of what a file is a sequence of.
        block: The number of bytes that are decompressed at a time: 128 MiB at most, whatever they contain.
        start: Returns a decompressor of one part, such as ``zlib.decompressobj``.
        errors: The exceptions for damaged data.
        padding: The bytes that may follow the last part.
    """

    part: str
    block: int
    start: Callable[[], Any]
    errors: tuple[type[Exception], ...]
    padding: bytes = b""


def decompressed(read: Callable[[int], bytes], name: str, compression: str) -> Iterator[bytes]:
    """Iterates over the decompressed bytes of a file in small blocks.

    Args:
        read: Returns the next bytes of the file, of a number at most; none only at the end.
        name: The name of the file, for errors.
        compression: ``"gzip"`` or ``"zstd"``.

    Yields:
        The bytes; blocks are not empty.

    Raises:
        FormatError: The file is empty, truncated or damaged.
        MissingExtraError: Zstandard requires a package that is not installed.
    """
    kind = _gzip() if compression == "gzip" else _zstd(name)
    position, part, data = 0, None, read(kind.block)
    if not data:
        raise _error(name, f"the file is empty; expected a {kind.part}")
    while data:
        part = part or kind.start()
        try:
            block = part.decompress(data)
        except kind.errors as error:
            problem = f"damaged {kind.part} within {len(data)} bytes from byte {position} of the file on: {error}"
            raise _error(name, problem) from None
        if block:
            yield block
        rest = part.unused_data if part.eof else b""
        position += len(data) - len(rest)
        if part.eof:
            part = None
        data = rest or read(kind.block)
        while kind.padding and part is None and data and not data.strip(kind.padding):
            position += len(data)
            data = read(kind.block)
    if part:
        raise _error(
            name, f"the file ends at byte {position} within a {kind.part}; it is truncated"
        )


def _error(name: str, problem: str) -> FormatError:
    return FormatError(problem, place=f"{name}: ", hint="download or compress the file again")


def _gzip() -> _Kind:
    import zlib

    # Data expands at most 1032 times; 31 stands for the header and the checksum of gzip.
    start = partial(zlib.decompressobj, wbits=31)
    return _Kind("gzip member", 1 << 16, start, (zlib.error,), b"\0")


def _zstd(name: str) -> _Kind:
    # Four bytes can expand to a block of 128 KiB.
    if sys.version_info >= (3, 14):
        zstd = import_extra("compression.zstd", "zstd", name)
        return _Kind("Zstandard frame", 1 << 12, zstd.ZstdDecompressor, (zstd.ZstdError,))
    zstandard = import_extra("zstandard", "zstd", name)
    start = zstandard.ZstdDecompressor().decompressobj
    return _Kind("Zstandard frame", 1 << 12, start, (zstandard.ZstdError,))
