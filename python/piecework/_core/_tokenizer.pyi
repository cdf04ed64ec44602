"""The tokenizer."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias, final

from piecework._core._batch import Batch
from piecework._core._encoding import Encoding
from piecework.types import Specials, UnknownPolicy

_ModelSettings: TypeAlias = tuple[str, str | None, UnknownPolicy, int | None]

@final
class Tokenizer:
    """All stages in a row, immutable."""

    @staticmethod
    def from_json(
        data: bytes, ignore_truncation: bool, ignore_padding: bool, allow_no_unk: bool
    ) -> Tokenizer:
        """Read a tokenizer.json."""

    @staticmethod
    def from_vocab(data: bytes, splitter: str, model: _ModelSettings) -> Tokenizer:
        """Read a vocab.txt; `model` is prefix, unknown token, unknown policy and word limit."""

    def with_model(self, model: _ModelSettings) -> Tokenizer:
        """Give the same tokenizer with other settings of its model."""

    def to_json(self) -> str:
        """Give the tokenizer.json."""

    def to_vocab(self) -> str:
        """Give the vocab.txt."""

    def splitter(self) -> str:
        """Give normalizer and pre-tokenizer as JSON."""

    def model(self) -> _ModelSettings:
        """Give prefix, unknown token, unknown policy and word limit."""

    def special_tokens(self) -> list[tuple[str, int]]:
        """Give the special tokens with their ids."""

    def vocab(self) -> dict[str, int]:
        """Give tokens and ids, in order of the ids."""

    def token_to_id(self, token: str) -> int | None:
        """Give the id of a token."""

    def id_to_token(self, id: int) -> str | None:  # noqa: A002  # the name that the field uses
        """Give the token of an id."""

    def training(self) -> tuple[str, str, list[int]] | None:
        """Give the trainer's settings (JSON), the counts' fingerprint and the token counts."""

    def history(self) -> list[tuple[str, str, str, float, int, int, int, int]] | None:
        """Give the merges: left, right, token, score, pair, left and right count, ties."""

    def encode(
        self, text: str, pair: str | None, add_special_tokens: bool, specials: Specials
    ) -> Encoding:
        """Encode a text or pair."""

    def encode_ids(
        self, text: str, pair: str | None, add_special_tokens: bool, specials: Specials
    ) -> list[int]:
        """Give the ids of a text or pair."""

    def encode_batch(
        self,
        batch: Iterable[str],
        add_special_tokens: bool,
        specials: Specials,
        threads: int | None,
    ) -> Batch:
        """Give the ids of many texts."""

    def count(self, text: str, add_special_tokens: bool, specials: Specials) -> int:
        """Give the number of tokens of a text."""

    def log_likelihood(self, text: str, specials: Specials) -> float:
        """Give the sum of ln p over the tokens of a text."""

    def decode(self, ids: Sequence[int], skip_special_tokens: bool) -> str:
        """Give the text of ids."""

    def first_unmatched(self, word: str) -> int | None:
        """Give the first character of a word at which no piece begins; None where pieces cover it."""

    def word_pieces(
        self, text: str
    ) -> list[tuple[str, list[tuple[int, tuple[int, int], list[str]]]]]:
        """Give normalized words; for each piece its id, its characters, and the prefixes that failed."""

    def __len__(self) -> int: ...
