"""A batch of encodings: one flat array of ids and the rows' offsets."""

from typing import Any, TypeAlias, final

import numpy as np
import numpy.typing as npt

_Uint32s: TypeAlias = npt.NDArray[np.uint32]
_Columns: TypeAlias = tuple[_Uint32s, npt.NDArray[np.int32], _Uint32s, _Uint32s, _Uint32s]
"""Offsets (start and end in turn), word ids, type ids, special tokens mask, attention mask."""

@final
class Batch:
    r"""The ids of many texts, in memory that NumPy and Arrow share.

    >>> import piecework as pw
    >>> batch = pw.Tokenizer.from_str("[UNK]\na").encode_batch(["a a", "", "b"])._batch
    >>> batch.ids, batch.row_offsets
    (array([1, 1, 0], dtype=uint32), array([0, 2, 2, 3]))
    """

    @property
    def ids(self) -> _Uint32s:
        """All token ids in a row, read-only."""

    @property
    def row_offsets(self) -> npt.NDArray[np.int64]:
        """Where each row begins in `ids`, and the end of the last; read-only."""

    def columns(self) -> _Columns | None:
        r"""Give the columns beside the ids, read-only; None where they were not asked for.

        They are offsets (start and end in turn, so two a token), word ids, type ids, and the masks of special tokens
        and of attention.

        >>> import piecework as pw
        >>> tok = pw.Tokenizer.from_str("[UNK]\na")
        >>> offsets, word_ids, *rest = tok.encode_batch(["a a", "b"], offsets=True)._batch.columns()
        >>> offsets.tolist(), word_ids.tolist()
        ([0, 1, 2, 3, 0, 1], [0, 1, 0])
        >>> tok.encode_batch(["a a", "b"])._batch.columns()
        """

    def unpadded(self) -> tuple[_Uint32s, bool] | None:
        r"""Give how many tokens of each row are no padding, and whether padding comes first.

        None where rows are not padded, or where columns were asked for, whose attention mask tells it.

        >>> import piecework as pw
        >>> tok = pw.Tokenizer.from_str("[UNK]\n[PAD]\na")
        >>> tok.encode_batch(["a a", "b"], padding="longest")._batch.unpadded()
        (array([2, 1], dtype=uint32), False)
        """

    def to_list(self) -> list[list[int]]:
        """Give the ids as a list for each row."""

    def __arrow_c_schema__(self) -> object:
        """Give the Arrow schema as a PyCapsule: a large list of unsigned 32-bit integers."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[object, object]:
        """Give schema and rows to Arrow as PyCapsules, without a copy."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> object:
        """Give the rows to Arrow as a stream of one table with the column `ids`."""

    def __len__(self) -> int: ...
