"""A batch of encodings: one flat array of ids and the rows' offsets."""

from typing import Any, final

import numpy as np
import numpy.typing as npt

@final
class Batch:
    r"""The ids of many texts, in memory that NumPy and Arrow share.

    >>> import piecework as pw
    >>> batch = pw.Tokenizer.from_str("[UNK]\na").encode_batch(["a a", "", "b"])._batch
    >>> batch.ids, batch.row_offsets
    (array([1, 1, 0], dtype=uint32), array([0, 2, 2, 3]))
    """

    @property
    def ids(self) -> npt.NDArray[np.uint32]:
        """All token ids in a row, read-only."""

    @property
    def row_offsets(self) -> npt.NDArray[np.int64]:
        """Where each row begins in `ids`, and the end of the last; read-only."""

    def to_list(self) -> list[list[int]]:
        """Give the ids as a list for each row."""

    def __arrow_c_schema__(self) -> object:
        """Give the Arrow schema as a PyCapsule: a large list of unsigned 32-bit integers."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[object, object]:
        """Give schema and rows to Arrow as PyCapsules, without a copy."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> object:
        """Give the rows to Arrow as a stream of one table with the column `ids`."""

    def __len__(self) -> int: ...
