"""Measures files in parts that any engine can run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from piecework._core import ArrowTexts
from piecework._io.document_batch import DEFAULT_FIELD
from piecework._io.documents import find_place, place_in, place_of, read, warn_of_skipped
from piecework._io.sources import Source, total_size
from piecework._messages import shown
from piecework.analysis._measuring import BATCH_BYTES, S
from piecework.analysis._measuring.pairs import (
    ListEntries,
    PartEntries,
    entries_of,
    without_skipped_pairs,
)
from piecework.engines._jobs.parts import divide
from piecework.errors import ArrowError, ConfigError, WorkerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from piecework._io.corpus import Corpus
    from piecework._io.document_batch import Documents, Range, ReadOptions, Skipped
    from piecework.analysis._measuring import Meter, NewMeter, Place, Report
    from piecework.engines import Engine

PART_BYTES = 1 << 25
"""The bytes of files that are measured as one part."""


def measure_files(
    new_meter: NewMeter[S],
    groups: Mapping[str | None, Corpus],
    *,
    member: str | None = None,
    is_parallel: bool = False,
    part_bytes: int | None = None,
    engine: Engine | None,
    report: Report,
) -> dict[str | None, S]:
    """Returns the sums over the files of each group.

    Args:
        new_meter: Makes a meter of no texts.
        groups: The files of each group; the group None has all files if there are no groups, or those of a member.
        member: The member or column whose values are the groups.
        is_parallel: Whether the texts of the groups are translations of each other, so that they are skipped together.
        part_bytes: The bytes of input that are measured as one part; None for `PART_BYTES`.
        engine: Where the parts run.
        report: The callback for the bytes that were read, and all of them.
    """
    if member is not None:
        _check_member(member, groups.values())
        groups = {name: each._with(keep=(member,)) for name, each in groups.items()}
    readings = {name: each._reading for name, each in groups.items()}
    files = [(source, each._reading) for each in groups.values() for source in each._sources]
    parts = list(_parts(groups, part_bytes or PART_BYTES))
    if is_parallel and any(each.on_error == "skip" for each in readings.values()):
        entries = dict(_results(ListEntries(readings), parts, engine))
        parts = without_skipped_pairs(parts, entries, groups)
    total, done, skipped, first = total_size(source for source, _ in files), 0, 0, None
    sums: dict[str | None, S] = {}
    if member is None:
        sums = {name: new_meter().sums() for name in groups}
    of_part = _MeasurePart(new_meter, readings, member)
    for part, result in _results(of_part, parts, engine):
        for name, each in result.groups.items():
            sums[name] = sums[name].plus(each) if name in sums else each
        skipped, first = skipped + result.skipped, first or result.first_skipped
        done += part.bytes
        report(done, total)
    if not is_parallel:
        warn_of_skipped(skipped, first)
    return {name: each.placed(_placing_of(files)) for name, each in sums.items()}


def _check_member(member: str, corpora: Iterable[Corpus]) -> None:
    """Raises ConfigError for the member that has the texts themselves."""
    if any(member == (each._reading.field or DEFAULT_FIELD) for each in corpora):
        raise ConfigError(f"the member {shown(member)} has the texts themselves", setting="by")


class GroupPart(NamedTuple):
    """Describes a part of the files of a group.

    Attributes:
        number: Its place among all parts, from 0.
        group: The name of the group; None if the files have none.
        ranges: The number of each file, the file, and the range that belongs to the part.
        bytes: The number of bytes of the ranges, for progress; approximate for tables.
        omitted: The entries that are left out, whose numbers count the lines and rows of the part that are documents or
            skipped, from 0; in ascending order.
    """

    number: int
    group: str | None
    ranges: tuple[tuple[int, Source, Range], ...]
    bytes: int
    omitted: tuple[int, ...] = ()


def _parts(groups: Mapping[str | None, Corpus], part_bytes: int) -> Iterator[GroupPart]:
    """Iterates over the parts of all groups; a part belongs to one group."""
    number = first = 0
    for group, corpus in groups.items():
        for part in divide(corpus._sources, part_bytes, corpus._reading):
            numbered = tuple((first + place, source, span) for place, source, span in part.ranges)
            yield GroupPart(number, group, numbered, part.bytes)
            number += 1
        first += len(corpus._sources)


class _PartSums(NamedTuple):
    """Holds the sums over a part by group, the number of lines and rows that are no documents, and the first of them."""

    number: int
    groups: Mapping[str | None, Any]
    skipped: int
    first_skipped: Skipped | None


R = TypeVar("R", _PartSums, PartEntries)


def _results(
    fn: Callable[[GroupPart], R], parts: Sequence[GroupPart], engine: Engine | None
) -> Iterator[tuple[GroupPart, R]]:
    """Iterates over the parts with their results, each once, in order."""
    results = map(fn, parts) if engine is None else engine.run(fn, parts)
    waiting: dict[int, R] = {}
    for part in parts:
        while part.number not in waiting:
            result = next(results, None)
            if result is None:
                raise WorkerError(f"the engine returned no result for part {part.number}")
            if result.number >= part.number:  # an engine may run a part twice
                waiting[result.number] = result
        yield part, waiting.pop(part.number)


@dataclass(frozen=True)
class _MeasurePart(Generic[S]):
    """Measures a part of files; a pure function of the part.

    Attributes:
        new_meter: Makes a meter of no texts.
        readings: How the documents of each group are read.
        member: The member or column whose values are the groups, which is read, too; None for the groups of the parts.
    """

    new_meter: NewMeter[S]
    readings: dict[str | None, ReadOptions]
    member: str | None

    def __call__(self, part: GroupPart) -> _PartSums:
        """Returns the sums over the documents of a part."""
        meters: dict[str | None, Meter[S]] = {}
        skipped, first, start = 0, None, 0
        omitted = frozenset(part.omitted)
        reading = self.readings[part.group]
        for number, source, span in part.ranges:
            # Only the lines of the first range of a file are known to be those of the file.
            options = reading if span.start == 0 else None
            for documents in read(source, reading, range=span, batch_bytes=BATCH_BYTES):
                skipped += len(documents.skipped)
                first = first or next(iter(documents.skipped), None)
                groups: Mapping[str | None, Sequence[int]] = (
                    {part.group: _without(omitted, documents, start)}
                    if self.member is None
                    else _rows_by_value(documents, self.member, source)
                )
                for group, rows in groups.items():
                    texts: ArrowTexts | list[str] = ArrowTexts(documents.texts)
                    if len(rows) < len(texts):
                        texts = [texts[row] for row in rows]
                    if group not in meters:
                        meters[group] = self.new_meter()
                    meters[group].add(texts, _placing(number, source, documents, rows, options))
                start += len(documents) + len(documents.skipped)
        sums = {group: meter.sums() for group, meter in meters.items()}
        return _PartSums(part.number, sums, skipped, first)


def _without(omitted: frozenset[int], documents: Documents, start: int) -> Sequence[int]:
    """Returns the documents of a batch that are not left out; `start` is the number of its first entry."""
    if not omitted:
        return range(len(documents))
    entries = enumerate(entries_of(documents, start))
    return [row for row, entry in entries if entry not in omitted]


def _placing(
    number: int,
    source: Source,
    documents: Documents,
    rows: Sequence[int],
    options: ReadOptions | None,
) -> Callable[[int], Place]:
    """Returns the function for the place of one of some documents of a batch; with the options its lines are those of the file."""

    def place(index: int) -> Place:
        row = rows[index]
        position = int(documents.positions[row])
        if options is None:
            return number, position, place_of(source, position)
        return number, position, place_in(source, documents, options, row)

    return place


def _placing_of(
    files: Sequence[tuple[Source, ReadOptions]],
) -> Callable[[int, int, str], str]:
    """Returns the function for the file and line of a text that is kept; a file is read again for a line that is not known."""

    def place(number: int, position: int, known: str) -> str:
        source, reading = files[number]
        return (
            find_place(source, position, reading) if known == place_of(source, position) else known
        )

    return place


def _rows_by_value(
    documents: Documents, member: str, source: Source
) -> dict[str | None, list[int]]:
    """Returns the documents of each value of a member or column."""
    if not len(documents):
        return {}
    if member not in documents.kept:
        problem = f"lines of text have no member {shown(member)}"
        hint = 'pass `by="file"`'
        raise ConfigError(problem, setting="by", place=f"{source.shown_name}: ", hint=hint)
    try:
        values = ArrowTexts(documents.kept[member])
    except ArrowError as error:
        found = error.problem.partition(";")[0]
        problem = f"expected a string {shown(member)} in every document; {found}"
        hint = "pass the name of another member, or texts that have it"
        place = f"{source.shown_name}: "
        raise ConfigError(problem, setting="by", place=place, hint=hint) from None
    rows: dict[str | None, list[int]] = {}
    for index in range(len(values)):
        rows.setdefault(values[index], []).append(index)
    return rows
