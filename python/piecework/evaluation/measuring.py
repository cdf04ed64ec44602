"""Measures texts, and the parts of files, with one or several tokenizers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from piecework._core import ArrowTexts, TextMeasures
from piecework.errors import PieceworkError
from piecework.evaluation.sums import EXAMPLES, ChangedText, TextSums
from piecework.io.documents import locate_error, place_of, read

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from piecework.arguments import Specials
    from piecework.io.documents import Documents, Range, ReadOptions, Skipped
    from piecework.io.sources import Source
    from piecework.tokenizer import Tokenizer

__all__ = ["GroupPart", "ListEntries", "MeasurePart", "PartEntries", "PartSums", "TextMeter"]

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
        group: The index of the group.
        ranges: The number of each file, the file, and the range that belongs to the part.
        bytes: The number of bytes of the ranges, for progress; approximate for tables.
        omitted: The entries that are left out, whose numbers count the lines and rows of the part that are documents or
            skipped, from 0; in ascending order.
    """

    number: int
    group: int
    ranges: tuple[tuple[int, Source, Range], ...]
    bytes: int
    omitted: tuple[int, ...] = ()


class PartSums(NamedTuple):
    """Holds the sums over a part.

    Attributes:
        number: The place of the part.
        sums: The sums for each tokenizer.
        skipped: The number of lines and rows that are no documents.
        first_skipped: The first of them.
    """

    number: int
    sums: tuple[TextSums, ...]
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
        reading: How documents are read.
    """

    reading: ReadOptions

    def __call__(self, part: GroupPart) -> PartEntries:
        """Returns the entries of a part."""
        count, skipped, first = 0, list[int](), None
        for _, source, span in part.ranges:
            for documents in read(source, self.reading, range=span, batch_bytes=_BATCH_BYTES):
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
        tokenizers: The tokenizers.
        reading: How documents are read.
        specials: How special tokens in a document are treated.
        threads: The number of threads; None for one per core.
    """

    tokenizers: tuple[Tokenizer, ...]
    reading: ReadOptions
    specials: Specials | None
    threads: int | None

    def __call__(self, part: GroupPart) -> PartSums:
        """Returns the sums over the documents of a part."""
        meters = [TextMeter(tok, self.specials, self.threads) for tok in self.tokenizers]
        skipped, first, start = 0, None, 0
        omitted = frozenset(part.omitted)
        for number, source, span in part.ranges:
            for documents in read(source, self.reading, range=span, batch_bytes=_BATCH_BYTES):
                skipped += len(documents.skipped)
                first = first or next(iter(documents.skipped), None)
                texts: ArrowTexts | list[str] = ArrowTexts(documents.texts)
                positions = documents.positions
                if omitted:
                    entries = _entries(documents, start)
                    kept = [at for at, entry in enumerate(entries) if entry not in omitted]
                    texts, positions = [texts[at] for at in kept], positions[kept]
                start += len(documents) + len(documents.skipped)
                _add(meters, number, source, texts, positions)
        return PartSums(part.number, tuple(meter.sums() for meter in meters), skipped, first)


def _add(
    meters: Sequence[TextMeter],
    number: int,
    source: Source,
    texts: ArrowTexts | list[str],
    positions: NDArray[np.int64],
) -> None:
    """Adds a batch of documents for each tokenizer."""

    def place(index: int) -> tuple[int, int, str]:
        position = int(positions[index])
        return number, position, place_of(source, position)

    try:
        for meter in meters:
            meter.add(texts, place)
    except PieceworkError as error:
        locate_error(error, source, positions)
        raise
