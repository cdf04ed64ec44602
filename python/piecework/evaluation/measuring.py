"""Measures texts, and the parts of files, with one or several tokenizers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from piecework._core import ArrowTexts, TextMeasures
from piecework.errors import ArrowError, ConfigError, PieceworkError, shown, text_index
from piecework.evaluation.agreement import Agreement
from piecework.evaluation.sums import EXAMPLES, ChangedText, TextSums
from piecework.io.documents import place_of, read

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from piecework.arguments import Specials
    from piecework.io.documents import Documents, Range, ReadOptions, Skipped
    from piecework.io.sources import Source
    from piecework.tokenizer import Tokenizer

__all__ = [
    "GroupPart",
    "GroupSums",
    "ListEntries",
    "MeasurePart",
    "Measures",
    "PartEntries",
    "PartSums",
]

_BATCH_BYTES = 1 << 22
"""The bytes of text that are measured at a time: enough to keep the threads busy, few enough to hold in memory."""
_BEFORE, _AFTER = 20, 40
"""The number of characters of an example before and after its first difference."""
_BLOCK = 4096
"""The number of characters that are compared at a time."""


class TextMeter:
    """Adds up texts for one tokenizer."""

    def __init__(self, tok: Tokenizer, specials: Specials | None, threads: int | None) -> None:
        self._tok, self._specials, self._threads = tok, specials, threads
        # Without truncation, padding and dropout.
        self._options = tok._options(False, specials, None, None, sampling=None)
        self._measures = TextMeasures()
        self._changed: list[ChangedText] = []

    def add(
        self,
        texts: ArrowTexts | Sequence[str],
        place: Callable[[int], tuple[int, int, str]],
    ) -> None:
        """Adds texts, which follow those of earlier calls.

        Args:
            texts: The texts.
            place: Returns for the index of a text the number of its file, its position, and its place for people.
        """
        missing = EXAMPLES - len(self._changed)
        core, threads = self._tok._core, self._threads
        for index in self._measures.add(core, texts, self._options, missing, threads):
            self._changed.append(self._example(texts[index], *place(index)))

    def _example(self, text: str, source: int, position: int, place: str) -> ChangedText:
        ids = self._tok.encode_ids(
            text,
            add_special_tokens=False,
            specials=self._specials,
            truncation=None,
            padding=None,
            sampling=None,
        )
        decoded = self._tok.decode(ids, skip_special_tokens=False)
        start = max(0, _first_difference(text, decoded) - _BEFORE)
        end = start + _BEFORE + _AFTER
        return ChangedText(source, position, place, text[start:end], decoded[start:end])

    def sums(self) -> TextSums:
        """Returns the sums over the texts so far."""
        return TextSums.of(self._measures.figures(), self._changed)


def _first_difference(one: str, other: str) -> int:
    """Returns the index of the first character that differs.

    >>> _first_difference("a" * 5000 + "bc", "a" * 5000 + "bd"), _first_difference("ab", "a")
    (5001, 1)
    """
    start = 0
    while start < len(one) and one[start : start + _BLOCK] == other[start : start + _BLOCK]:
        start += _BLOCK
    pairs = zip(one[start : start + _BLOCK], other[start : start + _BLOCK], strict=False)
    same = [a == b for a, b in pairs]
    return start + (same.index(False) if False in same else len(same))


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


class GroupSums(NamedTuple):
    """Holds the sums over the texts of a group.

    Attributes:
        sums: The sums for each tokenizer.
        agreement: How much of the texts all tokenizers cut in the same way; None unless asked for.
    """

    sums: tuple[TextSums, ...]
    agreement: Agreement | None

    def plus(self, other: GroupSums, most: int) -> GroupSums:
        """Returns the sums of both, with at most the first `most` disagreements."""
        pairs = zip(self.sums, other.sums, strict=True)
        agreement = self.agreement
        if agreement is not None and other.agreement is not None:
            agreement = Agreement.total((agreement, other.agreement), most)
        return GroupSums(tuple(map(TextSums.total, pairs)), agreement)


@dataclass(frozen=True)
class Measures:
    """Defines what is measured, for each group of texts.

    Attributes:
        tokenizers: The tokenizers by name.
        specials: How special tokens in a text are treated.
        disagreements: The maximum number of disagreements to keep; None to count no agreement.
    """

    tokenizers: dict[str, Tokenizer]
    specials: Specials | None
    disagreements: int | None


class GroupMeter:
    """Adds up texts of a group for all tokenizers."""

    def __init__(self, measures: Measures, threads: int | None) -> None:
        tokenizers, specials = measures.tokenizers, measures.specials
        self._meters = {name: TextMeter(tok, specials, threads) for name, tok in tokenizers.items()}
        self._agreement = None
        if measures.disagreements is not None:
            from piecework.evaluation.agreeing import AgreementMeter

            self._agreement = AgreementMeter(tokenizers, measures.disagreements, specials, threads)

    def add(
        self,
        texts: ArrowTexts | Sequence[str],
        place: Callable[[int], tuple[int, int, str]],
    ) -> None:
        """Adds texts, which follow those of earlier calls; arguments as for :meth:`TextMeter.add`."""
        for name, meter in self._meters.items():
            try:
                meter.add(texts, place)
            except PieceworkError as error:
                index = text_index(error)
                if index is not None:
                    error.place = f"{place(index)[2]}: "
                raise (error.at(name) if len(self._meters) > 1 else error) from None
        if self._agreement is not None:
            self._agreement.add([texts[index] for index in range(len(texts))], place)

    def sums(self) -> GroupSums:
        """Returns the sums over the texts so far."""
        sums = tuple(meter.sums() for meter in self._meters.values())
        return GroupSums(sums, None if self._agreement is None else self._agreement.sums())


class PartSums(NamedTuple):
    """Holds the sums over a part.

    Attributes:
        number: The place of the part.
        groups: The sums by group.
        skipped: The number of lines and rows that are no documents.
        first_skipped: The first of them.
    """

    number: int
    groups: dict[str | None, GroupSums]
    skipped: int
    first_skipped: Skipped | None


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

    readings: dict[str | None, ReadOptions]

    def __call__(self, part: GroupPart) -> PartEntries:
        """Returns the entries of a part."""
        count, skipped, first = 0, list[int](), None
        reading = self.readings[part.group]
        for _, source, span in part.ranges:
            for documents in read(source, reading, range=span, batch_bytes=_BATCH_BYTES):
                end = count + len(documents) + len(documents.skipped)
                if documents.skipped:
                    skipped += sorted({*range(count, end)}.difference(_entries(documents, count)))
                count = end
                first = first or next(iter(documents.skipped), None)
        return PartEntries(part.number, count, tuple(skipped), first)


def _entries(documents: Documents, start: int) -> list[int]:
    """Returns the numbers of documents among the entries of a batch, the first of which has the number `start`."""
    import numpy as np

    before = np.searchsorted(np.array(documents.skipped_positions, np.int64), documents.positions)
    numbers: list[int] = (np.arange(len(documents)) + before + start).tolist()
    return numbers


@dataclass(frozen=True)
class MeasurePart:
    """Measures a part of files; a pure function of the part.

    Attributes:
        measures: What is measured.
        readings: How the documents of each group are read.
        member: The member or column whose values are the groups, which is read, too; None for the groups of the parts.
        threads: The number of threads; None for one per core.
    """

    measures: Measures
    readings: dict[str | None, ReadOptions]
    member: str | None
    threads: int | None

    def __call__(self, part: GroupPart) -> PartSums:
        """Returns the sums over the documents of a part."""
        meters: dict[str | None, GroupMeter] = {}
        if self.member is None:
            meters[part.group] = GroupMeter(self.measures, self.threads)
        skipped, first, start = 0, None, 0
        omitted = frozenset(part.omitted)
        reading = self.readings[part.group]
        for number, source, span in part.ranges:
            for documents in read(source, reading, range=span, batch_bytes=_BATCH_BYTES):
                skipped += len(documents.skipped)
                first = first or next(iter(documents.skipped), None)
                texts: ArrowTexts | list[str] = ArrowTexts(documents.texts)
                positions = documents.positions
                if omitted:
                    entries = _entries(documents, start)
                    kept = [at for at, entry in enumerate(entries) if entry not in omitted]
                    texts, positions = [texts[at] for at in kept], positions[kept]
                start += len(documents) + len(documents.skipped)
                if self.member is None:
                    meters[part.group].add(texts, _placing(number, source, positions))
                    continue
                for value, rows in _rows_by_value(documents, self.member, source).items():
                    meter = meters.setdefault(value, GroupMeter(self.measures, self.threads))
                    own = [texts[row] for row in rows]
                    meter.add(own, _placing(number, source, positions[rows]))
        sums = {group: meter.sums() for group, meter in meters.items()}
        return PartSums(part.number, sums, skipped, first)


def _placing(
    number: int, source: Source, positions: NDArray[np.int64]
) -> Callable[[int], tuple[int, int, str]]:
    """Returns the function for the place of a document of a batch."""

    def place(index: int) -> tuple[int, int, str]:
        position = int(positions[index])
        return number, position, place_of(source, position)

    return place


def _rows_by_value(documents: Documents, member: str, source: Source) -> dict[str, list[int]]:
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
    rows: dict[str, list[int]] = {}
    for index in range(len(values)):
        rows.setdefault(values[index], []).append(index)
    return rows
