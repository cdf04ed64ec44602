"""Describes a counting in parts."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from piecework import _core
from piecework.engines._jobs.inputs import Inputs
from piecework.engines._jobs.parts import Part, divide

if TYPE_CHECKING:
    from piecework._io.corpus import Corpus
    from piecework._io.document_batch import ReadOptions

VERSION = 1
"""Changes when the same plan gives other files."""
_BUCKET_BYTES = 1 << 28
"""The bytes of input for each bucket of words, so that merging has about as many tasks as there is work."""
_MAX_BUCKETS = 64
"""The largest number of buckets; those of the last merge are open at once."""


@dataclass(frozen=True)
class CountPlan:
    """Describes a counting in parts completely: it decides every file.

    Attributes:
        splitter: Normalizer and pre-tokenizer as JSON.
        reading: The options of reading.
        first_document: The number of the first document.
        parts: The parts, in their order.
        inputs: The files as they are when the job begins.
        buckets: The number of files that the words of a part are written to, by a hash of the word.
    """

    splitter: str
    reading: ReadOptions
    first_document: int
    parts: tuple[Part, ...]
    inputs: Inputs
    buckets: int

    @classmethod
    def of(cls, corpus: Corpus, splitter: str, first_document: int, part_bytes: int) -> CountPlan:
        """Returns the plan for some files; it depends on no number of workers."""
        parts = divide(corpus._sources, part_bytes, corpus._reading)
        buckets = min(_MAX_BUCKETS, 1 + corpus.bytes // _BUCKET_BYTES)
        inputs = Inputs.of(corpus._sources, "count again")
        return cls(splitter, corpus._reading, first_document, parts, inputs, buckets)

    def to_json(self) -> dict[str, Any]:
        """Returns the plan as JSON values."""
        return {
            "version": VERSION,
            "fingerprint": _core.splitter_fingerprint(self.splitter),
            "reading": self.reading.to_json(),
            "first_document": self.first_document,
            "parts": [
                [[source.to_json(), asdict(span)] for _, source, span in part.ranges]
                for part in self.parts
            ],
            "changed": dict(self.inputs.changed),
            "buckets": self.buckets,
        }

    @cached_property
    def sha256(self) -> str:
        """Returns the hash of the plan, as 64 hexadecimal digits."""
        return hashlib.sha256(json.dumps(self.to_json(), sort_keys=True).encode()).hexdigest()
