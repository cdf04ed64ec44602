"""Encodes a part of a corpus, in a worker."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from piecework._exceptions import locate
from piecework._io.documents import place_of, read
from piecework.corpus._parts import PartWriter, Rows, without
from piecework.corpus._plan import VERSION, CorpusSettings
from piecework.engines._jobs.tasks import Receipt, Task
from piecework.errors import PieceworkError

if TYPE_CHECKING:
    from piecework._io.document_batch import Documents
    from piecework._io.sources import Source
    from piecework._settings.arguments import ArrowColumn
    from piecework.engines._jobs.inputs import Inputs
    from piecework.engines._jobs.parts import Part
    from piecework.tokenizer import Tokenizer

_BATCH_BYTES = 1 << 21
"""The bytes of text that are encoded at a time: small enough for the processor's cache, and for memory."""


@dataclass(frozen=True)
class EncodePart(Task):
    """Encodes a part, writes its files and then its receipt; a pure function of the part.

    Attributes:
        tokenizer: The tokenizer, without truncation and padding.
        settings: The settings of the run.
        dtype: The type of the ids.
        inputs: The files as they are when the run begins.
    """

    tokenizer: Tokenizer
    settings: CorpusSettings
    dtype: str
    inputs: Inputs

    def compatibility(self) -> dict[str, Any]:
        """Returns the version of the plan and the fingerprint of the tokenizer."""
        return {"version of the plan": VERSION, "fingerprint": self.tokenizer.fingerprint}

    def __call__(self, part: Part) -> Receipt:
        """Returns the receipt of a part."""
        seed, keep = self.settings.shuffle, self.settings.reading.keep
        figures: dict[str, Counter[str]] = {}
        with PartWriter(self.folder, part, seed, bool(keep)) as writer:
            for place, source, span in part.ranges:
                self.inputs.check(source)
                counts = figures.setdefault(str(place), Counter())
                for documents in read(
                    source, self.settings.reading, range=span, batch_bytes=_BATCH_BYTES
                ):
                    rows = self._encoded(source, documents)
                    counts.update(
                        documents=len(rows.lengths),
                        tokens=len(rows.ids),
                        text_bytes=documents.text_bytes,
                        skipped=len(documents.skipped),
                        empty=len(documents) - len(rows.lengths),
                    )
                    writer.skip(documents.skipped)
                    if len(rows.lengths):
                        writer.add(rows)
                self.inputs.check(source)
            files = writer.finish()
        return self.write_receipt(part.name, files, {"sources": figures, "runs": writer.runs})

    def _encoded(self, source: Source, documents: Documents) -> Rows:
        """Returns the ids of some documents, with the end token after each."""
        import numpy as np

        settings = self.settings
        try:
            batch = self.tokenizer.encode_batch(
                cast("ArrowColumn", documents.texts),
                add_special_tokens=settings.add_special_tokens,
                specials=settings.specials,
                threads=1,
            )
        except PieceworkError as error:
            locate(error, lambda index: place_of(source, int(documents.positions[index])))
            raise
        end = settings.end_of_document
        own = np.diff(batch.row_offsets)
        lengths = own + (end is not None)
        ids = batch._batch.packed(np.dtype(self.dtype).itemsize, end)
        rows = Rows(ids, lengths, _table(documents) if settings.reading.keep else None)
        return without(rows, own == 0) if settings.skip_empty else rows


def _table(documents: Documents) -> Any:
    """Returns the kept columns as a table of pyarrow."""
    import pyarrow as pa

    return pa.table({name: pa.array(column) for name, column in documents.kept.items()})
