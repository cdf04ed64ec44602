"""Divides the files of a corpus into parts."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from piecework.io.documents import split

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from piecework.corpus.settings import CorpusSettings
    from piecework.io.documents import Range
    from piecework.io.sources import Source

__all__ = ["Part", "Plan"]

_VERSION = 1
"""Changes when the same plan gives other bytes."""


class Part(NamedTuple):
    """Describes the input that a worker encodes at a time.

    Attributes:
        number: Its place in the plan, from 0.
        ranges: The files, each with the range that belongs to the part.
        bytes: The number of bytes of the ranges, for progress; approximate for Parquet.
    """

    number: int
    ranges: tuple[tuple[Source, Range], ...]
    bytes: int

    @property
    def name(self) -> str:
        """Returns the name of its files."""
        return f"part-{self.number:06}"


@dataclass(frozen=True)
class Plan:
    """Describes a corpus run completely: it decides every byte of the output.

    Attributes:
        fingerprint: That of the tokenizer.
        settings: The settings of the run.
        sources: The files, in their order.
        parts: The parts, in their order.
    """

    fingerprint: str
    settings: CorpusSettings
    sources: tuple[Source, ...]
    parts: tuple[Part, ...]

    @classmethod
    def of(cls, fingerprint: str, settings: CorpusSettings, sources: Sequence[Source]) -> Plan:
        """Returns the plan for some files; it depends on no number of workers."""
        groups = _groups(settings, sources)
        parts = tuple(Part(number, *group) for number, group in enumerate(groups))
        return cls(fingerprint, settings, tuple(sources), parts)

    def to_json(self) -> dict[str, Any]:
        """Returns the plan as JSON values."""
        places = {source.name: place for place, source in enumerate(self.sources)}
        return {
            "version": _VERSION,
            "fingerprint": self.fingerprint,
            "settings": self.settings.to_json(),
            "sources": [source.to_json() for source in self.sources],
            "parts": [
                [[places[source.name], span.start, span.end] for source, span in part.ranges]
                for part in self.parts
            ],
        }

    @cached_property
    def sha256(self) -> str:
        """Returns the hash of the plan, as 64 hexadecimal digits."""
        return hashlib.sha256(json.dumps(self.to_json(), sort_keys=True).encode()).hexdigest()


def _groups(
    settings: CorpusSettings, sources: Sequence[Source]
) -> Iterator[tuple[tuple[tuple[Source, Range], ...], int]]:
    """Iterates over the ranges of the parts and their bytes: small files together, large ones divided."""
    group: list[tuple[Source, Range]] = []
    size = 0
    for source in sources:
        spans = split(source, settings.part_bytes, settings.reading)
        for place, span in enumerate(spans):
            group.append((source, span))
            size += _share(source.size or 0, place, len(spans))
            if size >= settings.part_bytes:
                yield tuple(group), size
                group, size = [], 0
    if group:
        yield tuple(group), size


def _share(size: int, place: int, count: int) -> int:
    """Returns the size of one of equal shares, which add up to the whole."""
    return size * (place + 1) // count - size * place // count
