"""Defines the encoding of one text."""

from collections.abc import Iterator, Sequence
from typing import Any, Self, final, overload

class Encoding:
    r"""Holds the tokens of a text or pair in columns of equal length; `encoding[i]` is the id of token i.

    An encoding is immutable and can be pickled. Columns are returned as new lists.

    >>> from piecework import Tokenizer
    >>> encoding = Tokenizer.from_str("[UNK]\n[CLS]\n[SEP]\nhug\n##s\n").encode("Hugs", "hug")
    >>> encoding
    Encoding(6 tokens: ["[CLS]", "hug", "##s", "[SEP]", "hug", "[SEP]"])
    >>> list(zip(encoding.ids, encoding.offsets, encoding.word_ids, encoding.type_ids))[1:3]
    [(3, (0, 3), 0, 0), (4, (3, 4), 0, 0)]

    Methods map characters, tokens and words to each other; they return None if there is no match.

    >>> encoding.char_to_token(3), encoding.token_to_chars(2), encoding.word_to_tokens(0)
    (2, (3, 4), (1, 3))
    >>> encoding.char_to_token(0, 1), encoding.token_to_sequence(4), encoding.char_to_token(9)
    (4, 1, None)
    """

    @property
    def ids(self) -> list[int]:
        """Returns the token ids."""

    @property
    def tokens(self) -> list[str]:
        """Returns the tokens as in the vocabulary; an added token that includes white space as in the text."""

    @property
    def offsets(self) -> list[tuple[int, int]]:
        """Returns the start and end of each token in characters of the original text; (0, 0) for added tokens.

        In a pre-tokenized text they count in the word.
        """

    @property
    def byte_offsets(self) -> list[tuple[int, int]]:
        """Returns the start and end of each token in bytes of the original text as UTF-8."""

    @property
    def word_ids(self) -> list[int | None]:
        """Returns the index in its text of each token's word; None for added tokens."""

    @property
    def sequence_ids(self) -> list[int | None]:
        """Returns the text of each token, 0 or 1; None for added tokens."""

    @property
    def type_ids(self) -> list[int]:
        """Returns the type ids: 0 for the first text, 1 for the second, or those of the template."""

    @property
    def attention_mask(self) -> list[int]:
        """Returns 0 for padding and 1 for other tokens."""

    @property
    def special_tokens_mask(self) -> list[int]:
        """Returns 1 for each token that post-processor or padding added, else 0."""

    @property
    def overflowing(self) -> Overflowing:
        r"""Returns the tokens removed by truncation, in parts that share `stride` tokens with the previous part.

        Each part is made when it is asked for, since parts that share most of their tokens are long together.

        >>> from piecework import Tokenizer, Truncation
        >>> tok = Tokenizer.from_str("[UNK]\na\nb\nc\nd\n")
        >>> encoding = tok.encode("a b c d", truncation=Truncation(3, stride=1))
        >>> encoding.tokens, [part.tokens for part in encoding.overflowing]
        (['a', 'b', 'c'], [['c', 'd']])
        """

    @property
    def n_sequences(self) -> int:
        """Returns the number of texts: 1, or 2 for a pair."""

    def char_to_token(self, char_pos: int, sequence_index: int = 0) -> int | None:
        r"""Returns the token that covers a character.

        Args:
            char_pos: The index of the character in its text.
            sequence_index: The text: 0, or 1 for the second of a pair.

        Returns:
            The index of the token; None if no token covers the character.

        Raises:
            ConfigError: A number is negative; this holds for the following methods too.

        >>> from piecework import Tokenizer
        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").encode("a hugs").char_to_token(5)
        2
        """

    def char_to_word(self, char_pos: int, sequence_index: int = 0) -> int | None:
        r"""Returns the index of the word that contains a character; for the arguments see `char_to_token`.

        >>> from piecework import Tokenizer
        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").encode("a hugs").char_to_word(5)
        1
        """

    def token_to_chars(self, token_index: int) -> tuple[int, int] | None:
        r"""Returns the start and end of a token in characters of its text; None for added tokens.

        >>> from piecework import Tokenizer
        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").encode("a hugs").token_to_chars(2)
        (5, 6)
        """

    def token_to_word(self, token_index: int) -> int | None:
        r"""Returns the index of a token's word in its text; None for added tokens.

        >>> from piecework import Tokenizer
        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").encode("a hugs").token_to_word(2)
        1
        """

    def token_to_sequence(self, token_index: int) -> int | None:
        r"""Returns the text of a token, 0 or 1; None for added tokens.

        >>> from piecework import Tokenizer
        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").encode("a", "hugs").token_to_sequence(2)
        1
        """

    def word_to_tokens(self, word_index: int, sequence_index: int = 0) -> tuple[int, int] | None:
        r"""Returns the tokens of a word, as the first index and the one after the last.

        Args:
            word_index: The index of the word in its text.
            sequence_index: The text: 0, or 1 for the second of a pair.

        Returns:
            The range of token indices; None if the word has no tokens.

        >>> from piecework import Tokenizer
        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").encode("a hugs").word_to_tokens(1)
        (1, 3)
        """

    def word_to_chars(self, word_index: int, sequence_index: int = 0) -> tuple[int, int] | None:
        r"""Returns the start and end of a word in characters of its text; for the arguments see `word_to_tokens`.

        >>> from piecework import Tokenizer
        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").encode("a hugs").word_to_chars(1)
        (2, 6)
        """

    def truncate(self, max_length: int, stride: int = 0, direction: str = "right") -> Encoding:
        r"""Returns an encoding of the first (or last) `max_length` tokens, with the others in overflowing parts.

        Args:
            max_length: The number of tokens to keep.
            stride: The number of tokens that an overflowing part shares with the previous one.
            direction: The side that is cut off, ``"right"`` or ``"left"``.

        Returns:
            A new encoding.

        Raises:
            TruncationError: `stride` is not less than `max_length`.
            ConfigError: `direction` is unknown.

        >>> from piecework import Tokenizer
        >>> short = Tokenizer.from_str("[UNK]\na\nb\nc\n").encode("a b c").truncate(2)
        >>> short.tokens, short.overflowing[0].tokens
        (['a', 'b'], ['c'])
        """

    def pad(
        self,
        length: int,
        *,
        direction: str = "right",
        pad_id: int = 0,
        pad_type_id: int = 0,
        pad_token: str = "[PAD]",
    ) -> Encoding:
        r"""Returns the encoding and its overflowing parts, padded to `length` tokens.

        Args:
            length: The number of tokens.
            direction: The side that is padded, ``"right"`` or ``"left"``.
            pad_id: The id of the padding token.
            pad_type_id: Its type id.
            pad_token: Its name.

        Returns:
            A new encoding.

        Raises:
            ConfigError: `direction` is unknown, or `length` is over 2^28.

        >>> from piecework import Tokenizer
        >>> padded = Tokenizer.from_str("[UNK]\n[PAD]\na\n").encode("a").pad(3, pad_id=1)
        >>> padded.tokens, padded.attention_mask
        (['a', '[PAD]', '[PAD]'], [1, 0, 0])
        """

    @staticmethod
    def merge(encodings: Sequence[Encoding], growing_offsets: bool = True) -> Encoding:
        r"""Returns the concatenation of encodings.

        Args:
            encodings: The encodings.
            growing_offsets: Whether the offsets of each count from the end of the previous one.

        Returns:
            A new encoding, whose overflowing parts are all combinations of those of its members.

        >>> from piecework import Tokenizer
        >>> encoding = Tokenizer.from_str("[UNK]\na\n").encode("a a")
        >>> encoding.merge([encoding, encoding]).offsets
        [(0, 1), (2, 3), (3, 4), (5, 6)]
        """

    def with_sequence_id(self, sequence_id: int) -> Encoding:
        r"""Returns the encoding with all tokens assigned to the text with the index `sequence_id`.

        >>> from piecework import Tokenizer
        >>> Tokenizer.from_str("[UNK]\na\n").encode("a").with_sequence_id(1).token_to_sequence(0)
        1
        """

    def __new__(cls, state: tuple[Any, ...] | Encoding) -> Self:
        """Restores a pickled encoding, or shares the columns of another; raises ValueError for an invalid `state`."""

    def __reduce__(self) -> tuple[type[Encoding], tuple[tuple[Any, ...]]]:
        """Pickles the columns, with tokens as strings."""

    def to_dict(self) -> dict[str, Any]:
        r"""Returns the columns as JSON values.

        >>> from piecework import Tokenizer
        >>> Tokenizer.from_str("[UNK]\nlow\n").encode("low").to_dict()["offsets"]
        [(0, 3)]
        """

    def _repr_html_(self) -> str:
        """Returns the first tokens as HTML, for notebooks."""

    def __iter__(self) -> Iterator[int]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, key: int, /) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    def __ne__(self, other: object) -> bool: ...

@final
class Overflowing(Sequence[Encoding]):
    """Is the sequence of the parts that truncation cut off, each of which is made when it is asked for.

    It is pickled, and equal to lists, as a list.
    """

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, key: int, /) -> Encoding: ...
    @overload
    def __getitem__(self, key: slice, /) -> list[Encoding]: ...
    def __iter__(self) -> Iterator[Encoding]: ...
    def __reversed__(self) -> Iterator[Encoding]: ...
    def __add__(self, other: list[Encoding] | Overflowing, /) -> list[Encoding]: ...
    def __radd__(self, other: list[Encoding] | Overflowing, /) -> list[Encoding]: ...
    def index(self, value: object, start: int = 0, stop: int = ...) -> int:
        """Returns the place of the first part that equals a value, from `start` on and before `stop`.

        Raises:
            ValueError: There is none.
        """

    def count(self, value: object) -> int:
        """Returns the number of parts that equal a value."""

    def __eq__(self, other: object) -> bool: ...
    def __reduce__(self) -> tuple[type[list[Any]], tuple[list[Encoding]]]: ...
