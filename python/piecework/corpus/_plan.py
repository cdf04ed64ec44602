"""Describes a corpus run."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from piecework.engines._jobs.parts import Part, divide

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._io.sources import Source
    from piecework.corpus._settings import CorpusSettings

__all__ = ["VERSION", "Plan"]

VERSION = 1
"""Changes when the same plan gives other bytes."""


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
        parts = divide(sources, settings.part_bytes, settings.reading)
        return cls(fingerprint, settings, tuple(sources), parts)

    def to_json(self) -> dict[str, Any]:
        """Returns the plan as JSON values."""
        return {
            "version": VERSION,
            "fingerprint": self.fingerprint,
            "settings": self.settings.to_json(),
            "sources": [source.to_json() for source in self.sources],
            "parts": [
                [[place, span.start, span.end] for place, _, span in part.ranges]
                for part in self.parts
            ],
        }

    @cached_property
    def sha256(self) -> str:
        """Returns the hash of the plan, as 64 hexadecimal digits."""
        return hashlib.sha256(json.dumps(self.to_json(), sort_keys=True).encode()).hexdigest()
