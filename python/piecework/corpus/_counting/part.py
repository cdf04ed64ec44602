"""Counts the words of a part, in a worker."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from piecework import _core
from piecework._io.atomic import AtomicFiles
from piecework._io.documents import read
from piecework.corpus._counting.plan import VERSION
from piecework.engines._jobs.tasks import Receipt, Task

if TYPE_CHECKING:
    from piecework._io.document_batch import ReadOptions
    from piecework.engines._jobs.inputs import Inputs
    from piecework.engines._jobs.parts import Part


@dataclass(frozen=True)
class CountPart(Task):
    """Counts the words of a part, writes its files of word counts and then its receipt; a pure function of the part.

    The documents of a part are numbered from 0, since the number of those before it is not known yet.

    Attributes:
        splitter: Normalizer and pre-tokenizer as JSON.
        reading: The options of reading.
        inputs: The files as they are when the job begins.
        buckets: The number of files.
        max_memory: The limit of memory in bytes; None for none. The files do not depend on it.
    """

    splitter: str
    reading: ReadOptions
    inputs: Inputs
    buckets: int
    max_memory: int | None

    def compatibility(self) -> dict[str, Any]:
        """Returns the version of the plan and the fingerprint of normalizer and pre-tokenizer."""
        fingerprint = _core.splitter_fingerprint(self.splitter)
        return {"version of the plan": VERSION, "fingerprint": fingerprint}

    def __call__(self, part: Part) -> Receipt:
        """Returns the receipt of a part, with the number of its documents and the invalid lines."""
        memory = None if self.max_memory is None else (self.max_memory, self.folder, False)
        counter = _core.WordCounter(self.splitter, [], 1, 0, memory)
        skipped, first = 0, None
        for _, source, span in part.ranges:
            self.inputs.check(source)
            for documents in read(source, self.reading, range=span):
                counter.add_column(_core.ArrowTexts(documents.texts))
                skipped += len(documents.skipped)
                first = first or next(iter(documents.skipped), None)
            self.inputs.check(source)
        figures = {
            "documents": counter.documents,
            "skipped": skipped,
            "first_skipped": first and str(first),
        }
        names = [f"{part.name}.{bucket:02}.counts" for bucket in range(self.buckets)]
        with AtomicFiles(self.folder) as files:
            opened = [files.create(os.path.join(self.folder, name)) for name in names]
            counter.write([file.temporary for file in opened])
            written = files.commit(sync=False)
        return self.write_receipt(part.name, written, figures)
