"""Megatron's files: the ids in a .bin, and where rows and documents begin in an .idx."""

from __future__ import annotations

import struct

from piecework._io.arrays import map_array, read_array
from piecework.corpus._layouts.layout import IndexedLayout, ShardContents, Target
from piecework.errors import FormatError

_MAGIC = b"MMIDIDX\0\0"
_HEADER = struct.Struct("<9sQBQQ")
"""The magic bytes, the version, the code of the type, the numbers of rows and of entries of the list of documents."""
_CODES = {"<u2": 8, "<i4": 4}
_UINT16_LIMIT = 65_500
"""The number of entries from which Megatron takes 32 bits."""


class Megatron(IndexedLayout):
    """Writes and reads Megatron's format of indexed datasets."""

    suffixes = (".bin", ".idx")

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.ids, self._index = self.file(".bin"), self.file(".idx")

    def end(self) -> None:
        """Writes the index; every row is a document."""
        import numpy as np

        ends = self.ends()
        rows, size = len(ends) - 1, np.dtype(self.target.dtype).itemsize
        self._index.write(_HEADER.pack(_MAGIC, 1, _CODES[self.target.dtype], rows, rows + 1))
        self._index.write(np.diff(ends).astype("<i4").data)
        self._index.write((ends[:-1] * size).astype("<i8").data)
        self._index.write(np.arange(rows + 1, dtype="<i8").data)

    @staticmethod
    def dtype(id_limit: int) -> str:
        """Returns 16 bits below 65,500 entries, otherwise signed integers of 32 bits.

        >>> Megatron.dtype(65_499), Megatron.dtype(65_500)
        ('<u2', '<i4')
        """
        return "<u2" if id_limit < _UINT16_LIMIT else "<i4"

    @staticmethod
    def read(target: Target) -> ShardContents:
        """Returns the tokens of a shard."""
        import numpy as np

        path = target.path(".idx")
        header = read_array(path, "u1", 0, _HEADER.size).tobytes()
        found = _HEADER.unpack(header)
        expected = (_MAGIC, 1, _CODES[target.dtype], target.rows, target.rows + 1)
        if found != expected:
            raise FormatError(f"expected the header {expected}, found {found}", place=f"{path}: ")
        lengths = map_array(path, "<i4", _HEADER.size, target.rows)
        ids = map_array(target.path(".bin"), target.dtype, 0, target.tokens)
        return ShardContents(ids, np.cumsum(lengths, dtype=np.int64))
