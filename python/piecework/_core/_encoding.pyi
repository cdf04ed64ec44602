"""One encoded text."""

from typing import Any, final

@final
class Encoding:
    r"""The tokens of a text or pair, in columns of one length; `encoding[i]` is the id of token i.

    It never changes, and pickles. Columns are made when they are asked for, as new lists.

    >>> from piecework import Tokenizer
    >>> encoding = Tokenizer.from_str("[UNK]\n[CLS]\n[SEP]\nhug\n##s\n").encode("Hugs", "hug")
    >>> encoding
    Encoding(6 tokens: ["[CLS]", "hug", "##s", "[SEP]", "hug", "[SEP]"])
    >>> list(zip(encoding.ids, encoding.offsets, encoding.word_ids, encoding.type_ids))[1:3]
    [(3, (0, 3), 0, 0), (4, (3, 4), 0, 0)]

    Characters, tokens and words are found from each other; where there is nothing to be found, None is given.

    >>> encoding.char_to_token(3), encoding.token_to_chars(2), encoding.word_to_tokens(0)
    (2, (3, 4), (1, 3))
    >>> encoding.char_to_token(0, 1), encoding.token_to_sequence(4), encoding.char_to_token(9)
    (4, 1, None)
    """

    @property
    def ids(self) -> list[int]:
        """Token ids."""

    @property
    def tokens(self) -> list[str]:
        """Tokens, as the vocabulary writes them; an added token that took white space along, as the text does."""

    @property
    def offsets(self) -> list[tuple[int, int]]:
        """Characters of the original text that each token covers, (start, end); (0, 0) for added ones.

        In a text that came in words they count in the word.
        """

    @property
    def byte_offsets(self) -> list[tuple[int, int]]:
        """Bytes of the original text, as UTF-8, that each token covers, (start, end)."""

    @property
    def word_ids(self) -> list[int | None]:
        """The number of the word, in its text, that each token belongs to; None for added tokens."""

    @property
    def sequence_ids(self) -> list[int | None]:
        """The text, 0 or 1, that each token belongs to; None for added tokens."""

    @property
    def type_ids(self) -> list[int]:
        """Type ids: 0 for the first text, 1 for the second, or as the template has it."""

    @property
    def attention_mask(self) -> list[int]:
        """0 for padding, 1 for all else."""

    @property
    def special_tokens_mask(self) -> list[int]:
        """1 for tokens that the post-processor or padding added, else 0."""

    @property
    def overflowing(self) -> list[Encoding]:
        r"""What truncation cut off, in parts that are as long and share `stride` tokens with the one before.

        >>> from piecework import Tokenizer, Truncation
        >>> tok = Tokenizer.from_str("[UNK]\na\nb\nc\nd\n")
        >>> encoding = tok.encode("a b c d", truncation=Truncation(3, stride=1))
        >>> encoding.tokens, [part.tokens for part in encoding.overflowing]
        (['a', 'b', 'c'], [['c', 'd']])
        """

    @property
    def n_sequences(self) -> int:
        """How many texts there are: 1, or 2 for a pair."""

    def char_to_token(self, char_pos: int, sequence_index: int = 0) -> int | None:
        r"""Give the token that covers a character.

        Args:
            char_pos: The character, counted in its text.
            sequence_index: The text: 0, or 1 for the second of a pair.

        Returns:
            The token's place; None if no token covers it, as beyond the end.

        Raises:
            ConfigError: A number is negative; so for all that follow.

        >>> from piecework import Tokenizer
        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").encode("a hugs").char_to_token(5)
        2
        """

    def char_to_word(self, char_pos: int, sequence_index: int = 0) -> int | None:
        r"""Give the number of the word that a character is in; arguments as for `char_to_token`.

        >>> from piecework import Tokenizer
        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").encode("a hugs").char_to_word(5)
        1
        """

    def token_to_chars(self, token_index: int) -> tuple[int, int] | None:
        r"""Give the characters that a token covers, in its text; None for tokens that no text has.

        >>> from piecework import Tokenizer
        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").encode("a hugs").token_to_chars(2)
        (5, 6)
        """

    def token_to_word(self, token_index: int) -> int | None:
        r"""Give the number of a token's word, in its text; None for tokens that no text has.

        >>> from piecework import Tokenizer
        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").encode("a hugs").token_to_word(2)
        1
        """

    def token_to_sequence(self, token_index: int) -> int | None:
        r"""Give the text, 0 or 1, that a token is of; None for tokens that no text has.

        >>> from piecework import Tokenizer
        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").encode("a", "hugs").token_to_sequence(2)
        1
        """

    def word_to_tokens(self, word_index: int, sequence_index: int = 0) -> tuple[int, int] | None:
        r"""Give the tokens of a word, as the first place and the one behind the last.

        Args:
            word_index: The word's number in its text.
            sequence_index: The text: 0, or 1 for the second of a pair.

        Returns:
            The range of places; None if no token is of that word.

        >>> from piecework import Tokenizer
        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").encode("a hugs").word_to_tokens(1)
        (1, 3)
        """

    def word_to_chars(self, word_index: int, sequence_index: int = 0) -> tuple[int, int] | None:
        r"""Give the characters of a word, in its text; arguments as for `word_to_tokens`.

        >>> from piecework import Tokenizer
        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").encode("a hugs").word_to_chars(1)
        (2, 6)
        """

    def __new__(cls, state: tuple[Any, ...]) -> Encoding:
        """Make again what was pickled; raises ValueError if `state` cannot be that."""

    def __reduce__(self) -> tuple[type[Encoding], tuple[tuple[Any, ...]]]:
        """Pickle as columns, tokens by their names."""

    def __len__(self) -> int: ...
    def __getitem__(self, key: int, /) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    def __ne__(self, other: object) -> bool: ...
