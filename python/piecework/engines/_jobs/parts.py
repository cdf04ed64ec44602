"""Divides files of documents into parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from piecework._io.documents import split

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._io.document_batch import Range, ReadOptions
    from piecework._io.sources import Source


class Part(NamedTuple):
    """Describes the input that a worker reads at a time.

    Attributes:
        number: Its place in the plan, from 0.
        ranges: The files, each with its place in the corpus, from 0, and the range that belongs to the part.
        bytes: The number of bytes of the ranges, for progress; approximate for Parquet.
    """

    number: int
    ranges: tuple[tuple[int, Source, Range], ...]
    bytes: int

    @property
    def name(self) -> str:
        """Returns the name of its files."""
        return f"part-{self.number:06}"


def divide(sources: Sequence[Source], part_bytes: int, reading: ReadOptions) -> tuple[Part, ...]:
    """Returns parts that together are all files, in order: small files together, large ones divided.

    Args:
        sources: The files.
        part_bytes: The number of bytes from which on a part ends.
        reading: The options of reading.

    >>> from piecework._io.document_batch import ReadOptions
    >>> from piecework._io.sources import Source
    >>> [part.bytes for part in divide([Source("a.txt", 5), Source("b.txt", 25)], 10, ReadOptions())]
    [13, 17]
    """
    parts: list[Part] = []
    ranges: list[tuple[int, Source, Range]] = []
    size = 0
    for place, source in enumerate(sources):
        spans = split(source, part_bytes, reading)
        for number, span in enumerate(spans):
            ranges.append((place, source, span))
            size += _share(source.size or 0, number, len(spans))
            if size >= part_bytes:
                parts.append(Part(len(parts), tuple(ranges), size))
                ranges, size = [], 0
    if ranges:
        parts.append(Part(len(parts), tuple(ranges), size))
    return tuple(parts)


def _share(size: int, number: int, count: int) -> int:
    """Returns the size of one of equal shares, which add up to the whole."""
    return size * (number + 1) // count - size * number // count
