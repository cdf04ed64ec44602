"""The values that calls give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from piecework._core import Encoding
from piecework._immutable import Immutable, dataclass
from piecework._settings import ID_LIMIT
from piecework.arguments import Default, check_index
from piecework.encoding_settings import as_padding, pad_token_of
from piecework.errors import ConfigError, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    import numpy.typing as npt

    from piecework._core import ArrowTexts, Batch
    from piecework.arguments import Specials
    from piecework.encoding_settings import Padding, PaddingLike, Side, TruncationLike
    from piecework.tokenizer import Tokenizer

__all__ = ["EncodedBatch", "Encoding", "Merge", "PaddedBatch", "Progress", "ScoredEncoding"]


@dataclass(frozen=True, slots=True)
class Merge(Immutable):
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
class UnigramStep(Immutable):
    """A step of EM of a training of Unigram, or a pruning.

    Attributes:
        pieces: How many pieces there were before it.
        log_likelihood: Of the training words under these pieces, as a natural logarithm; None of a pruning.
        removed: The pieces that it removed, the least expected or the least missed first; None where they are not known, as
            a file does not keep them.
    """

    pieces: int
    log_likelihood: float | None
    removed: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Progress(Immutable):
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


class ScoredEncoding(NamedTuple):
    """A segmentation of a text, and what the model makes of it.

    Attributes:
        encoding: Its tokens.
        score: The natural logarithm of its probability.
    """

    encoding: Encoding
    score: float


class PaddedBatch(NamedTuple):
    """A batch as matrices.

    Attributes:
        ids: Token ids, int64, one row a text.
        attention_mask: 1 for tokens and 0 for padding, int64, of the same shape.
        type_ids: Type ids, int64, of the same shape; None where they were not asked for.
    """

    ids: npt.NDArray[np.int64]
    attention_mask: npt.NDArray[np.int64]
    type_ids: npt.NDArray[np.int64] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Call(Immutable):
    """What a batch was encoded with, so that one can look closer later."""

    tokenizer: Tokenizer
    texts: Sequence[Any] | ArrowTexts | FileTexts
    is_pretokenized: bool
    add_special_tokens: bool
    specials: Specials | None
    truncation: TruncationLike | Default
    padding: PaddingLike | Default
    cache: bool
    dropout: float | None = None
    alpha: float | None = None
    nbest_size: int | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class FileTexts(Immutable):
    """Stands for the texts of a file, which are not kept."""

    path: str

    def __iter__(self) -> Iterator[Any]:
        """Refuse to give the texts."""
        yield self[0]

    def __getitem__(self, place: int) -> Any:
        """Refuse to give a text."""
        raise ConfigError(
            f"{self.path}: of a file the ids are kept and no text; read the texts and pass them to encode_batch for all else"
        )


class EncodedBatch:
    """The encodings of many texts in columns: 4 bytes a token, and 8 a text.

    ``batch[i]`` is the full :class:`Encoding` of text ``i``, made when it is asked for; so are the columns beside the ids,
    all at once. pyarrow and polars read the batch as one column of lists of unsigned 32-bit integers, duckdb as a table
    with that column, through the Arrow PyCapsule interface.

    >>> import piecework as pw
    >>> tok = pw.train(["low lower lowest"] * 3, pw.WordPieceTrainer(vocab_size=25))
    >>> batch = tok.encode_batch(["low", "lower lowest"])
    >>> len(batch), batch.row_offsets.tolist(), batch[0].tokens
    (2, [0, 3, 7], ['[CLS]', 'low', '[SEP]'])
    >>> batch.offsets[1:5].tolist()
    [[0, 3], [0, 0], [0, 0], [0, 5]]
    """

    __slots__ = ("_batch", "_call", "_columns", "_longest", "_threads")

    def __init__(self, batch: Batch, call: Call, threads: int | None) -> None:
        """Hold a batch of the core and what it takes to look closer."""
        self._batch = batch
        self._call = call
        self._threads = threads
        self._columns = batch.columns()
        self._longest: int | None = None

    def _most_tokens(self) -> int:
        """The tokens of the longest text."""
        if self._longest is None:
            self._longest = int(self._lengths().max(initial=0))
        return self._longest

    def _lengths(self) -> npt.NDArray[np.int64]:
        """The tokens of each text."""
        ends = self.row_offsets
        return ends[1:] - ends[:-1]

    def _all_columns(self) -> tuple[npt.NDArray[Any], ...]:
        if self._columns is None:
            call = self._call
            full = call.tokenizer.encode_batch(
                call.texts,
                is_pretokenized=call.is_pretokenized,
                add_special_tokens=call.add_special_tokens,
                specials=call.specials,
                truncation=call.truncation,
                padding=call.padding,
                cache=call.cache,
                dropout=call.dropout,
                alpha=call.alpha,
                nbest_size=call.nbest_size,
                seed=call.seed,
                offsets=True,
                threads=self._threads,
            )
            self._columns = full._columns
        return self._columns or ()

    @property
    def ids(self) -> npt.NDArray[np.uint32]:
        """All token ids in a row: ``uint32``, read-only."""
        return self._batch.ids

    @property
    def row_offsets(self) -> npt.NDArray[np.int64]:
        """Where each text's ids begin, and the end of the last: ``int64``, read-only."""
        return self._batch.row_offsets

    @property
    def offsets(self) -> npt.NDArray[np.uint32]:
        """Characters of the texts that the tokens cover: shape (tokens, 2), start and end, ``uint32``, read-only."""
        return self._all_columns()[0].reshape(-1, 2)

    @property
    def word_ids(self) -> npt.NDArray[np.int32]:
        """The word of its text that each token belongs to, -1 for added ones: ``int32``, read-only."""
        return self._all_columns()[1]

    @property
    def type_ids(self) -> npt.NDArray[np.uint32]:
        """Type ids: ``uint32``, read-only."""
        return self._all_columns()[2]

    @property
    def special_tokens_mask(self) -> npt.NDArray[np.uint8]:
        """1 for tokens that the post-processor or padding added, else 0: ``uint8``, read-only."""
        return self._all_columns()[3]

    @property
    def attention_mask(self) -> npt.NDArray[np.uint8]:
        """0 for padding, 1 for all else: ``uint8``, read-only."""
        return self._all_columns()[4]

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
            return [self._encode(number) for number in range(*place.indices(len(self)))]
        number = check_index("place", place)
        if not -len(self) <= number < len(self):
            raise IndexError(f"a batch of {len(self)} texts has no place {shown(place)}")
        return self._encode(number % len(self))

    def __iter__(self) -> Iterator[Encoding]:
        """Iterate over full encodings."""
        return map(self._encode, range(len(self)))

    def _encode(self, number: int) -> Encoding:
        call = self._call
        text, pair = call.texts[number], None
        if isinstance(text, tuple) and len(text) == 2:  # a pair
            in_words = call.is_pretokenized and isinstance(text[0], str)
            text, pair = (text, None) if in_words else text
        padding = self._padding()
        if padding is not None and padding.length is None:  # that of the longest
            padding = replace(padding, length=self._most_tokens())
        return call.tokenizer._encode_input(number, text, pair, call, padding)

    def to_list(self) -> list[list[int]]:
        """Give the ids as a list for each text."""
        return self._batch.to_list()

    def to_numpy(self) -> list[npt.NDArray[np.uint32]]:
        """Give the ids as an array for each text, views of :attr:`ids`."""
        import numpy as np

        return np.split(self.ids, self.row_offsets[1:-1]) if len(self) else []

    def padded(
        self,
        *,
        pad_id: int | None = None,
        length: int | None = None,
        side: Side | None = None,
        type_ids: bool = False,
    ) -> PaddedBatch:
        """Give the ids as a matrix, short rows filled up.

        Args:
            pad_id: What to fill with; by default as the padding of the call or of the tokenizer has it, else the id of
                ``[PAD]`` or ``<pad>``.
            length: The columns; by default as many as the longest row has tokens.
            side: Where the padding goes; by default likewise, else ``"right"``.
            type_ids: Whether type ids are given, too.

        Returns:
            Matrices of shape (texts, columns), ``int64``: ids, 1 where there is a token, and type ids or None.

        Raises:
            ConfigError: There is no pad token, or a row is longer than ``length``.

        >>> import piecework as pw
        >>> tok = pw.train(["low lower lowest"] * 3, pw.WordPieceTrainer(vocab_size=25))
        >>> tok.encode_batch(["low", "low low"]).padded().attention_mask
        array([[1, 1, 1, 0],
               [1, 1, 1, 1]])
        """
        side = self._pad_side() if side is None else side
        if side not in ("left", "right"):
            raise ConfigError(f'side must be "left" or "right", not {shown(side)}')
        pad_id = self._pad_id() if pad_id is None else _checked("pad_id", pad_id, 1 << 63)
        longest = self._most_tokens()
        columns = longest if length is None else _checked("length", length, ID_LIMIT)
        if columns < longest:
            raise ConfigError(
                f"a text has {longest} tokens and does not fit into {columns} columns"
            )
        filled = _aligned(self._lengths(), columns, left=side == "left")
        types = _matrix(filled, self.type_ids, self._pad_type_id()) if type_ids else None
        ids = _matrix(filled, self.ids, pad_id)
        return PaddedBatch(ids, self._attention(filled).astype("int64"), types)

    def _attention(self, filled: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Where in a matrix there are tokens that are no padding, of the call or of the matrix."""
        import numpy as np

        if self._columns is not None:
            mask = np.zeros_like(filled)
            mask[filled] = self._columns[4] != 0
            return mask
        unpadded = self._batch.unpadded()
        if unpadded is None:
            return filled
        lengths, left = unpadded
        own = _aligned(lengths, self._most_tokens(), left=left)
        mask = np.zeros_like(filled)
        mask[filled] = own[_aligned(self._lengths(), own.shape[1], left=left)]
        return mask

    def _pad_id(self) -> int:
        return pad_token_of(self._call.tokenizer, self._padding())

    def _pad_type_id(self) -> int:
        padding = self._padding()
        return padding.pad_type_id if padding else 0

    def _pad_side(self) -> Side:
        padding = self._padding() or self._call.tokenizer.padding
        return padding.direction if padding else "right"

    def _padding(self) -> Padding | None:
        """What the call said about padding, or the tokenizer where it said nothing."""
        call = self._call
        padding = call.tokenizer.padding if isinstance(call.padding, Default) else call.padding
        return as_padding(padding, call.tokenizer)

    def __reduce__(self) -> tuple[Any, ...]:
        """Refuse to be pickled: it would drag texts and tokenizer along."""
        raise TypeError(
            "encodings of many texts hold the texts and the tokenizer and are not pickled; pickle ids and row_offsets, "
            "or batch[i], one encoding"
        )

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
        return f"EncodedBatch({len(self)} texts, {len(self.ids)} tokens)"


def _checked(name: str, value: int, limit: int) -> int:
    """Give an integer under a limit; the ids to fill with may be negative, as -100 is for losses."""
    number = check_index(name, value)
    if not -limit <= number < limit:
        raise ConfigError(f"{name}: expected an integer under {limit:,}, found {shown(value)}")
    return number


def _aligned(lengths: npt.NDArray[Any], columns: int, *, left: bool) -> npt.NDArray[np.bool_]:
    """Where in rows of `columns` places there are so many tokens, at their beginning or at their end."""
    import numpy as np

    places = np.arange(columns)
    lengths = lengths[:, None].astype(np.int64)
    return places >= columns - lengths if left else places < lengths


def _matrix(
    filled: npt.NDArray[np.bool_], values: npt.NDArray[np.uint32], pad: int
) -> npt.NDArray[np.int64]:
    """Values row by row where there are tokens, and one and the same elsewhere."""
    import numpy as np

    matrix = np.full(filled.shape, pad, dtype=np.int64)
    matrix[filled] = values
    return matrix
