"""Defines a batch of encodings: one flat array of ids and the offsets of its rows."""

from collections.abc import Sequence
from typing import Any, TypeAlias, TypedDict, final

import numpy as np
import numpy.typing as npt

_Uint32s: TypeAlias = npt.NDArray[np.uint32]
_Uint8s: TypeAlias = npt.NDArray[np.uint8]

class _Columns(TypedDict):
    """The columns of a batch other than ids; offsets have two values per token, start and end."""

    offsets: _Uint32s
    word_ids: npt.NDArray[np.int32]
    type_ids: _Uint32s
    special_tokens_mask: _Uint8s
    attention_mask: _Uint8s

@final
class Batch:
    r"""Holds the ids of many texts in memory that NumPy and Arrow share.

    >>> import piecework as pw
    >>> batch = pw.Tokenizer.from_str("[UNK]\na").encode_batch(["a a", "", "b"])._batch
    >>> batch.ids, batch.row_offsets
    (array([1, 1, 0], dtype=uint32), array([0, 2, 2, 3]))
    """

    def __new__(
        cls,
        ids: _Uint32s,
        row_offsets: npt.NDArray[np.int64],
        unpadded: tuple[_Uint32s, bool] | None,
    ) -> Batch:
        """Creates a batch from the ids of its rows, as a pickle contains them.

        Args:
            ids: The ids of all rows.
            row_offsets: The start of each row in `ids`, and the end of the last.
            unpadded: As :meth:`unpadded` returns it.

        Raises:
            ValueError: The offsets do not divide the ids, or there is not a length for each row.
        """

    @staticmethod
    def concatenated(batches: Sequence[Batch]) -> Batch:
        """Returns the rows of all batches in order, with their ids alone."""

    @property
    def ids(self) -> _Uint32s:
        """Returns the token ids of all texts, concatenated; read-only."""

    @property
    def row_offsets(self) -> npt.NDArray[np.int64]:
        """Returns the start of each row in `ids`, and the end of the last; read-only."""

    def columns(self) -> _Columns | None:
        r"""Returns the columns other than ids, read-only; None unless they were requested.

        Offsets are in characters.

        >>> import piecework as pw
        >>> tok = pw.Tokenizer.from_str("[UNK]\na")
        >>> columns = tok.encode_batch(["a a", "b"], offsets=True)._batch.columns()
        >>> columns["offsets"].tolist(), columns["word_ids"].tolist()
        ([0, 1, 2, 3, 0, 1], [0, 1, 0])
        >>> tok.encode_batch(["a a", "b"])._batch.columns()
        """

    def unpadded(self) -> tuple[_Uint32s, bool] | None:
        r"""Returns the number of tokens of each row without padding, and whether padding is on the left.

        None if rows are not padded, or if columns were requested, which include the attention mask.

        >>> import piecework as pw
        >>> tok = pw.Tokenizer.from_str("[UNK]\n[PAD]\na")
        >>> tok.encode_batch(["a a", "b"], padding="longest")._batch.unpadded()
        (array([2, 1], dtype=uint32), False)
        """

    def packed(
        self, width: int, end: int | None
    ) -> npt.NDArray[np.uint16] | npt.NDArray[np.uint32]:
        r"""Returns the ids as integers of 2 or 4 bytes, with the id `end` after each row if it is given.

        Raises:
            OverflowError: An id has more than 16 bits, and `width` is 2.

        >>> import piecework as pw
        >>> pw.Tokenizer.from_str("[UNK]\na").encode_batch(["a a", "b"])._batch.packed(2, 7)
        array([1, 1, 7, 0, 7], dtype=uint16)
        """

    def to_list(self) -> list[list[int]]:
        """Returns the ids as one list per row."""

    def row(self, row: int) -> list[int]:
        r"""Returns the ids of a row.

        Raises:
            IndexError: There is no such row.

        >>> import piecework as pw
        >>> pw.Tokenizer.from_str("[UNK]\na").encode_batch(["a a", "b"])._batch.row(0)
        [1, 1]
        """

    def lengths(self) -> list[tuple[int, int]]:
        r"""Returns the number of tokens of each row, with padding and without.

        >>> import piecework as pw
        >>> tok = pw.Tokenizer.from_str("[UNK]\n[PAD]\na")
        >>> tok.encode_batch(["a a", "b"], padding="longest")._batch.lengths()
        [(2, 2), (2, 1)]
        """

    def __arrow_c_schema__(self) -> object:
        """Returns the Arrow schema as a PyCapsule: a large list of unsigned 32-bit integers."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[object, object]:
        """Returns schema and rows as Arrow PyCapsules, without a copy."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> object:
        """Returns the rows as an Arrow stream of one table with the column `ids`."""

    def __len__(self) -> int: ...
