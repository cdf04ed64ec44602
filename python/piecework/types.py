"""The values that calls take and give."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from piecework._core import Batch, Encoding
from piecework.errors import ConfigError

if TYPE_CHECKING:
    from piecework.tokenizer import Tokenizer

__all__ = ["Encoding", "Encodings", "Merge", "Padded", "Progress", "Specials"]

Specials = Literal["match", "text", "error"] | Collection[str]
"""What special tokens in a text are: matched, ordinary text, an error, or matched if in the collection."""

UnknownPolicy = Literal["word", "run", "char"]
"""What becomes of characters that no piece covers."""


class Default:
    """Stands for a setting that was not given, where None means something."""

    def __repr__(self) -> str:
        """Show as documentation does."""
        return "DEFAULT"


DEFAULT = Default()


@dataclass(frozen=True, slots=True)
class Merge:
    """One step of a training.

    Attributes:
        left: The left token, as rendered.
        right: The right token, as rendered.
        token: The token they make, as rendered.
        score: What the criterion gave the pair.
        pair_count: How often the pair occurred.
        left_count: How often the left token occurred.
        right_count: How often the right token occurred.
        ties: How many pairs had this score, the chosen one included.
    """

    left: str
    right: str
    token: str
    score: float
    pair_count: int
    left_count: int
    right_count: int
    ties: int


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a long call has come.

    Attributes:
        stage: What it is doing, in a word or two.
        done: How much of that is done.
        total: How much there is to do; 0 where that is not known.
    """

    stage: str
    done: int
    total: int


ProgressLike = bool | Callable[[Progress], object]


class Padded(NamedTuple):
    """A batch as matrices.

    Attributes:
        ids: Token ids, int64, one row a text.
        attention_mask: 1 for tokens and 0 for padding, int64, of the same shape.
    """

    ids: npt.NDArray[np.int64]
    attention_mask: npt.NDArray[np.int64]


class Encodings:
    """The encodings of many texts in columns: 4 bytes a token, and 8 a text.

    ``batch[i]`` is the full :class:`Encoding` of text ``i``, made when it is asked for. pyarrow and
    polars read the batch as one column of lists of unsigned 32-bit integers, duckdb as a table with that column,
    through the Arrow PyCapsule interface.

    Attributes:
        ids: All token ids in a row, ``uint32``, read-only.
        row_offsets: Where each text's ids begin, and the end of the last, ``int64``, read-only.

    >>> import piecework as pw
    >>> tok = pw.train(["low lower lowest"] * 3, pw.WordPieceTrainer(vocab_size=25))
    >>> batch = tok.encode_batch(["low", "lower lowest"])
    >>> len(batch), batch.row_offsets.tolist(), batch[0].tokens
    (2, [0, 3, 7], ['[CLS]', 'low', '[SEP]'])
    """

    __slots__ = (
        "_add_special_tokens",
        "_batch",
        "_specials",
        "_texts",
        "_tokenizer",
        "ids",
        "row_offsets",
    )

    ids: npt.NDArray[np.uint32]
    row_offsets: npt.NDArray[np.int64]

    def __init__(
        self,
        batch: Batch,
        tokenizer: Tokenizer,
        texts: Sequence[str],
        *,
        add_special_tokens: bool,
        specials: Specials,
    ) -> None:
        """Hold a batch of the core and what it takes to look closer."""
        self._batch = batch
        self._tokenizer = tokenizer
        self._texts = texts
        self._add_special_tokens = add_special_tokens
        self._specials = specials
        self.ids = batch.ids
        self.row_offsets = batch.row_offsets

    def __len__(self) -> int:
        """Give the number of texts."""
        return len(self._batch)

    @overload
    def __getitem__(self, place: int) -> Encoding: ...
    @overload
    def __getitem__(self, place: slice) -> list[Encoding]: ...
    def __getitem__(self, place: int | slice) -> Encoding | list[Encoding]:
        """Give the full encoding of a text, or of several."""
        if isinstance(place, slice):
            return [self._encode(text) for text in self._texts[place]]
        try:
            text = self._texts[place]
        except IndexError:
            raise IndexError(f"a batch of {len(self)} texts has no place {place}") from None
        return self._encode(text)

    def __iter__(self) -> Iterator[Encoding]:
        """Iterate over full encodings."""
        return map(self._encode, self._texts)

    def _encode(self, text: str) -> Encoding:
        return self._tokenizer.encode(
            text, add_special_tokens=self._add_special_tokens, specials=self._specials
        )

    def to_list(self) -> list[list[int]]:
        """Give the ids as a list for each text."""
        return self._batch.to_list()

    def to_numpy(self) -> list[npt.NDArray[np.uint32]]:
        """Give the ids as an array for each text, views of :attr:`ids`."""
        return np.split(self.ids, self.row_offsets[1:-1]) if len(self) else []

    def padded(
        self,
        *,
        pad_id: int | None = None,
        length: int | None = None,
        side: Literal["left", "right"] = "right",
    ) -> Padded:
        """Give the ids as a matrix, short rows filled up.

        Args:
            pad_id: What to fill with; the id of ``[PAD]`` by default.
            length: The columns; by default as many as the longest row has tokens.
            side: Where the padding goes.

        Returns:
            Matrices of shape (texts, columns), ``int64``: ids, and 1 where there is a token.

        Raises:
            ConfigError: There is no pad token, or a row is longer than ``length``.

        >>> import piecework as pw
        >>> tok = pw.train(["low lower lowest"] * 3, pw.WordPieceTrainer(vocab_size=25))
        >>> tok.encode_batch(["low", "low low"]).padded().attention_mask
        array([[1, 1, 1, 0],
               [1, 1, 1, 1]])
        """
        if side not in ("left", "right"):
            raise ConfigError(f'side must be "left" or "right", not {side!r}')
        pad_id = self._pad_id() if pad_id is None else pad_id
        lengths = np.diff(self.row_offsets)
        longest = int(lengths.max(initial=0))
        columns = longest if length is None else length
        if columns < longest:
            raise ConfigError(
                f"a text has {longest} tokens and does not fit into {columns} columns"
            )
        places = np.arange(columns)
        mask = (
            places < lengths[:, None] if side == "right" else places >= columns - lengths[:, None]
        )
        ids = np.full(mask.shape, pad_id, dtype=np.int64)
        ids[mask] = self.ids
        return Padded(ids, mask.astype(np.int64))

    def _pad_id(self) -> int:
        pad_id = self._tokenizer.token_to_id("[PAD]")
        if pad_id is None:
            raise ConfigError("the tokenizer has no [PAD]; pass pad_id=...")
        return pad_id

    def __arrow_c_schema__(self) -> object:
        """Give the schema to Arrow (PyCapsule interface)."""
        return self._batch.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> object:
        """Give the rows to Arrow as a stream of one table with the column `ids` (PyCapsule interface)."""
        return self._batch.__arrow_c_stream__(requested_schema)

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[object, object]:
        """Give the rows to Arrow (PyCapsule interface)."""
        return self._batch.__arrow_c_array__(requested_schema)

    def __repr__(self) -> str:
        """Tell the size."""
        return f"Encodings({len(self)} texts, {len(self.ids)} tokens)"
