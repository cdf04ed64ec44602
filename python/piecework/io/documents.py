"""Reads documents from text, JSON lines and Parquet, in batches of bounded size."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from piecework.io.document_batch import WHOLE, Documents, Range, ReadOptions, Skipped
from piecework.io.line_documents import read_line_documents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework.io.sources import Source

__all__ = ["Documents", "Range", "ReadOptions", "Skipped", "read", "split"]


def split(source: Source, part_bytes: int, options: ReadOptions | None = None) -> list[Range]:
    """Returns ranges of a source that together are all of it, for parallel reading.

    Args:
        source: The source, of which at most the metadata is read.
        part_bytes: The number of bytes of a range, as stored; row groups of Parquet are never divided.
        options: The options of :func:`read`.

    Returns:
        The ranges in order; one for compressed files, standard input, documents that are files, and encodings other than
        UTF-8.

    >>> from piecework.io.sources import Source
    >>> split(Source("corpus.txt", 25), 10)
    [Range(start=0, end=8), Range(start=8, end=16), Range(start=16, end=25)]
    """
    options = options or ReadOptions()
    if source.format == "parquet":
        from piecework.io.parquet import split_rows  # requires an extra

        return split_rows(source, part_bytes)
    if not source.size or source.compression or options.per == "file" or options.is_decoded:
        return [WHOLE]
    parts = -(-source.size // max(1, part_bytes))
    bounds = [source.size * part // parts for part in range(parts + 1)]
    return [Range(*bound) for bound in pairwise(bounds)]


def read(
    source: Source,
    options: ReadOptions | None = None,
    *,
    range: Range | None = None,  # noqa: A002  # an argument's name hides nothing here
    batch_bytes: int = 16 << 20,
) -> Iterator[Documents]:
    """Iterates over the documents of a source in batches, in order.

    Args:
        source: The source.
        options: The options; by default those of :class:`ReadOptions`.
        range: The part to read, as :func:`split` returned it; by default all.
        batch_bytes: The maximum number of bytes of the texts of a batch, besides one document that is longer.

    Yields:
        Batches of documents; a batch may have skipped lines alone.

    Raises:
        FileError: The source cannot be read.
        DocumentError: A line or row is no document, with ``on_error="raise"``.
        InvalidUtf8Error: A line is not UTF-8, with ``on_error="raise"``.
        FormatError: The source is damaged or of another format.
        MissingExtraError: The format requires a package that is not installed.
    """
    options, range = options or ReadOptions(), range or WHOLE  # noqa: A001
    if source.format == "parquet":
        from piecework.io.parquet import read_rows  # requires an extra

        return read_rows(source, options, range, batch_bytes)
    return read_line_documents(source, options, range, batch_bytes)
