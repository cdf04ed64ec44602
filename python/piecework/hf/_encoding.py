"""Defines the encoding of a text, which can be truncated and padded in place."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from piecework import _core
from piecework._messages import shown
from piecework.hf._arguments import ignored, instance, number32, string, unsigned
from piecework.hf._calls import checked_direction
from piecework.hf._state import dumps, loads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework.hf._deferred import DeferredColumns

_NONE = (1 << 32) - 1
"""The value of the core for a token without word."""


class Encoding:
    r"""Holds the tokens of a text or pair, in lists of equal length.

    An encoding is mutable only in :meth:`pad`, :meth:`truncate` and :meth:`set_sequence_id`; lists are new ones.

    >>> from piecework.hf import Tokenizer, models, pre_tokenizers
    >>> tok = Tokenizer(models.WordLevel({"a": 0, "[UNK]": 1}, unk_token="[UNK]"))
    >>> tok.pre_tokenizer = pre_tokenizers.Whitespace()
    >>> encoding = tok.encode("a b")
    >>> encoding.ids, encoding.tokens, encoding.offsets
    ([0, 1], ['a', '[UNK]'], [(0, 1), (2, 3)])
    """

    __slots__ = ("_columns", "_deferred", "_row")
    _columns: _core.Encoding | None
    """All columns, or None if they were not read yet."""
    _deferred: DeferredColumns
    """The columns of the call, if `_columns` is None."""
    _row: int

    def __init__(self) -> None:
        """Creates an encoding without tokens."""
        self._inner = _core.Encoding((b"", ([], b""), *([b""] * 8), [], []))

    @staticmethod
    def _of(inner: _core.Encoding) -> Encoding:
        """Returns the encoding of the core as one that can be changed."""
        encoding = _new(Encoding)
        encoding._columns = inner
        return encoding

    @staticmethod
    def _of_row(deferred: DeferredColumns, row: int) -> Encoding:
        """Returns the encoding of a row of a batch."""
        encoding = _new(Encoding)
        encoding._columns, encoding._deferred, encoding._row = None, deferred, row
        return encoding

    def _processed(self, core: _core.Tokenizer, pair: Encoding | None, options: Any) -> Encoding:
        """Returns the combination with the encoding of a second text, by the post-processor of a tokenizer."""
        if pair is not None:
            instance(pair, Encoding)
        other = None if pair is None else pair._inner
        return Encoding._of(core.post_process(self._inner, other, options))

    @property
    def _inner(self) -> _core.Encoding:
        """Returns the encoding of the core."""
        columns = self._columns
        if columns is None:
            columns = self._columns = self._deferred.encoding(self._row)
        return columns

    @_inner.setter
    def _inner(self, inner: _core.Encoding) -> None:
        self._columns = inner

    # --- columns -------------------------------------------------------------------------------

    @property
    def ids(self) -> list[int]:
        """Returns the token ids."""
        columns = self._columns
        return self._deferred.ids(self._row) if columns is None else columns.ids

    @property
    def type_ids(self) -> list[int]:
        """Returns the type ids: 0 for the first text, 1 for the second, or those of the post-processor."""
        columns = self._columns
        return self._deferred.type_ids(self._row) if columns is None else columns.type_ids

    @property
    def tokens(self) -> list[str]:
        """Returns the tokens."""
        return self._inner.tokens

    @property
    def offsets(self) -> list[tuple[int, int]]:
        """Returns the start and end of each token in characters of the original text."""
        return self._inner.offsets

    @property
    def attention_mask(self) -> list[int]:
        """Returns 0 for padding and 1 for other tokens."""
        columns = self._columns
        return (
            self._deferred.attention_mask(self._row) if columns is None else columns.attention_mask
        )

    @property
    def special_tokens_mask(self) -> list[int]:
        """Returns 1 for each token that post-processor or padding added, else 0."""
        return self._inner.special_tokens_mask

    @property
    def word_ids(self) -> list[int | None]:
        """Returns the index in its text of each token's word; None for added tokens."""
        return self._inner.word_ids

    @property
    def words(self) -> list[int | None]:
        """Returns :attr:`word_ids`, with a warning.

        Warns:
            DeprecationWarning: Always, as in ``tokenizers``.
        """
        import warnings

        message = "Encoding.words is deprecated; use Encoding.word_ids"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return self._inner.word_ids

    @property
    def sequence_ids(self) -> list[int | None]:
        """Returns the text of each token, 0 or 1; None for added tokens."""
        return self._inner.sequence_ids

    @property
    def n_sequences(self) -> int:
        """Returns the number of texts: 1, or 2 for a pair."""
        # Deferred columns are those of single texts.
        return 1 if self._columns is None else self._columns.n_sequences

    @property
    def overflowing(self) -> list[Encoding]:
        """Returns the tokens that truncation removed, in encodings of at most the same length."""
        return [Encoding._of(part) for part in self._inner.overflowing]

    def __len__(self) -> int:
        """Returns the number of tokens."""
        columns = self._columns
        return self._deferred.length(self._row) if columns is None else len(columns)

    # --- maps between characters, tokens and words ----------------------------------------------

    def char_to_token(self, char_pos: int, sequence_index: int = 0) -> int | None:
        """Returns the index of the token that covers a character.

        Args:
            char_pos: The index of the character in its text.
            sequence_index: The text: 0, or 1 for the second of a pair.

        Returns:
            The index; None if no token covers the character.

        >>> from piecework.hf import Encoding, Tokenizer, models, pre_tokenizers
        >>> tok = Tokenizer(models.WordLevel({"a": 0, "b": 1}, "a"))
        >>> tok.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> encoding = tok.encode("a b")
        >>> encoding.char_to_token(2), encoding.char_to_token(1)
        (1, None)
        """
        return self._inner.char_to_token(unsigned(char_pos), unsigned(sequence_index))

    def char_to_word(self, char_pos: int, sequence_index: int = 0) -> int | None:
        """Returns the index of the word that contains a character; for the arguments see :meth:`char_to_token`.

        >>> from piecework.hf import Encoding, Tokenizer, models, pre_tokenizers
        >>> tok = Tokenizer(models.WordLevel({"a": 0, "b": 1}, "a"))
        >>> tok.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> encoding = tok.encode("a b")
        >>> encoding.char_to_word(2)
        1
        """
        return self._inner.char_to_word(unsigned(char_pos), unsigned(sequence_index))

    def token_to_chars(self, token_index: int) -> tuple[int, int] | None:
        """Returns the start and end of a token in characters of its text; None for added tokens.

        >>> from piecework.hf import Encoding, Tokenizer, models, pre_tokenizers
        >>> tok = Tokenizer(models.WordLevel({"a": 0, "b": 1}, "a"))
        >>> tok.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> encoding = tok.encode("a b")
        >>> encoding.token_to_chars(1)
        (2, 3)
        """
        return self._inner.token_to_chars(unsigned(token_index))

    def token_to_word(self, token_index: int) -> int | None:
        """Returns the index of a token's word in its text; None for added tokens.

        >>> from piecework.hf import Encoding, Tokenizer, models, pre_tokenizers
        >>> tok = Tokenizer(models.WordLevel({"a": 0, "b": 1}, "a"))
        >>> tok.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> encoding = tok.encode("a b")
        >>> encoding.token_to_word(1)
        1
        """
        return self._inner.token_to_word(unsigned(token_index))

    def token_to_sequence(self, token_index: int) -> int | None:
        """Returns the text of a token, 0 or 1; None for added tokens.

        >>> from piecework.hf import Encoding, Tokenizer, models, pre_tokenizers
        >>> tok = Tokenizer(models.WordLevel({"a": 0, "b": 1}, "a"))
        >>> tok.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> encoding = tok.encode("a b")
        >>> encoding.token_to_sequence(1)
        0
        """
        return self._inner.token_to_sequence(unsigned(token_index))

    def word_to_tokens(self, word_index: int, sequence_index: int = 0) -> tuple[int, int] | None:
        """Returns the tokens of a word, as the first index and the one after the last; None if it has none.

        >>> from piecework.hf import Encoding, Tokenizer, models, pre_tokenizers
        >>> tok = Tokenizer(models.WordLevel({"a": 0, "b": 1}, "a"))
        >>> tok.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> encoding = tok.encode("a b")
        >>> encoding.word_to_tokens(1)
        (1, 2)
        """
        return self._inner.word_to_tokens(number32(word_index), unsigned(sequence_index))

    def word_to_chars(self, word_index: int, sequence_index: int = 0) -> tuple[int, int] | None:
        """Returns the start and end of a word in characters of its text; None if it has no token.

        >>> from piecework.hf import Encoding, Tokenizer, models, pre_tokenizers
        >>> tok = Tokenizer(models.WordLevel({"a": 0, "b": 1}, "a"))
        >>> tok.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> encoding = tok.encode("a b")
        >>> encoding.word_to_chars(1)
        (2, 3)
        """
        return self._inner.word_to_chars(number32(word_index), unsigned(sequence_index))

    # --- changes -------------------------------------------------------------------------------

    def truncate(self, max_length: int, stride: int = 0, direction: str = "right") -> None:
        """Removes all but the first (or last) tokens; the others become :attr:`overflowing`.

        Args:
            max_length: The number of tokens to keep.
            stride: The number of tokens that an overflowing encoding shares with the previous one.
            direction: The side to cut off, ``"right"`` or ``"left"``.

        Raises:
            ValueError: `direction` is unknown, or `stride` is not less than `max_length`.

        >>> from piecework.hf import Encoding, Tokenizer, models, pre_tokenizers
        >>> tok = Tokenizer(models.WordLevel({"a": 0, "b": 1}, "a"))
        >>> tok.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> encoding = tok.encode("a b")
        >>> encoding.truncate(1)
        >>> encoding.tokens, encoding.overflowing[0].tokens
        (['a'], ['b'])
        """
        if string(direction) not in ("left", "right"):
            raise ValueError(f"Invalid truncation direction value : {direction}")
        self._inner = self._inner.truncate(unsigned(max_length), unsigned(stride), direction)

    def pad(
        self,
        length: int,
        *,
        direction: str = "right",
        pad_id: int = 0,
        pad_type_id: int = 0,
        pad_token: str = "[PAD]",
        **kwargs: Any,
    ) -> None:
        """Appends padding up to `length` tokens, also to :attr:`overflowing`.

        Args:
            length: The number of tokens.
            direction: The side to append it to, ``"right"`` or ``"left"``.
            pad_id: The id of the padding.
            pad_type_id: Its type id.
            pad_token: Its token.
            **kwargs: Ignored, with a warning.

        Raises:
            ValueError: `direction` is unknown.

        >>> from piecework.hf import Encoding, Tokenizer, models, pre_tokenizers
        >>> tok = Tokenizer(models.WordLevel({"a": 0, "b": 1}, "a"))
        >>> tok.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> encoding = tok.encode("a b")
        >>> encoding.pad(3, pad_id=7, pad_token="P")
        >>> encoding.ids, encoding.attention_mask
        ([0, 1, 7], [1, 1, 0])
        """
        ignored(kwargs, "Encoding.pad")
        self._inner = self._inner.pad(
            unsigned(length),
            direction=checked_direction(direction),
            pad_id=number32(pad_id),
            pad_type_id=number32(pad_type_id),
            pad_token=string(pad_token),
        )

    def set_sequence_id(self, sequence_id: int) -> None:
        """Assigns all tokens to the text with the index `sequence_id`.

        >>> from piecework.hf import Encoding, Tokenizer, models, pre_tokenizers
        >>> tok = Tokenizer(models.WordLevel({"a": 0, "b": 1}, "a"))
        >>> tok.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> encoding = tok.encode("a b")
        >>> encoding.set_sequence_id(1)
        >>> encoding.sequence_ids, encoding.token_to_sequence(0)
        ([0, 0], 1)
        """
        self._inner = self._inner.with_sequence_id(unsigned(sequence_id))

    @staticmethod
    def merge(encodings: Sequence[Encoding], growing_offsets: bool = True) -> Encoding:
        """Returns the concatenation of encodings.

        Args:
            encodings: The encodings.
            growing_offsets: Whether the offsets of each count from the end of the previous one.

        Returns:
            A new encoding, whose :attr:`overflowing` has all combinations.

        >>> from piecework.hf import Encoding, Tokenizer, models, pre_tokenizers
        >>> tok = Tokenizer(models.WordLevel({"a": 0, "b": 1}, "a"))
        >>> tok.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> encoding = tok.encode("a b")
        >>> Encoding.merge([encoding, encoding]).offsets
        [(0, 1), (2, 3), (3, 4), (5, 6)]
        """
        for encoding in encodings:
            instance(encoding, Encoding)
        inner = [encoding._inner for encoding in encodings]
        return Encoding._of(_core.Encoding.merge(inner, growing_offsets))

    # --- state ---------------------------------------------------------------------------------

    def _state(self) -> dict[str, Any]:
        """Returns the columns with the names of `tokenizers`."""
        (columns,) = self._inner.__reduce__()[1]
        names = "ids type_ids tokens words offsets special_tokens_mask attention_mask".split()
        state = {name: getattr(self, "word_ids" if name == "words" else name) for name in names}
        return state | {
            "overflowing": [part._state() for part in self.overflowing],
            "sequence_ranges": {str(n): {"start": a, "end": b} for n, a, b in columns[10]},
        }

    def __getstate__(self) -> bytes:
        """Returns the columns as JSON."""
        return dumps(self._state()).encode()

    def __setstate__(self, state: bytes) -> None:
        """Takes columns that `__getstate__` returned."""
        try:
            self._inner = _inner_of(loads(state))
        except (
            KeyError,
            AttributeError,
            TypeError,
            struct.error,
        ):  # of JSON that holds something else
            raise ValueError(f"expected the state of an Encoding, found {shown(state)}") from None

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the columns."""
        return _restored, (self._inner,)

    def __repr__(self) -> str:
        """Returns the number of tokens and the names of the columns."""
        return (
            f"Encoding(num_tokens={len(self)}, attributes=[ids, type_ids, tokens, offsets, "
            "attention_mask, special_tokens_mask, overflowing])"
        )


_new = Encoding.__new__


def _restored(inner: _core.Encoding) -> Encoding:
    return Encoding._of(inner)


def _inner_of(state: dict[str, Any]) -> _core.Encoding:
    """Returns the encoding of the core with columns of JSON."""
    length = len(state["ids"])
    words = [_NONE if word is None else word for word in state["words"]]
    offsets = _column([place for offset in state["offsets"] for place in offset])
    ranges = [
        (int(sequence), span["start"], span["end"])
        for sequence, span in state["sequence_ranges"].items()
    ]
    return _core.Encoding(
        (
            _column(state["ids"]),
            (state["tokens"], _column(range(length))),
            _column(range(length)),
            offsets,
            offsets,
            _column(words),
            _column(state["type_ids"]),
            _column([0] * length),
            _column(state["special_tokens_mask"]),
            _column(state["attention_mask"]),
            ranges,
            [_inner_of(part) for part in state["overflowing"]],
        )
    )


def _column(values: Sequence[int]) -> bytes:
    """Returns the bytes that the core reads as a column."""
    return struct.pack(f"<{len(values)}I", *values)
