"""Holds the ids of a batch, and encodes its texts again when another column is read.

Most programs read ids and masks alone, which are found several times as fast as offsets and tokens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework.hf._encoding import Encoding

if TYPE_CHECKING:
    from collections.abc import Callable

    from piecework import _core


class DeferredColumns:
    """Holds the columns of single texts of one call.

    Args:
        batch: The ids.
        encode: Returns the encodings with all columns; it is called at most once by each thread.
        type_id: The type id of all tokens, or None if they may differ.
        padding: The settings of padding.
    """

    __slots__ = (
        "_batch",
        "_encode",
        "_encodings",
        "_is_left",
        "_lengths",
        "_mask",
        "_type_ids",
        "_width",
    )

    def __init__(
        self,
        batch: _core.Batch,
        encode: Callable[[], list[_core.Encoding]],
        type_id: int | None,
        padding: dict[str, Any] | None,
    ) -> None:
        self._batch, self._encode = batch, encode
        self._encodings: list[_core.Encoding] | None = None
        self._lengths = batch.lengths()
        self._width = max(length for length, _ in self._lengths)
        self._is_left = padding is not None and padding["direction"] == "left"
        self._mask = self._pattern(1, 0)
        pad_type_id = 0 if padding is None else padding["pad_type_id"]
        self._type_ids = None if type_id is None else self._pattern(type_id, pad_type_id)

    def encodings(self) -> list[Encoding]:
        """Returns the encodings of all rows."""
        return [Encoding._of_row(self, row) for row in range(len(self._lengths))]

    def encoding(self, row: int) -> _core.Encoding:
        """Returns the encoding of a row with all columns."""
        encodings = self._encodings
        if encodings is None:
            # Without a lock: threads that come at once find equal encodings.
            encodings = self._encodings = self._encode()
        return encodings[row]

    def length(self, row: int) -> int:
        """Returns the number of tokens of a row."""
        return self._lengths[row][0]

    def ids(self, row: int) -> list[int]:
        """Returns the ids of a row."""
        return self._batch.row(row)

    def attention_mask(self, row: int) -> list[int]:
        """Returns 0 for padding and 1 for other tokens."""
        return self._mask[self._range(row)]

    def type_ids(self, row: int) -> list[int]:
        """Returns the type ids of a row."""
        if self._type_ids is None:
            return self.encoding(row).type_ids
        return self._type_ids[self._range(row)]

    def _pattern(self, value: int, padding: int) -> list[int]:
        """Returns a list in which each row's column is a range: a value and its padding, each for the longest row."""
        first, second = (padding, value) if self._is_left else (value, padding)
        return [first] * self._width + [second] * self._width

    def _range(self, row: int) -> slice:
        """Returns the range of a row in a list of `_pattern`."""
        length, unpadded = self._lengths[row]
        start = self._width - (length - unpadded if self._is_left else unpadded)
        return slice(start, start + length)
