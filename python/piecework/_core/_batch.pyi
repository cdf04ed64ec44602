"""A batch of encodings: one flat array of ids and the rows' offsets."""

from collections.abc import Sequence
from typing import Any, final

import numpy as np
import numpy.typing as npt

@final
class Batch:
    """The ids of many texts, in memory that NumPy and Arrow share.

    Args:
        rows: The ids of each text.

    >>> from piecework._core import Batch
    >>> batch = Batch([[1, 2], [], [3]])
    >>> batch.ids, batch.row_offsets
    (array([1, 2, 3], dtype=uint32), array([0, 2, 2, 3]))
    """

    def __new__(cls, rows: Sequence[Sequence[int]]) -> Batch: ...
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

    def __len__(self) -> int: ...
