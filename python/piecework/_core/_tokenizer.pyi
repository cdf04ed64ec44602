"""Defines the tokenizer."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypedDict, final, type_check_only

import numpy as np
import numpy.typing as npt

from piecework._core._arrow import ArrowTexts
from piecework._core._batch import Batch
from piecework._core._encoding import Encoding
from piecework._core._options import Options
from piecework._core._stream import DecodeStream
from piecework._settings.arguments import Specials, Text, Way
from piecework._settings.choices import Segmentation, UnknownPolicy

_Functions: TypeAlias = Sequence[Callable[[str], object]]
_ModelSettings: TypeAlias = tuple[str, str | None, UnknownPolicy, int | None, Segmentation]
_AddedToken: TypeAlias = tuple[str, bool, bool, bool, bool, bool]
_AddedTokenRun: TypeAlias = tuple[tuple[bool, bool, bool, bool, bool], Sequence[str]]
"""Content, single_word, lstrip, rstrip, normalized, special."""

_Span: TypeAlias = tuple[int, int]
"""Start and end in characters."""
_TokenRow: TypeAlias = tuple[int, _Span, _Span, _Span]
"""Id, and spans in the word, the normalized text and the original."""
_PlacedToken: TypeAlias = tuple[int | None, _Span]
"""Id, or None for a character that is no token, and span in the word."""
_PairMerge: TypeAlias = tuple[int, int, int, int]
"""Left, right and merged id, and rank."""
_MergeStep: TypeAlias = tuple[int, _PairMerge, list[_PairMerge]]
"""Index of the left symbol, the merge, and the merges that it blocks."""

@type_check_only
class _Merges(TypedDict):
    is_whole: bool
    symbols: list[_PlacedToken]
    steps: list[_MergeStep]
    replacements: list[tuple[int, int, list[int]]]

@type_check_only
class _Lattice(TypedDict):
    edges: list[tuple[int | None, _Span, float]]
    log_probability: float
    best: list[tuple[list[_PlacedToken], float]]

@type_check_only
class _WordRow(TypedDict):
    text: str
    added: int | None
    normalized: _Span
    original: _Span
    tokens: list[_TokenRow]
    token_count: int
    matches: list[_PlacedToken] | None
    merges: _Merges | None
    lattice: _Lattice | None

@type_check_only
class _ExplainedText(TypedDict):
    normalized: str
    runs: list[tuple[int, int, int, int]]
    words: list[_WordRow]
    word_count: int

@final
class Tokenizer:
    """Runs all stages; immutable.

    If JSON contains "piecework.Function", `functions` are the Python functions that it refers to by index.
    """

    @staticmethod
    def from_json(
        data: bytes,
        allow_no_unk: bool,
        exact_numbers: bool,
        added_token_ids: str | None = None,
        place: str = "",
    ) -> Tokenizer:
        """Returns the tokenizer of a tokenizer.json, with Unigram scores parsed exactly or like `tokenizers`.

        `added_token_ids` is "file", "tokenizers" or None, which refuses ids that differ. A record of ours that does not
        belong to the other members of the file is ignored with a warning, in which `place` names the file.
        """

    @staticmethod
    def from_json_as_tokenizers(data: bytes, place: str) -> Tokenizer:
        """Returns the tokenizer that `tokenizers` reads from a tokenizer.json; for `place` see `from_json`."""

    @staticmethod
    def from_vocab(
        data: bytes, splitter: str | None, functions: _Functions, model: _ModelSettings
    ) -> Tokenizer:
        """Returns the tokenizer of a vocab.txt, by default with BERT's stages.

        `model` is prefix, unknown token, unknown policy, word limit and segmentation.
        """

    def with_model(
        self, model: _ModelSettings, probabilities: Mapping[str, float] | None
    ) -> Tokenizer:
        """Returns a tokenizer with other settings of its WordPiece model.

        None keeps the probabilities, an empty mapping removes them.
        """

    def as_bpe(self) -> Tokenizer:
        """Returns a tokenizer with a BPE model, whose merges are the history of the WordPiece model."""

    def with_parts(self, parts: str, functions: _Functions) -> Tokenizer:
        """Returns a tokenizer with the parts in `parts` (JSON) replaced; null removes one."""

    def model_alone(self) -> Tokenizer:
        """Returns a tokenizer with the same model, without other parts and added tokens."""

    def parts(self) -> str:
        """Returns all parts except the model and added tokens as JSON."""

    def with_symbols(self, tokens: Sequence[_AddedTokenRun]) -> Tokenizer:
        """Returns the tokenizer with more added tokens: user-defined symbols if it encodes like SentencePiece."""

    def has_nearest_splitter(self) -> bool:
        """Returns whether a tokenizer.json has other components, which `tokenizers` has, for the normalizer."""

    def with_added_tokens(self, tokens: Sequence[_AddedTokenRun]) -> Tokenizer:
        """Returns a tokenizer with more added tokens, or with other flags of existing ones."""

    def added_tokens(self) -> list[tuple[int, _AddedToken]]:
        """Returns the added tokens with their ids."""

    def possible_entries(self) -> list[str]:
        """Returns the added tokens outside the vocabulary that the model never matches in words as entries either."""

    def inserted_tokens(self) -> list[tuple[str, str, int]]:
        """Returns the tokens that "post_processor" and "padding" insert: the part, the name and the id."""

    def control_symbols(self) -> list[str]:
        """Returns the special tokens that are ordinary text by default."""

    def with_control_symbols(self, names: Sequence[str]) -> Tokenizer:
        """Returns a tokenizer of whose special tokens exactly `names` are control symbols."""

    def with_kept(self, names: Sequence[str]) -> Tokenizer:
        """Returns a tokenizer whose untrusted texts may spell these added tokens, and those of white space alone."""

    def to_json(self) -> str:
        """Returns the tokenizer.json."""

    def to_saved_json(self) -> str:
        """Returns the tokenizer.json with the fingerprint."""

    def fingerprint(self) -> str:
        """Returns the SHA-256 of what decides ids, in hexadecimal digits."""

    def to_vocab(self) -> str:
        """Returns the vocab.txt."""

    def splitter(self) -> str:
        """Returns normalizer and pre-tokenizer as JSON."""

    def model_type(self) -> str:
        """Returns the type of the model: "WordPiece", "BPE", "Unigram" or "WordLevel"."""

    def has_dropout(self) -> bool:
        """Returns whether the model uses dropout by default."""

    def single_type_id(self) -> int | None:
        """Returns the type id of all tokens of a single text; None if they may differ."""

    def model_json(self) -> str:
        """Returns the model with its vocabulary as in a tokenizer.json."""

    def continuing_subword_prefix(self) -> str:
        """Returns the prefix of tokens that continue a word; may be empty."""

    def end_of_word_suffix(self) -> str:
        """Returns the suffix of tokens that end a word; may be empty."""

    def model(self) -> _ModelSettings:
        """Returns prefix, unknown token, unknown policy, word limit and segmentation of a WordPiece model."""

    def generic_path_reason(self) -> str | None:
        """Returns why texts take the generic path; None if they take the fast path."""

    def sizes(self) -> dict[str, int]:
        """Returns the sizes that limits bound, by the names of the limits."""

    def build_tables(self, specials: Specials | None = None, untrusted: bool = False) -> None:
        """Builds the tables of calls with such a treatment of special tokens, which the first of them builds otherwise.

        For `untrusted` see `options`.
        """

    def kernel(self) -> str | None:
        """Returns the vector instructions of the fast path; None if texts take the generic path."""

    def with_kernel(self, name: str) -> Tokenizer | None:
        """Returns the tokenizer with these vector instructions, or None if they or the fast path are missing."""

    def split_backends(self) -> list[str]:
        """Returns the matcher of each split pattern of the pre-tokenizer, in order."""

    def unreachable_tokens(self) -> list[str]:
        """Returns the tokens that no text is encoded to: no merge makes them, or an added token is matched inside them."""

    def unused_merges(self) -> list[tuple[int, int]]:
        """Returns the ids of the pairs of a BPE model that no word merges, in order; none for other models."""

    def max_id(self) -> int | None:
        """Returns the largest id; None for an empty vocabulary."""

    def unk_token(self) -> str | None:
        """Returns the unknown token of the model, even if it is not in the vocabulary."""

    def special_tokens(self) -> list[tuple[str, int]]:
        """Returns the special tokens with their ids."""

    def model_vocab(self) -> dict[str, int]:
        """Returns the tokens and ids of the model, in order of the ids."""

    def vocab(self) -> dict[str, int]:
        """Returns all tokens and ids, added tokens included, in order of the ids."""

    def vocab_ids(self) -> npt.NDArray[np.uint32]:
        """Returns the ids of all tokens, added tokens included, in ascending order."""

    def token_to_id(self, token: str) -> int | None:
        """Returns the id of a token, or None."""

    def id_to_token(self, id: int) -> str | None:  # noqa: A002  # the name that the field uses
        """Returns the token of an id, or None."""

    def training(self) -> tuple[str, str, list[int]] | None:
        """Returns the trainer's settings (JSON), the fingerprint of the counts and the token counts."""

    def history(self) -> list[tuple[str, str, str, float, int, int, int, int]] | None:
        """Returns the merges: left, right, token, score, pair count, left count, right count, ties."""

    def steps(self) -> list[tuple[int, float | None, list[str] | None]] | None:
        """Returns the steps of a Unigram training: pieces before, log-likelihood, and removed pieces if known."""

    def options(
        self,
        add_special_tokens: bool,
        specials: Specials | Literal["unmatched"] | None,
        truncation: bool | str,
        padding: bool | str,
        way: Way,
        untrusted: bool = False,
    ) -> Options:
        """Give the options of calls.

        Args:
            add_special_tokens: Whether the post-processor adds its special tokens.
            specials: What special tokens in the text are; None: control symbols are text, all others are matched;
                ``"unmatched"``: as ``encode_special_tokens`` of ``tokenizers``.
            truncation: JSON; True as the tokenizer prescribes, False for none.
            padding: The same for padding.
            way: The encoding path, and the settings of sampling.
            untrusted: Whether `specials` is for all added tokens that are special, or neither kept nor white space alone. None
                is ``"text-all"`` then, and a set may have any added token.
        """

    def encode(
        self,
        text: Text | Iterable[str],
        pair: Text | Iterable[str] | None,
        is_pretokenized: bool,
        options: Options,
    ) -> Encoding:
        """Encodes a text or pair; with `is_pretokenized` each is a list of words."""

    def encode_segments(
        self, segments: Iterable[tuple[str, bool]], options: Options, joined: bool = False
    ) -> Encoding:
        """Encodes one text given as segments, each with whether all added tokens in it are matched.

        The `specials` of the options are for the others. If they are `joined`, words may span segments, the others are
        untrusted, and `specials` does not matter.
        """

    def encode_segments_batch(
        self,
        rows: Iterable[Iterable[tuple[str, bool]]],
        options: Options,
        columns: bool,
        threads: int | None,
    ) -> Batch:
        """Returns the ids of many texts in segments, with all other columns if `columns`."""

    def encode_ids(
        self,
        text: Text | Iterable[str],
        pair: Text | Iterable[str] | None,
        is_pretokenized: bool,
        options: Options,
        as_array: bool,
    ) -> list[int] | npt.NDArray[np.uint32]:
        """Returns the ids of a text or pair as a list or, if `as_array`, as a new array."""

    def encode_batch(
        self,
        batch: Iterable[Any] | ArrowTexts,
        is_pretokenized: bool,
        options: Options,
        columns: bool,
        threads: int | None,
    ) -> Batch:
        """Returns the ids of many texts or pairs (tuples), with all other columns if `columns`."""

    def encode_list(
        self,
        texts: list[Any],
        is_pretokenized: bool,
        options: Options,
        offsets: bool,
        threads: int | None,
    ) -> list[Encoding]:
        """Returns the encodings of many texts or pairs (tuples); without `offsets` they have ids and masks alone."""

    def post_process(self, encoding: Encoding, pair: Encoding | None, options: Options) -> Encoding:
        """Truncates, post-processes and pads the encodings of a text or pair, which have no special tokens."""

    def encode_file(
        self,
        path: str,
        reading: tuple[bytes | None, bool, bool, int],
        options: Options,
        threads: int | None,
        progress: Callable[[int], object],
    ) -> Batch:
        """Returns the ids of a file, or of its data, as one text or one text per line.

        `reading` has the data, whether each line is a text, whether U+FFFD replaces invalid UTF-8, and the number of bytes
        that are read at a time. `progress` is called with the number of bytes read.
        """

    def count(self, text: Text, options: Options) -> int:
        """Returns the number of tokens of a text, without truncation and padding."""

    def truncate_text(
        self, text: str, n: int, left: bool, continues: bool, options: Options
    ) -> tuple[str, bool] | None:
        """Returns the longest prefix of a text with at most `n` tokens, or with `left` the longest suffix.

        The second value says whether it is proven to be the longest. With `continues`, `text` is the beginning or the end of a longer text; None if more of it is needed.
        """

    def last_pairs(self) -> list[tuple[int, int, int]]:
        """Returns what a BPE model merges its entries from, as ids: left, right and merged; none for other models."""

    def encode_nbest(self, text: Text, n: int, options: Options) -> list[tuple[Encoding, float]]:
        """Returns the `n` best segmentations of a text with their scores, best first."""

    def log_probability(self, text: Text, options: Options) -> float:
        """Returns the marginal log-likelihood of a text."""

    def score(self, ids: Sequence[int]) -> float:
        """Returns the sum of the scores of token ids."""

    def log_probabilities(self, ids: Sequence[int]) -> list[float] | None:
        """Returns ln p of each id: Unigram's scores, or the p of `log_likelihood`; None if the model has neither."""

    def log_likelihood(self, text: str, options: Options) -> float:
        """Returns the sum of ln p over the tokens of a text."""

    def decode(
        self, ids: Sequence[int], skip_special_tokens: bool, added_as_entries: bool = False
    ) -> str:
        """Returns the text of ids.

        With `added_as_entries` the decoder takes added tokens for entries of the model, as `tokenizers` does, and not for
        text.
        """

    def decode_bytes(self, ids: Sequence[int], skip_special_tokens: bool) -> bytes:
        """Returns the bytes of ids, which need not be valid UTF-8."""

    def decode_stream(
        self,
        skip_special_tokens: bool,
        output: Literal["text", "bytes", "details"],
        stops: Sequence[str | int] = (),
        after: Sequence[int] = (),
        added_as_entries: bool = False,
    ) -> DecodeStream[Any]:
        """Returns a stream that decodes ids to text, bytes or steps after other ids, up to a stop; see `decode`."""

    def decode_batch(
        self, rows: Batch | Iterable[Iterable[int]], skip_special_tokens: bool
    ) -> list[str]:
        """Returns the texts of rows of ids."""

    def decode_bytes_batch(
        self, rows: Batch | Iterable[Iterable[int]], skip_special_tokens: bool
    ) -> list[bytes]:
        """Returns the bytes of rows of ids."""

    def decode_tokens_bytes(self, ids: Sequence[int], skip_special_tokens: bool) -> list[bytes]:
        """Returns the bytes of each id in the text of all."""

    def decode_offsets(
        self, ids: Sequence[int], skip_special_tokens: bool
    ) -> tuple[str, list[int], list[int]]:
        """Returns the text of ids, and the first character and the first byte of each."""

    def decode_offsets_batch(
        self, rows: Batch | Iterable[Iterable[int]], skip_special_tokens: bool
    ) -> tuple[list[str], npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Returns the texts of rows of ids, the first character and byte of each id, and the row offsets."""

    def all_token_bytes(self) -> tuple[bytes, npt.NDArray[np.int64]]:
        """Returns the bytes that each id adds to a text between other tokens, and the offset of each."""

    def token_bytes(self, token: int) -> bytes:
        """Returns the bytes of the token with an id, decoded alone."""

    def text_bytes(self, text: str) -> bytes:
        """Returns the bytes of a part of a word, written as in tokens of the model, decoded alone."""

    def explain(
        self, text: str, options: Options, span: tuple[int, int], limits: tuple[int, int, int]
    ) -> _ExplainedText:
        """Returns the stages of a text for the words that overlap with a range of its characters.

        The limits are characters of words to explain, characters of the longest word with steps, and the number of best
        segmentations.
        """

    def merges_of(self, token: str) -> list[_MergeStep] | None:
        """Returns the merges by which a BPE model makes a token from its characters, in order.

        Empty if they do not make it; None for a single character, and for other models.
        """

    def __len__(self) -> int: ...
