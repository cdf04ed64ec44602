"""Reads documents from text, JSON lines, Parquet and Arrow files, in batches of bounded size."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING

from piecework._exceptions import warn
from piecework._io.document_batch import WHOLE, Documents, Range, ReadOptions
from piecework._io.extras import import_extra
from piecework._io.line_documents import count_lines, read_line_documents
from piecework._io.sources import STDIN, Source
from piecework.errors import PieceworkError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def read_all(
    sources: Iterable[Source], options: ReadOptions, batch_bytes: int = 16 << 20
) -> Iterator[tuple[Source, Documents, int]]:
    """Iterates over the batches of all sources in order, and warns at the end of what was skipped.

    Args:
        sources: The sources.
        options: The options of :func:`read`.
        batch_bytes: See :func:`read`.

    Yields:
        The source of a batch, the batch, and the number of bytes that were read of all sources, as stored.

    Raises:
        PieceworkError: See :func:`read`.
    """
    skipped, first, finished = 0, None, 0
    for source in sources:
        for documents in read(source, options, batch_bytes=batch_bytes):
            skipped += len(documents.skipped)
            first = first or next(iter(documents.skipped), None)
            yield source, documents, finished + documents.bytes_read
        finished += source.size or 0
    warn_of_skipped(skipped, first)


def warn_of_skipped(count: int, first: object) -> None:
    """Warns of a number of lines and rows that are no documents, with the place and reason of the first, if there is one."""
    if first:
        number = "1 line or row was" if count == 1 else f"{count:,} lines or rows were"
        warn(f"{number} skipped; the first is {first}")


def place_of(source: Source, position: int) -> str:
    """Returns the place of a document at a position of its source, for errors."""
    unit = f"row {position + 1}" if source.is_table else f"the line at byte {position}"
    return f"{source.shown_name}: {unit}"


def place_in(source: Source, documents: Documents, options: ReadOptions, index: int) -> str:
    """Returns the place of a document of a batch that was read from the start of its source, for people.

    Returns:
        The file and the line or row; the file alone if the document is the file.
    """
    if source.format == "text" and options.per == "file":
        return source.shown_name
    if documents.lines is None:
        return place_of(source, int(documents.positions[index]))
    return f"{source.shown_name}: line {int(documents.lines[index]) + 1}"


def find_place(source: Source, position: int, options: ReadOptions) -> str:
    """Returns the place of a document with the number of its line, for which the source is read up to there.

    Args:
        source: The source.
        position: The position of the document.
        options: The options with which it was read.

    Returns:
        The file and the line; the file alone if the document is the file; :func:`place_of` for other documents, and for
        those of standard input and of other encodings than UTF-8, whose lines cannot be counted.
    """
    if source.is_table or source.name == STDIN or options.is_decoded:
        return place_of(source, position)
    if source.format == "text" and options.per == "file":
        return source.shown_name
    return f"{source.shown_name}: line {count_lines(source, position) + 1}"


def split(source: Source, part_bytes: int, options: ReadOptions | None = None) -> list[Range]:
    """Returns ranges of a source that together are all of it, for parallel reading.

    Args:
        source: The source, of which at most the metadata is read.
        part_bytes: The number of bytes of a range, as stored; row groups of Parquet and batches of Arrow are never divided.
        options: The options of :func:`read`.

    Returns:
        The ranges in order; one for compressed files, standard input, documents that are files, and encodings other than
        UTF-8.

    >>> from piecework._io.sources import Source
    >>> split(Source("corpus.txt", 25), 10)
    [Range(start=0, end=8), Range(start=8, end=16), Range(start=16, end=25)]
    """
    options = options or ReadOptions()
    if source.is_table:
        import_extra("pyarrow", "parquet", source.shown_name)
        from piecework._io.tables import split_rows

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
    with naming_file(source):
        if source.is_table:
            import_extra("pyarrow", "parquet", source.shown_name)
            from piecework._io.tables import read_rows

            yield from read_rows(source, options, range, batch_bytes)
        else:
            yield from read_line_documents(source, options, range, batch_bytes)


@contextmanager
def naming_file(source: Source) -> Iterator[None]:
    """Writes the name of a source into the errors of reading it."""
    try:
        yield
    except PieceworkError as error:
        error.file = source.name
        raise
