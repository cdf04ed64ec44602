"""Writes a shard of a corpus, in a worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from piecework.corpus._layouts import LAYOUTS
from piecework.corpus._layouts.layout import Target
from piecework.corpus._parts import Rows, load
from piecework.engines._jobs.tasks import Receipt, Task

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from piecework.corpus._order import Piece, Shard
    from piecework.corpus._plan import CorpusSettings


@dataclass(frozen=True)
class WriteShard(Task):
    """Writes the files of a shard and then its receipt; a pure function of the shard.

    Attributes:
        settings: The settings of the run.
        fingerprint: That of the tokenizer.
        dtype: The type of the ids.
        output: The folder of the shards; that of the receipts has the encoded parts.
    """

    settings: CorpusSettings
    fingerprint: str
    dtype: str
    output: str

    @property
    def files_folder(self) -> str:
        """Returns the folder of the shards."""
        return self.output

    def __call__(self, shard: Shard) -> Receipt:
        """Returns the receipt of a shard."""
        settings = self.settings
        target = Target(
            self.output,
            shard.name,
            self.dtype,
            shard.rows,
            shard.tokens,
            settings.sequence_length,
            self.fingerprint,
            self.folder,
        )
        rows = self._documents(shard.pieces)
        if settings.sequence_length is not None:
            rows = sequences(self._tokens(shard.pieces), settings.sequence_length)
        with LAYOUTS[settings.layout](target) as writer:
            for each in rows:
                writer.add(each)
            files = writer.finish()
        return self.write_receipt(shard.name, files, {"rows": shard.rows, "tokens": shard.tokens})

    def _load(self, piece: Piece) -> Rows:
        shuffled = self.settings.shuffle is not None
        return load(self.folder, piece.chunk.slices, self.dtype, shuffled)

    def _documents(self, pieces: Iterable[Piece]) -> Iterator[Rows]:
        """Iterates over the documents of some pieces."""
        for piece in pieces:
            rows = self._load(piece)
            if piece.end - piece.start == piece.chunk.documents:
                yield rows
                continue
            first = int(rows.lengths[: piece.start].sum())
            lengths = rows.lengths[piece.start : piece.end]
            ids = rows.ids[first : first + int(lengths.sum())]
            kept = None if rows.kept is None else rows.kept.slice(piece.start, len(lengths))
            yield Rows(ids, lengths, kept)

    def _tokens(self, pieces: Iterable[Piece]) -> Iterator[Rows]:
        """Iterates over the tokens of some pieces, each as one row."""
        for piece in pieces:
            rows = self._load(piece)
            ids = rows.ids[piece.start : piece.end]
            yield Rows(ids, rows.lengths[:0])


def sequences(parts: Iterable[Rows], length: int) -> Iterator[Rows]:
    """Iterates over the tokens of some rows in rows of one length; tokens after the last whole row are left out."""
    import numpy as np

    rest = None
    for part in parts:
        ids = part.ids if rest is None else np.concatenate([rest, part.ids])
        count = len(ids) // length
        rest = ids[count * length :]
        if count:
            yield Rows(ids[: count * length], np.full(count, length))
