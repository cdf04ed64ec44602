"""A common interface of both implementations, so that one test runs on both.

Arguments and results are plain values, as in `spec/cases`.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import piecework as pw
from piecework import reference
from piecework.reference.text import bert

Settings = Mapping[str, Any]
Specials = str | Collection[str]

SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
FLAGS = ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase")
DEFAULTS: Settings = {
    "normalizer": "bert",
    "clean_text": True,
    "handle_chinese_chars": True,
    "strip_accents": None,
    "lowercase": True,
    "pre_tokenizer": "bert",
    "unknown": "word",
    "prefix": "##",
    "max_input_chars_per_word": 100,
    "specials": "match",
}


class Token(NamedTuple):
    """A token of an encoding: its text, id, span of characters, and the number of its word."""

    text: str
    id: int
    span: tuple[int, int]
    word: int | None


class Trained(NamedTuple):
    """The result of training: entries by id, the history as rows, and the counts of entries."""

    vocab: list[str]
    history: list[dict[str, Any]]
    counts: list[int]


class Encoder(Protocol):
    """A tokenizer that adds no special tokens around a text."""

    def encode(self, text: str, specials: Specials = "match") -> list[Token]: ...
    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool = True) -> str: ...
    def log_likelihood(self, text: str) -> float: ...


class Impl(Protocol):
    """An implementation of WordPiece."""

    name: str

    def normalize(self, text: str, settings: Settings) -> str: ...
    def words(self, text: str, settings: Settings) -> list[tuple[str, tuple[int, int]]]: ...
    def count(self, texts: Sequence[str], settings: Settings) -> dict[str, int]: ...
    def train(self, words: Mapping[str, int], trainer: Settings) -> Trained: ...
    def encoder(
        self, vocab: Sequence[str], settings: Settings, counts: Sequence[int] | None = None
    ) -> Encoder: ...


# The reference


REFERENCE_SPLITTERS = {
    "bert": bert.split_bert,
    "whitespace": bert.split_whitespace,
    None: bert.whole_text,
}


def reference_normalizer(settings: Settings) -> Any:
    """Returns the reference's normalizer as a function."""
    if settings["normalizer"] is None:
        return bert.align
    return reference.BertNormalizer(**{flag: settings[flag] for flag in FLAGS})


class ReferenceEncoder:
    """A tokenizer of the reference."""

    def __init__(self, tokenizer: reference.Tokenizer) -> None:
        self.tokenizer = tokenizer

    def encode(self, text: str, specials: Specials = "match") -> list[Token]:
        return [Token(*token) for token in self.tokenizer.encode(text, specials)]

    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool = True) -> str:
        return self.tokenizer.decode(ids, skip_special_tokens=skip_special_tokens)

    def log_likelihood(self, text: str) -> float:
        return self.tokenizer.log_likelihood(text)


class Reference:
    """The reference implementation in Python."""

    name = "reference"

    def normalize(self, text: str, settings: Settings) -> str:
        return str(reference_normalizer(DEFAULTS | settings)(text).text)

    def words(self, text: str, settings: Settings) -> list[tuple[str, tuple[int, int]]]:
        spans = REFERENCE_SPLITTERS[(DEFAULTS | settings)["pre_tokenizer"]](text)
        return [(text[start:end], (start, end)) for start, end in spans]

    def count(self, texts: Sequence[str], settings: Settings) -> dict[str, int]:
        settings = DEFAULTS | settings
        table = reference.count_words(
            texts,
            normalizer=reference_normalizer(settings),
            pre_tokenizer=REFERENCE_SPLITTERS[settings["pre_tokenizer"]],
        )
        return reference.sort_counts(table)

    def train(self, words: Mapping[str, int], trainer: Settings) -> Trained:
        trained = reference.train(words, reference.WordPieceTrainer(**trainer))
        history = [merge._asdict() for merge in trained.history]
        return Trained(trained.vocabulary, history, trained.counts)

    def encoder(
        self, vocab: Sequence[str], settings: Settings, counts: Sequence[int] | None = None
    ) -> ReferenceEncoder:
        settings = DEFAULTS | settings
        tokenizer = reference.Tokenizer(
            vocab,
            normalizer=reference_normalizer(settings),
            pre_tokenizer=REFERENCE_SPLITTERS[settings["pre_tokenizer"]],
            unknown=settings["unknown"],
            prefix=settings["prefix"],
            max_input_chars_per_word=settings["max_input_chars_per_word"],
            counts=counts,
        )
        return ReferenceEncoder(tokenizer)


# The core


def core_normalizer(settings: Settings) -> pw.normalizers.BertNormalizer | None:
    """Returns the core's normalizer."""
    if settings["normalizer"] is None:
        return None
    return pw.normalizers.BertNormalizer(**{flag: settings[flag] for flag in FLAGS})


def core_pre_tokenizer(settings: Settings) -> pw.pre_tokenizers.PreTokenizer | None:
    """Returns the core's pre-tokenizer."""
    kinds = {
        "bert": pw.pre_tokenizers.BertPreTokenizer,
        "whitespace": pw.pre_tokenizers.WhitespaceSplit,
    }
    name = settings["pre_tokenizer"]
    return None if name is None else kinds[name]()


def tokenizer_json(
    vocab: Sequence[str], settings: Settings, counts: Sequence[int] | None = None
) -> str:
    """Returns the tokenizer.json of an untrained tokenizer."""
    settings = DEFAULTS | settings
    normalizer, pre_tokenizer = core_normalizer(settings), core_pre_tokenizer(settings)
    word = settings["unknown"] == "word"
    limit = settings["max_input_chars_per_word"]
    model: dict[str, Any] = {
        "type": "WordPiece" if word else "piecework.WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": settings["prefix"],
        "max_input_chars_per_word": 2**32 - 1 if limit is None else limit,
        "vocab": {entry: place for place, entry in enumerate(vocab)},
        "piecework": {
            "version": 1,
            "unknown": settings["unknown"],
            "has_unk": "[UNK]" in vocab,
            "training": counts and training_json(counts),
        },
    }
    added = [
        {
            "id": model["vocab"][token],
            "content": token,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
        for token in SPECIAL_TOKENS
        if token in model["vocab"]
    ]
    whole = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": normalizer and normalizer.to_dict(),
        "pre_tokenizer": pre_tokenizer and pre_tokenizer.to_dict(),
        "post_processor": None,
        "decoder": {"type": "WordPiece", "prefix": settings["prefix"], "cleanup": True},
        "model": model,
    }
    return json.dumps(whole)


def training_json(counts: Sequence[int]) -> dict[str, Any]:
    """Returns the member `training` with the counts of the tokens."""
    trainer = json.loads(pw.WordPieceTrainer(vocab_size=len(counts)).to_json())
    return {"trainer": trainer, "counts_sha256": "0", "token_counts": [*counts], "history": []}


class CoreEncoder:
    """A tokenizer of the core."""

    def __init__(self, tokenizer: pw.Tokenizer) -> None:
        self.tokenizer = tokenizer

    def encode(self, text: str, specials: Specials = "match") -> list[Token]:
        encoding = self.tokenizer.encode(text, add_special_tokens=False, specials=specials)
        columns = encoding.tokens, encoding.ids, encoding.offsets, encoding.word_ids
        return [Token(*row) for row in zip(*columns, strict=True)]

    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool = True) -> str:
        return self.tokenizer.decode(ids, skip_special_tokens=skip_special_tokens)

    def log_likelihood(self, text: str) -> float:
        return self.tokenizer.lm.log_likelihood(text)


class Core:
    """The compiled core through its Python API."""

    name = "core"

    def normalize(self, text: str, settings: Settings) -> str:
        normalizer = core_normalizer(DEFAULTS | settings)
        return text if normalizer is None else normalizer.normalize_str(text)

    def words(self, text: str, settings: Settings) -> list[tuple[str, tuple[int, int]]]:
        pre_tokenizer = core_pre_tokenizer(DEFAULTS | settings)
        if pre_tokenizer is None:
            return [(text, (0, len(text)))] if text else []
        return pre_tokenizer.pre_tokenize_str(text)

    def count(self, texts: Sequence[str], settings: Settings) -> dict[str, int]:
        settings = DEFAULTS | settings
        counts = pw.WordCounts.from_texts(
            texts, normalizer=core_normalizer(settings), pre_tokenizer=core_pre_tokenizer(settings)
        )
        return dict(counts.items())

    def train(self, words: Mapping[str, int], trainer: Settings) -> Trained:
        tokenizer = pw.train(
            words, pw.WordPieceTrainer(**trainer), normalizer=None, pre_tokenizer=None
        )
        return trained_of(tokenizer)

    def encoder(
        self, vocab: Sequence[str], settings: Settings, counts: Sequence[int] | None = None
    ) -> CoreEncoder:
        return CoreEncoder(pw.Tokenizer.from_str(tokenizer_json(vocab, settings, counts)))


class SavedCore(Core):
    """The core, with every tokenizer saved to a tokenizer.json and loaded again."""

    name = "core saved"

    def train(self, words: Mapping[str, int], trainer: Settings) -> Trained:
        tokenizer = pw.train(
            words, pw.WordPieceTrainer(**trainer), normalizer=None, pre_tokenizer=None
        )
        return trained_of(pw.Tokenizer.from_str(tokenizer.to_str()))

    def encoder(
        self, vocab: Sequence[str], settings: Settings, counts: Sequence[int] | None = None
    ) -> CoreEncoder:
        first = super().encoder(vocab, settings, counts).tokenizer
        return CoreEncoder(pw.Tokenizer.from_bytes(first.to_str().encode()))


def trained_of(tokenizer: pw.Tokenizer) -> Trained:
    """Returns the training record of a trained tokenizer of the core."""
    assert tokenizer.training.token_counts is not None
    fields = ("left", "right", "token", "score", "pair_count", "left_count", "right_count", "ties")
    history = [{name: getattr(merge, name) for name in fields} for merge in tokenizer.history]
    return Trained(list(tokenizer.vocab), history, list(tokenizer.training.token_counts.values()))


IMPLS: tuple[Impl, ...] = (Reference(), Core())
EVERY_IMPL: tuple[Impl, ...] = (*IMPLS, SavedCore())
