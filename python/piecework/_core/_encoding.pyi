"""One encoded text."""

from typing import final

@final
class Encoding:
    r"""The tokens of a text or pair, in columns of one length; `encoding[i]` is the id of token i.

    >>> from piecework import Tokenizer
    >>> encoding = Tokenizer.from_str("[UNK]\n[CLS]\n[SEP]\nhug\n##s\n").encode("Hugs", "hug")
    >>> encoding
    Encoding(6 tokens: ["[CLS]", "hug", "##s", "[SEP]", "hug", "[SEP]"])
    >>> list(zip(encoding.ids, encoding.offsets, encoding.word_ids, encoding.type_ids))[1:3]
    [(3, (0, 3), 0, 0), (4, (3, 4), 0, 0)]
    """

    @property
    def ids(self) -> list[int]:
        """Token ids."""

    @property
    def tokens(self) -> list[str]:
        """Tokens, as the vocabulary writes them."""

    @property
    def offsets(self) -> list[tuple[int, int]]:
        """Characters of the original text that each token covers, (start, end); (0, 0) for added ones."""

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
        """1 for each token."""

    @property
    def special_tokens_mask(self) -> list[int]:
        """1 for tokens that the template added, else 0."""

    def __len__(self) -> int: ...
    def __getitem__(self, key: int, /) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    def __ne__(self, other: object) -> bool: ...
