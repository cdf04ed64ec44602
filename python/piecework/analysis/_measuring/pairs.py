"""Leaves texts out of all groups of parallel texts if the text of the same number is no document in one of them."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from piecework._exceptions import warn
from piecework._io.documents import read
from piecework._messages import shown
from piecework.analysis._measuring import BATCH_BYTES
from piecework.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from piecework._io.document_batch import Documents, ReadOptions, Skipped
    from piecework.analysis._measuring.files import GroupPart


class PartEntries(NamedTuple):
    """Lists the entries of a part, the lines and rows that are documents or skipped.

    Attributes:
        number: The place of the part.
        size: The number of its entries.
        skipped: The numbers of those that are no documents, from 0.
        first_skipped: The first of these.
    """

    number: int
    size: int
    skipped: tuple[int, ...]
    first_skipped: Skipped | None


@dataclass(frozen=True)
class ListEntries:
    """Lists the entries of a part of files; a pure function of the part.

    Attributes:
        readings: How the documents of each group are read.
    """

    readings: Mapping[str | None, ReadOptions]

    def __call__(self, part: GroupPart) -> PartEntries:
        """Returns the entries of a part."""
        count, skipped, first = 0, list[int](), None
        reading = self.readings[part.group]
        for _, source, span in part.ranges:
            for documents in read(source, reading, range=span, batch_bytes=BATCH_BYTES):
                end = count + len(documents) + len(documents.skipped)
                if documents.skipped:
                    skipped += sorted({*range(count, end)}.difference(entries_of(documents, count)))
                count = end
                first = first or next(iter(documents.skipped), None)
        return PartEntries(part.number, count, tuple(skipped), first)


def entries_of(documents: Documents, start: int) -> list[int]:
    """Returns the numbers of documents among the entries of a batch, the first of which has the number `start`."""
    before = np.searchsorted(np.array(documents.skipped_positions, np.int64), documents.positions)
    numbers: list[int] = (np.arange(len(documents)) + before + start).tolist()
    return numbers


def without_skipped_pairs(
    parts: Sequence[GroupPart],
    entries: Mapping[GroupPart, PartEntries],
    groups: Iterable[str | None],
) -> list[GroupPart]:
    """Returns the parts without the entries of which one in any group is no document, and warns of these.

    Parallel texts are those with the same number in their groups, so an entry is skipped in all groups.
    """
    counts = dict.fromkeys(map(str, groups), 0)
    starts, skipped = {}, set[int]()
    for part in parts:
        start, own = counts[str(part.group)], entries[part]
        starts[part] = start
        skipped.update(start + number for number in own.skipped)
        counts[str(part.group)] += own.size
    check_parallel(counts)
    first = next(filter(None, (entries[part].first_skipped for part in parts)), None)
    if first:
        number = "1 text was" if len(skipped) == 1 else f"{len(skipped):,} texts were"
        warn(f"{number} skipped in every group; the first is {first}")
    ordered = sorted(skipped)

    def without(part: GroupPart) -> GroupPart:
        start, size = starts[part], entries[part].size
        inside = ordered[bisect_left(ordered, start) : bisect_left(ordered, start + size)]
        return part._replace(omitted=tuple(number - start for number in inside))

    return [without(part) for part in parts]


def check_parallel(texts: Mapping[str, int]) -> None:
    """Raises ConfigError unless all groups have equally many texts."""
    (first, count), *others = texts.items()
    for name, other in others:
        if other != count:
            raise ConfigError(
                f"{shown(first)} has {count:,} texts and {shown(name)} has {other:,}; parallel texts are equally many",
                setting="parallel",
                hint="leave it out for texts that are no translations of each other",
            )
