"""Defines what decoding returns besides text and bytes: positions of ids, steps of streams, and the bytes of all tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, overload

from piecework._messages import shown
from piecework._settings.immutable import Immutable, dataclass

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class DecodedText(NamedTuple):
    """Holds a decoded text with the position of each id; see :meth:`Tokenizer.decode_with_offsets`.

    Attributes:
        text: The text.
        starts: The start of each id in the text, in characters.
        byte_starts: The start of each id in the bytes of all ids, which are those of the text wherever they are UTF-8.
    """

    text: str
    starts: list[int]
    byte_starts: list[int]


class DecodedBatch(NamedTuple):
    """Holds decoded texts with the position of each id, in columns; see :meth:`Tokenizer.decode_with_offsets_batch`.

    Attributes:
        texts: The text of each row.
        starts: The start of each id in its text, in characters: ``int64``, for all ids of all rows.
        byte_starts: The start of each id in the bytes of its row: ``int64``.
        row_offsets: The start of each row in these columns, and the end of the last: ``int64``.
    """

    texts: list[str]
    starts: npt.NDArray[np.int64]
    byte_starts: npt.NDArray[np.int64]
    row_offsets: npt.NDArray[np.int64]


class StreamStep(NamedTuple):
    """Holds what a step of a stream with details returns.

    Attributes:
        text: The new text that is safe to show, as without details.
        bytes: The bytes of the ids of this step, whether or not their text is held back.
        start: The position of their first character in the text of the stream, stops included; a character of several ids
            begins in the first. It is that of ``decode_with_offsets`` wherever the bytes are UTF-8.
        byte_start: The position of their first byte in the bytes of the stream. After a stop that is an id, both are positions in
            the rest.
    """

    text: str
    bytes: bytes
    start: int
    byte_start: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TokenBytes(Immutable, Sequence[bytes]):
    """Holds the bytes of every token in one buffer; ``token_bytes[id]`` returns those of an id.

    Attributes:
        data: The bytes of all tokens in order of their ids.
        offsets: The position in `data` of the first byte of each id, and the end of the last: ``int64``, of length
            ``max_id + 2``.
    """

    data: bytes
    offsets: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        """Makes the positions read-only."""
        self.offsets.flags.writeable = False

    def __len__(self) -> int:
        """Returns the largest id plus one."""
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> bytes: ...

    @overload
    def __getitem__(self, index: slice) -> list[bytes]: ...

    def __getitem__(self, index: int | slice) -> bytes | list[bytes]:
        """Returns the bytes of an id, which are empty for an id without token, or those of several."""
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        try:
            number = range(len(self))[index]
        except IndexError:
            message = (
                f"id {shown(index)} is not in the vocabulary, whose ids end at {len(self) - 1}"
            )
            raise IndexError(message) from None
        start, end = self.offsets[number : number + 2].tolist()
        return self.data[start:end]

    def __reduce__(self) -> tuple[type[TokenBytes], tuple[bytes, npt.NDArray[np.int64]]]:
        """Pickles the buffer."""
        return type(self), (self.data, self.offsets)

    def __eq__(self, other: object) -> bool:
        """Returns whether both have the same bytes for each id."""
        if not isinstance(other, TokenBytes):
            return NotImplemented
        return self.data == other.data and self.offsets.tolist() == other.offsets.tolist()

    __hash__ = None  # type: ignore[assignment]  # equal by content, and that can be large

    def __repr__(self) -> str:
        """Returns the numbers of ids and bytes."""
        return f"TokenBytes({len(self):,} ids, {len(self.data):,} bytes)"
