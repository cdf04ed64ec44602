"""Defines the encodings of many texts, in columns, and their padded matrices.

A full :class:`Encoding`, or a column that the call did not request, is computed on access by encoding the texts again. So
ids alone never pay for offsets.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast, overload

from piecework import _core
from piecework._io.given import as_corpus
from piecework._messages import quantity, shown
from piecework._result import Result
from piecework._settings.arguments import DEFAULT, check_index, check_threads
from piecework._settings.fields import ID_LIMIT
from piecework._settings.immutable import Immutable, dataclass
from piecework.errors import ConfigError, SpecialTokenError
from piecework.tokenizer._checks import (
    REFUSED_IN_SEGMENT,
    frozen_specials,
    listed_segments,
    listed_texts,
)
from piecework.tokenizer._padding import as_padding, pad_token_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np
    import numpy.typing as npt

    from piecework._core import ArrowTexts, Batch, Encoding
    from piecework._core._batch import _Columns
    from piecework._io.corpus import Corpus
    from piecework._settings.arguments import ArrowColumn, EncodeInput
    from piecework._settings.choices import Side
    from piecework._settings.encoding import Padding
    from piecework._show.document import Block, Line
    from piecework.tokenizer._options import EncodeOptions, SegmentOptions
    from piecework.tokenizer._tokenizer import Tokenizer

_MAX_ROWS, _MAX_TOKENS = 10, 30
"""The numbers of texts and of tokens of a text that a notebook shows."""


class PaddedBatch(NamedTuple):
    """Holds a batch as padded matrices.

    Attributes:
        ids: Token ids, int64, of shape (texts, columns).
        attention_mask: 1 for tokens and 0 for padding, int64, of the same shape.
        type_ids: Type ids, int64, of the same shape; None unless requested.
    """

    ids: npt.NDArray[np.int64]
    attention_mask: npt.NDArray[np.int64]
    type_ids: npt.NDArray[np.int64] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Call(Immutable):
    """Holds the arguments of a batch, which encodes single texts again on access."""

    tokenizer: Tokenizer
    texts: Sequence[Any] | ArrowTexts | Corpus
    options: EncodeOptions
    is_segmented: bool = False
    """Whether each text is a list of segments."""

    def limit(self, name: Literal["truncation", "padding"]) -> Any:
        """Returns the truncation or padding of the call, or that of the tokenizer by default."""
        given = self.options.get(name, DEFAULT)
        return getattr(self.tokenizer, name) if given is DEFAULT else given


class EncodedBatch(Result["Encoding"]):
    """Holds the encodings of many texts in columns, with 4 bytes per token and 8 bytes per text.

    ``batch[i]`` returns the full :class:`Encoding` of text ``i``, computed on access; the columns other than `ids` are
    computed together on first access. Through the Arrow PyCapsule interface, pyarrow and polars read the batch as one
    column of lists of unsigned 32-bit integers, and duckdb as a table with that column.

    >>> import piecework as pw
    >>> tok = pw.train(["low lower lowest"] * 3, pw.WordPieceTrainer(vocab_size=25))
    >>> batch = tok.encode_batch(["low", "lower lowest"])
    >>> len(batch), batch.row_offsets.tolist(), batch[0].tokens
    (2, [0, 3, 7], ['[CLS]', 'low', '[SEP]'])
    >>> batch.offsets[1:5].tolist()
    [[0, 3], [0, 0], [0, 0], [0, 5]]
    """

    __slots__ = ("_batch", "_call", "_columns", "_longest", "_threads")

    # Slots admit no other attributes, and a batch is created too often to be checked at each of its own.
    __setattr__ = object.__setattr__  # type: ignore[assignment]
    __delattr__ = object.__delattr__  # type: ignore[assignment]

    def __init__(
        self, batch: Batch, call: Call, threads: int | None, columns: _Columns | None = None
    ) -> None:
        """Wraps a batch of the core, with the arguments to compute other columns."""
        self._batch = batch
        self._call = call
        self._threads = threads
        self._columns = batch.columns() if columns is None else columns
        self._longest: int | None = None

    def _most_tokens(self) -> int:
        """Returns the number of tokens of the longest text."""
        if self._longest is None:
            self._longest = int(self._lengths().max(initial=0))
        return self._longest

    def _lengths(self) -> npt.NDArray[np.int64]:
        """Returns the number of tokens of each text."""
        ends = self.row_offsets
        return ends[1:] - ends[:-1]

    def _all_columns(self) -> _Columns:
        if self._columns is None:
            tokenizer, options = self._call.tokenizer, self._call.options
            texts = self._texts()
            encode: Any = tokenizer.encode_batch
            if self._call.is_segmented:
                encode = tokenizer.encode_segments_batch
            full = encode(texts, offsets=True, threads=self._threads, **options)
            self._columns = full._all_columns()
        return self._columns

    @property
    def ids(self) -> npt.NDArray[np.uint32]:
        """Returns the token ids of all texts, concatenated: ``uint32``, read-only."""
        return self._batch.ids

    @property
    def row_offsets(self) -> npt.NDArray[np.int64]:
        """Returns the start of each text in `ids`, and the end of the last: ``int64``, read-only."""
        return self._batch.row_offsets

    @property
    def offsets(self) -> npt.NDArray[np.uint32]:
        """Returns the start and end of each token in characters: shape (tokens, 2), ``uint32``, read-only."""
        return self._all_columns()["offsets"].reshape(-1, 2)

    @property
    def word_ids(self) -> npt.NDArray[np.int32]:
        """Returns the index in its text of each token's word, -1 for added tokens: ``int32``, read-only."""
        return self._all_columns()["word_ids"]

    @property
    def type_ids(self) -> npt.NDArray[np.uint32]:
        """Returns the type id of each token: ``uint32``, read-only."""
        return self._all_columns()["type_ids"]

    @property
    def special_tokens_mask(self) -> npt.NDArray[np.uint8]:
        """Returns 1 for each token that post-processor or padding added, else 0: ``uint8``, read-only."""
        return self._all_columns()["special_tokens_mask"]

    @property
    def attention_mask(self) -> npt.NDArray[np.uint8]:
        """Returns 0 for padding and 1 for other tokens: ``uint8``, read-only."""
        return self._all_columns()["attention_mask"]

    def __len__(self) -> int:
        """Returns the number of texts."""
        return len(self._batch)

    @overload
    def __getitem__(self, place: int) -> Encoding: ...
    @overload
    def __getitem__(self, place: slice) -> list[Encoding]: ...
    def __getitem__(self, place: int | slice) -> Encoding | list[Encoding]:
        """Returns the full encoding of one text, or a list of them for a slice."""
        if isinstance(place, slice):
            return [self._encode(number) for number in range(*place.indices(len(self)))]
        number = check_index("place", place)
        if not -len(self) <= number < len(self):
            raise IndexError(
                f"index {shown(place)} is out of range for a batch of {len(self)} texts"
            )
        return self._encode(number % len(self))

    def __iter__(self) -> Iterator[Encoding]:
        """Iterates over full encodings."""
        return map(self._encode, range(len(self)))

    def _encode(self, number: int) -> Encoding:
        call = self._call
        text: Any = self._texts()[number]
        padding = self._padding()
        if padding is not None and padding.length is None:  # that of the longest
            padding = replace(padding, length=self._most_tokens())
        options = call.tokenizer._new_options({**call.options, "padding": padding}, number)
        if call.is_segmented:
            return call.tokenizer._core.encode_segments(text, options)
        is_pretokenized, pair = call.options.get("is_pretokenized", False), None
        if isinstance(text, tuple) and len(text) == 2:  # a pair
            in_words = is_pretokenized and isinstance(text[0], str)
            text, pair = (text, None) if in_words else text
        return call.tokenizer._core.encode(text, pair, is_pretokenized, options)

    def _texts(self) -> Sequence[Any] | ArrowTexts:
        """Returns the texts; raises ConfigError for those of a corpus, which are not kept."""
        texts = self._call.texts
        if as_corpus(texts) is not None:
            hint = "pass list(corpus) to encode_batch to keep the texts in memory"
            raise ConfigError("the batch of a corpus contains only ids", hint=hint)
        return cast("Sequence[Any] | ArrowTexts", texts)

    def to_list(self) -> list[list[int]]:
        """Returns the ids as one list per text."""
        return self._batch.to_list()

    def to_numpy(self) -> list[npt.NDArray[np.uint32]]:
        """Returns the ids as one array per text, each a view of :attr:`ids`."""
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
        """Returns the ids as a padded matrix.

        Args:
            pad_id: The id of padding; by default that of the padding of the call or of the tokenizer, else the id of
                ``[PAD]`` or ``<pad>``.
            length: The number of columns; by default the length of the longest row in tokens.
            side: The side of the padding; by default that of the call or of the tokenizer, else ``"right"``.
            type_ids: Whether to return type ids too.

        Returns:
            Matrices of shape (texts, columns), ``int64``: ids, attention mask, and type ids or None.

        Raises:
            ConfigError: There is no pad token, or a row is longer than `length`.

        >>> import piecework as pw
        >>> tok = pw.train(["low lower lowest"] * 3, pw.WordPieceTrainer(vocab_size=25))
        >>> tok.encode_batch(["low", "low low"]).padded().attention_mask
        array([[1, 1, 1, 0],
               [1, 1, 1, 1]])
        """
        tokenizer, padding = self._call.tokenizer, self._padding()
        if side is None:
            settings = padding or tokenizer.padding
            side = settings.direction if settings else "right"
        if side not in ("left", "right"):
            raise ConfigError(f'expected "left" or "right", found {shown(side)}', setting="side")
        if pad_id is None:
            pad_id = pad_token_of(tokenizer, padding)
        pad_id = _checked("pad_id", pad_id, 1 << 63)
        longest = self._most_tokens()
        columns = longest if length is None else _checked("length", length, ID_LIMIT)
        if columns < longest:
            raise ConfigError(
                f"the longest text has {longest} tokens, more than {columns}",
                setting="length",
                hint="pass a larger `length=...`",
            )
        filled = _aligned(self._lengths(), columns, left=side == "left")
        pad_type_id = padding.pad_type_id if padding else 0
        types = _matrix(filled, self.type_ids, pad_type_id) if type_ids else None
        ids = _matrix(filled, self.ids, pad_id)
        return PaddedBatch(ids, self._attention(filled).astype("int64"), types)

    def _attention(self, filled: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Returns where a matrix contains tokens that are not padding of the call or of the matrix."""
        import numpy as np

        if self._columns is not None:
            mask = np.zeros_like(filled)
            mask[filled] = self._columns["attention_mask"] != 0
            return mask
        unpadded = self._batch.unpadded()
        if unpadded is None:
            return filled
        lengths, left = unpadded
        own = _aligned(lengths, self._most_tokens(), left=left)
        mask = np.zeros_like(filled)
        mask[filled] = own[_aligned(self._lengths(), own.shape[1], left=left)]
        return mask

    def _padding(self) -> Padding | None:
        """Returns the padding of the call, or that of the tokenizer by default."""
        return as_padding(self._call.limit("padding"), self._call.tokenizer)

    def to_dict(self) -> dict[str, Any]:
        """Returns the ids of each text."""
        return {"ids": self.to_list()}

    def __eq__(self, other: object) -> bool:
        """Returns whether both have the same ids for each text."""
        import numpy as np

        if not isinstance(other, EncodedBatch):
            return NotImplemented
        columns = ((self.ids, other.ids), (self.row_offsets, other.row_offsets))
        return all(np.array_equal(*pair) for pair in columns)

    __hash__ = None  # equal by content, and that can be large

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the ids and the other columns, if they are known, with the texts and the tokenizer."""
        call, batch = self._call, self._batch
        if isinstance(call.texts, _core.ArrowTexts):
            call = replace(call, texts=[call.texts[place] for place in range(len(self))])
        rows = (batch.ids, batch.row_offsets, batch.unpadded())
        return _unpickle, (rows, call, self._threads, self._columns)

    def __arrow_c_schema__(self) -> object:
        """Returns the Arrow schema (PyCapsule interface)."""
        return self._batch.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> object:
        """Returns the rows as an Arrow stream of one table with the column `ids` (PyCapsule interface)."""
        return self._batch.__arrow_c_stream__(requested_schema)

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[object, object]:
        """Returns the rows as an Arrow array (PyCapsule interface)."""
        return self._batch.__arrow_c_array__(requested_schema)

    @property
    def _rows(self) -> list[Encoding]:
        return list(self)

    def _summary(self) -> str:
        return f"{quantity(len(self), 'text')}, {quantity(len(self.ids), 'token')}"

    def _document(self) -> Iterator[Block]:
        from piecework._show.document import Table, Text

        yield Text(self._summary())
        numbers = range(min(len(self), _MAX_ROWS))
        lengths = self._lengths()
        rows = [(str(number), f"{lengths[number]:,}", self._line(number)) for number in numbers]
        if rows:
            yield Table(("text", "tokens", ""), rows, "rrl", total=len(self))

    def _line(self, number: int) -> Line:
        """Returns the first tokens of a text."""
        from piecework._display import display_token
        from piecework._show.document import Token, spaced

        start, end = self.row_offsets[number : number + 2].tolist()
        core = self._call.tokenizer._core
        special = {number for _, number in core.special_tokens()}
        ids = self.ids[start : min(end, start + _MAX_TOKENS)].tolist()
        tokens = [
            Token(
                display_token(core.token_bytes(token_id)),
                f"id {token_id}",
                "special" if token_id in special else "",
            )
            for token_id in ids
        ]
        return spaced(tokens, end - start)


def encode_batch(
    tokenizer: Tokenizer,
    texts: Iterable[EncodeInput] | ArrowColumn | ArrowTexts | Corpus,
    options: EncodeOptions,
    *,
    offsets: bool,
    threads: int | None,
) -> EncodedBatch:
    """Encodes many texts; see :meth:`piecework.Tokenizer.encode_batch`."""
    check_threads(threads)
    is_pretokenized = options.get("is_pretokenized", False)
    corpus = as_corpus(texts)
    rows = listed_texts(texts, is_pretokenized) if corpus is None else corpus
    _fix(options, tokenizer)
    call = Call(tokenizer, rows, options)
    if corpus is not None:
        from piecework.tokenizer._files import encode_corpus

        batch = encode_corpus(corpus, call, offsets=offsets, threads=threads)
        return EncodedBatch(batch, call, threads)
    made = tokenizer._options(options)
    batch = tokenizer._core.encode_batch(rows, is_pretokenized, made, offsets, threads)
    return EncodedBatch(batch, call, threads)


def encode_segments_batch(
    tokenizer: Tokenizer,
    rows: Iterable[Iterable[tuple[str, bool]]],
    given: SegmentOptions,
    *,
    offsets: bool,
    threads: int | None,
) -> EncodedBatch:
    """Encodes many texts in segments; see :meth:`piecework.Tokenizer.encode_segments_batch`."""
    check_threads(threads)
    options = cast("EncodeOptions", tokenizer._segment_options(given))
    texts = listed_segments(rows)
    _fix(options, tokenizer)
    made = tokenizer._options(options)
    try:
        batch = tokenizer._core.encode_segments_batch(texts, made, offsets, threads)
    except SpecialTokenError as error:
        error.hint = REFUSED_IN_SEGMENT
        raise
    return EncodedBatch(batch, Call(tokenizer, texts, options, is_segmented=True), threads)


def _fix(options: EncodeOptions, tokenizer: Tokenizer) -> None:
    """Fixes the seed and the special tokens of a call, so that `batch[i]` encodes with them again."""
    if tokenizer._has_dropout or "sampling" in options:
        options["sampling"] = tokenizer._seeded(options.get("sampling", DEFAULT))
    if "specials" in options:
        options["specials"] = frozen_specials(options["specials"])


def _unpickle(
    rows: tuple[Any, ...], call: Call, threads: int | None, columns: _Columns | None
) -> EncodedBatch:
    """Returns a batch that was pickled."""
    return EncodedBatch(_core.Batch(*rows), call, threads, columns)


def _checked(name: str, value: int, limit: int) -> int:
    """Returns a checked integer; pad ids may be negative, such as -100, which losses ignore."""
    number = check_index(name, value)
    if not -limit <= number < limit:
        raise ConfigError(
            f"expected an integer below {limit:,}, found {shown(value)}", setting=name
        )
    return number


def _aligned(lengths: npt.NDArray[Any], columns: int, *, left: bool) -> npt.NDArray[np.bool_]:
    """Returns a mask of shape (rows, columns) that is true for `lengths[row]` tokens at the left or right end."""
    import numpy as np

    places = np.arange(columns)
    lengths = lengths[:, None].astype(np.int64)
    return places >= columns - lengths if left else places < lengths


def _matrix(
    filled: npt.NDArray[np.bool_], values: npt.NDArray[np.uint32], pad: int
) -> npt.NDArray[np.int64]:
    """Returns a matrix with `values` row by row where `filled` is true, and `pad` elsewhere."""
    import numpy as np

    matrix = np.full(filled.shape, pad, dtype=np.int64)
    matrix[filled] = values
    return matrix
