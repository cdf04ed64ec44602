"""NumPy's files: the ids of all rows, and the ends of rows; for sequences one matrix."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, Any

from piecework._io.arrays import map_array, read_array
from piecework.corpus._layouts.layout import IndexedLayout, ShardContents, Target
from piecework.errors import FormatError

if TYPE_CHECKING:
    import numpy.typing as npt


def _shape(target: Target) -> tuple[int, ...]:
    if target.sequence_length is None:
        return (target.tokens,)
    return (target.rows, target.sequence_length)


def _header(dtype: str, shape: tuple[int, ...]) -> bytes:
    """Returns the header of version 1.0 of NumPy's format."""
    from numpy.lib import format as npy

    header = io.BytesIO()
    npy.write_array_header_1_0(header, {"descr": dtype, "fortran_order": False, "shape": shape})
    return header.getvalue()


def _mapped(path: str, dtype: str, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """Returns the values of a file, after a check of its header."""
    header = _header(dtype, shape)
    found = read_array(path, "u1", 0, len(header)).tobytes()
    if found != header:
        raise FormatError(f"expected an array of {dtype} of the shape {shape}", place=f"{path}: ")
    return map_array(path, dtype, len(header), math.prod(shape))


class Npy(IndexedLayout):
    """Writes and reads the format of NumPy's arrays."""

    suffixes = (".npy", ".offsets.npy")

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.ids = self.file(".npy")
        self.ids.write(_header(target.dtype, _shape(target)))

    def end(self) -> None:
        """Writes where rows begin and end, unless all have one length."""
        if self.target.sequence_length is not None:
            return
        offsets, ends = self.file(".offsets.npy"), self.ends()
        offsets.write(_header("<i8", (len(ends),)))
        offsets.write(ends.astype("<i8", copy=False).data)

    @staticmethod
    def read(target: Target) -> ShardContents:
        """Returns the tokens of a shard."""
        import numpy as np

        ids = _mapped(target.path(".npy"), target.dtype, _shape(target))
        if target.sequence_length is not None:
            ends = np.arange(1, target.rows + 1) * target.sequence_length
        else:
            ends = _mapped(target.path(".offsets.npy"), "<i8", (target.rows + 1,))[1:]
        return ShardContents(ids, ends)
