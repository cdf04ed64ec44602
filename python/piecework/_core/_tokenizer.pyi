"""The tokenizer."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, final

from piecework._core._arrow import ArrowTexts
from piecework._core._batch import Batch
from piecework._core._encoding import Encoding
from piecework._core._options import Options
from piecework._core._stream import DecodeStream
from piecework.arguments import Segmentation, Specials, Text, UnknownPolicy, Way

_Functions: TypeAlias = Sequence[Callable[[str], object]]
_ModelSettings: TypeAlias = tuple[str, str | None, UnknownPolicy, int | None, Segmentation]
_AddedToken: TypeAlias = tuple[str, bool, bool, bool, bool, bool]
"""Content, single_word, lstrip, rstrip, normalized, special."""

@final
class Tokenizer:
    """All stages in a row, immutable.

    Where JSON may hold "piecework.Function", `functions` are the Python functions that it means by their numbers.
    """

    @staticmethod
    def from_json(
        data: bytes, functions: _Functions, allow_no_unk: bool, exact_numbers: bool
    ) -> Tokenizer:
        """Read a tokenizer.json; the numbers of Unigram exactly, or as `tokenizers` reads them."""

    @staticmethod
    def from_vocab(
        data: bytes, splitter: str | None, functions: _Functions, model: _ModelSettings
    ) -> Tokenizer:
        """Read a vocab.txt; without `splitter` its stages are BERT's; `model` is prefix, unknown token, unknown policy, word limit and segmentation."""

    def with_model(
        self, model: _ModelSettings, probabilities: Mapping[str, float] | None
    ) -> Tokenizer:
        """Give the same tokenizer with other settings of its WordPiece; None keeps its probabilities, an empty mapping has none."""

    def as_bpe(self) -> Tokenizer:
        """Give the same tokenizer with a BPE model, whose merges are the history of its WordPiece."""

    def with_parts(self, parts: str, functions: _Functions) -> Tokenizer:
        """Give the same tokenizer with other parts: those that `parts` (JSON) has, null for none."""

    def parts(self) -> str:
        """Give all but the model and its tokens as JSON."""

    def with_added_tokens(self, tokens: Sequence[_AddedToken]) -> Tokenizer:
        """Give the same tokenizer with more added tokens, or other flags of those it has."""

    def added_tokens(self) -> list[tuple[int, _AddedToken]]:
        """Give the added tokens with their ids."""

    def control_symbols(self) -> list[str]:
        """Give the special tokens that by default are ordinary text."""

    def with_control_symbols(self, names: Sequence[str]) -> Tokenizer:
        """Give the same tokenizer, of whose special tokens just these are control symbols."""

    def to_json(self) -> str:
        """Give the tokenizer.json."""

    def to_vocab(self) -> str:
        """Give the vocab.txt."""

    def splitter(self) -> str:
        """Give normalizer and pre-tokenizer as JSON."""

    def model_type(self) -> str:
        """Give the kind of model, "WordPiece", "BPE", "Unigram" or "WordLevel"."""

    def has_dropout(self) -> bool:
        """Return whether the model itself drops merges or tokens at random, where a call does not say."""

    def model_json(self) -> str:
        """Give the model with its vocabulary as a tokenizer.json has it."""

    def continuing_subword_prefix(self) -> str:
        """Give what marks a token that continues a word; empty if nothing does."""

    def model(self) -> _ModelSettings:
        """Give prefix, unknown token, unknown policy, word limit and segmentation of a WordPiece."""

    def generic_path_reason(self) -> str | None:
        """Returns why texts take the generic path; None if they take the fast path."""

    def kernel(self) -> str | None:
        """Returns the vector instructions of the fast path; None if texts take the generic path."""

    def split_backends(self) -> list[str]:
        """What finds the patterns of the pre-tokenizer, in their order."""

    def unreachable_tokens(self) -> list[str]:
        """Give the tokens of a BPE model that no text becomes; none but for BPE."""

    def max_id(self) -> int | None:
        """Return the largest id; None of an empty vocabulary."""

    def unk_token(self) -> str | None:
        """Give the unknown token that the model names, in the vocabulary or not."""

    def special_tokens(self) -> list[tuple[str, int]]:
        """Give the special tokens with their ids."""

    def model_vocab(self) -> dict[str, int]:
        """Give the model's tokens and ids, in order of the ids."""

    def vocab(self) -> dict[str, int]:
        """Give tokens and ids, added ones too, in order of the ids."""

    def token_to_id(self, token: str) -> int | None:
        """Give the id of a token."""

    def id_to_token(self, id: int) -> str | None:  # noqa: A002  # the name that the field uses
        """Give the token of an id."""

    def training(self) -> tuple[str, str, list[int]] | None:
        """Give the trainer's settings (JSON), the counts' fingerprint and the token counts."""

    def history(self) -> list[tuple[str, str, str, float, int, int, int, int]] | None:
        """Give the merges: left, right, token, score, pair, left and right count, ties."""

    def steps(self) -> list[tuple[int, float | None, list[str] | None]] | None:
        """Give the rounds of Unigram: pieces before, log-likelihood, what was removed if that is known."""

    def options(
        self,
        add_special_tokens: bool,
        specials: Specials | None,
        truncation: bool | str,
        padding: bool | str,
        way: Way,
    ) -> Options:
        """Give the options of calls.

        Args:
            add_special_tokens: Whether the post-processor adds its special tokens.
            specials: What special tokens in the text are; None: control symbols are text, all others are matched.
            truncation: JSON; True as the tokenizer prescribes, False for none.
            padding: The same for padding.
            way: The road, and what decides about merges.
        """

    def encode(
        self,
        text: Text | Iterable[str],
        pair: Text | Iterable[str] | None,
        is_pretokenized: bool,
        options: Options,
    ) -> Encoding:
        """Encode a text or pair; with `is_pretokenized` each is a list of words."""

    def encode_segments(self, segments: Iterable[tuple[str, bool]], options: Options) -> Encoding:
        """Encode one text that comes in segments, each with whether special tokens in it are matched."""

    def encode_ids(
        self,
        text: Text | Iterable[str],
        pair: Text | Iterable[str] | None,
        is_pretokenized: bool,
        options: Options,
    ) -> list[int]:
        """Give the ids of a text or pair."""

    def encode_batch(
        self,
        batch: Iterable[Any] | ArrowTexts,
        is_pretokenized: bool,
        options: Options,
        columns: bool,
        threads: int | None,
    ) -> Batch:
        """Give the ids of many texts or pairs (tuples), and if `columns` all else about their tokens."""

    def encode_file(
        self,
        path: str,
        data: bytes | None,
        lines: bool,
        replace: bool,
        options: Options,
        threads: int | None,
        progress: Callable[[int], object],
        block: int,
    ) -> Batch:
        """Give the ids of a file, or of the data of one, as one text or a text a line.

        Blocks of `block` bytes are read at a time, and `progress` is called with the bytes read.
        """

    def count(self, text: Text, options: Options) -> int:
        """Give the number of tokens of a text, neither truncated nor padded."""

    def encode_nbest(self, text: Text, n: int, options: Options) -> list[tuple[Encoding, float]]:
        """Give the best segmentations of a text, best first, and the sums of their scores."""

    def log_probability(self, text: Text, options: Options) -> float:
        """Give the logarithm of the probability of a text."""

    def score(self, ids: Sequence[int]) -> float:
        """Give the sum of the scores of a list of tokens."""

    def log_likelihood(self, text: str, options: Options) -> float:
        """Give the sum of ln p over the tokens of a text."""

    def decode(self, ids: Sequence[int], skip_special_tokens: bool) -> str:
        """Give the text of ids."""

    def decode_bytes(self, ids: Sequence[int], skip_special_tokens: bool) -> bytes:
        """Give the text of ids as bytes, those that are no UTF-8 as they are."""

    def decode_stream(self, skip_special_tokens: bool, as_bytes: bool) -> DecodeStream:
        """Give a stream of ids that become text, or bytes."""

    def token_bytes(self, token: str) -> bytes:
        """Give the bytes that a token by itself stands for: what the decoder does to it alone."""

    def first_unmatched(self, word: str) -> int | None:
        """Give the first character of a word at which no piece begins; None where pieces cover it."""

    def word_pieces(
        self, text: str
    ) -> list[tuple[str, list[tuple[int, tuple[int, int], list[str]]]]]:
        """Give normalized words; for each piece its id, its characters, and the prefixes that failed."""

    def word_scores(
        self, text: str, n: int
    ) -> list[tuple[float, list[tuple[list[int], float]]] | None]:
        """Give for each word, but added tokens, ln of its probability, and ids and scores of its n best segmentations."""

    def __len__(self) -> int: ...
