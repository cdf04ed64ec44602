"""datatrove's files: the ids in a .ds, the ends of rows in a .ds.index, and a .ds.metadata of three lines."""

from __future__ import annotations

from piecework._io.arrays import map_array
from piecework.corpus._layouts.layout import IndexedLayout, ShardContents, Target


def _readable(count: int) -> str:
    """Returns a number of tokens with three digits and the prefix of a unit, as datatrove writes it.

    >>> _readable(950), _readable(1_234_567), _readable(12_345_678_901)
    ('950 T', '1.23 MT', '12.3 GT')
    """
    exponent = int(f"{count:.2e}".partition("e")[2])  # of the rounded number
    prefix = ("", "k", "M", "G", "T", "P", "E")[exponent // 3]
    return f"{count / 1000 ** (exponent // 3):.{2 - exponent % 3}f} {prefix}T"


class Datatrove(IndexedLayout):
    """Writes and reads datatrove's format of tokenized documents."""

    suffixes = (".ds", ".ds.index", ".ds.metadata")

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.ids, self._index, self._metadata = map(self.file, (".ds", ".ds.index", ".ds.metadata"))

    def end(self) -> None:
        """Writes the ends of rows, and the metadata."""
        import numpy as np

        self._index.write(self.ends()[1:].astype("<u8").data)
        target = self.target
        size = np.dtype(target.dtype).itemsize
        lines = (f"{target.tokenizer}|{size}", str(target.tokens), _readable(target.tokens))
        self._metadata.write("\n".join(lines).encode())

    @staticmethod
    def read(target: Target) -> ShardContents:
        """Returns the tokens of a shard."""
        ends = map_array(target.path(".ds.index"), "<i8", 0, target.rows)
        return ShardContents(map_array(target.path(".ds"), target.dtype, 0, target.tokens), ends)
