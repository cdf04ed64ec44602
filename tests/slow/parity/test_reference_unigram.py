"""The reference of Unigram against SentencePiece and `tokenizers`: pieces, ids, ties, n-best lists, scores."""

import itertools
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from live_unigram import (
    BYTE,
    CONTROL,
    HARD_TEXTS,
    MODELS,
    NORMAL,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    Piece,
    as_piecework_json,
    as_transformers_json,
    model_of,
    nbest,
    processor,
    shared_model,
    trained,
)
from piecework.reference.model.unigram import UnigramEncoder
from reference_models import ReferenceTokenizer, unigram

tokenizers = pytest.importorskip("tokenizers", reason="the oracle `tokenizers` is not installed")

Lines = Callable[[str], Iterator[str]]

CORPORA = ["en/botchan.txt", "zh/cmrc2018-a.txt", "multi/ja-docs.txt", "code/go-std.txt"]
SHORT = 200
BYTES = [(f"<0x{byte:02X}>", 0.0, BYTE) for byte in range(256)]


def small_models(seed: int) -> Iterator[tuple[list[Piece], bool, random.Random, str]]:
    """Iterates over models with many ties: all short strings of two letters, with a few different scores."""
    rng = random.Random(seed)
    for letters in ["ab", "ab", "aé", "a▁"] * 12:
        strings = ["".join(s) for n in (1, 2, 3) for s in itertools.product(letters, repeat=n)]
        scores = [-rng.uniform(0.01, 6) for _ in range(3)]
        pieces: list[Piece] = [("<unk>", 0.0, UNKNOWN), ("<s>", 0.0, CONTROL)]
        for text in strings:
            if len(text) == 1 or rng.random() < 0.6:
                score = rng.choice(scores) * rng.randint(1, 3)
                kind = UNUSED if len(text) > 1 and rng.random() < 0.05 else NORMAL
                pieces.append((text, score, kind))
        have = {text for text, _, _ in pieces}
        for _ in range(rng.randrange(3)):
            symbol = "".join(rng.choices(letters, k=rng.randint(2, 5)))
            if symbol not in have:
                pieces.append((symbol, 0.0, USER_DEFINED))
                have.add(symbol)
        byte_fallback = rng.random() < 0.3
        yield pieces + BYTES * byte_fallback, byte_fallback, rng, letters


def word_of(rng: random.Random, letters: str) -> str:
    """Returns a word of some letters, sometimes with others."""
    pool = [*letters, "x", "é", "😀"] if rng.random() < 0.3 else [*letters]
    return "".join(rng.choices(pool, k=rng.randrange(1, 40)))


def reference_of(model: bytes, live: Any) -> ReferenceTokenizer:
    """Returns a tokenizer with the reference's model, and the normalization of SentencePiece."""
    return ReferenceTokenizer(as_piecework_json(model), live.normalize)


def reference_nbest(
    encoder: UnigramEncoder, word: str, wanted: int
) -> list[tuple[list[str], float]]:
    """Returns the reference's n-best list in SentencePiece's format."""
    found = encoder.nbest(word, wanted)
    return [([p.entry or word[p.start : p.end] for p in row], score) for row, score in found]


def check_equal_pieces(live: Any, found: ReferenceTokenizer, text: str) -> None:
    encoding = found.encode(text)
    assert encoding.ids == live.encode(text), ascii(text)[:300]
    assert encoding.tokens == live.encode(text, out_type=str), ascii(text)[:300]


@pytest.mark.parametrize("seed", range(3))
def test_small_models_equal_sentencepiece(seed: int) -> None:
    for pieces, byte_fallback, rng, letters in small_models(seed):
        model = model_of(pieces, byte_fallback=byte_fallback)
        live = processor(model)
        found = reference_of(model, live)
        for _ in range(15):
            word = word_of(rng, letters)
            check_equal_pieces(live, found, word)
            wanted = rng.choice([2, 5, 64])
            assert reference_nbest(unigram(found.model), word, wanted) == nbest(live, word, wanted)


@pytest.mark.parametrize("seed", range(3))
def test_small_models_equal_tokenizers(seed: int) -> None:
    for pieces, byte_fallback, rng, letters in small_models(seed):
        rng.shuffle(pieces)
        vocab = [(text, score) for text, score, _ in pieces if rng.random() < 0.95]
        unknown = rng.randrange(len(vocab))
        live = tokenizers.Tokenizer(tokenizers.models.Unigram(vocab, unknown, byte_fallback))
        found = ReferenceTokenizer(json.loads(live.to_str()))
        for _ in range(15):
            text = word_of(rng, letters) + rng.choice(["", "<unk>", "<0x41>", vocab[unknown][0]])
            wanted, made = live.encode(text), found.encode(text)
            assert made.ids == wanted.ids, ascii(text)
            assert made.tokens == wanted.tokens, ascii(text)
            assert made.offsets == wanted.offsets, ascii(text)


@pytest.mark.parametrize("size", [900, 1100, 3000])
def test_sums_below_the_restart_limit_equal_sentencepiece(size: float) -> None:
    strings = ["".join(s) for n in (1, 2, 3) for s in itertools.product("ab", repeat=n)]
    for seed in range(8):
        rng = random.Random(seed)
        pieces = [(text, -size * rng.uniform(0.5, 1.5) * len(text), NORMAL) for text in strings]
        model = model_of([("<unk>", 0.0, UNKNOWN), *pieces])
        live = processor(model)
        found = reference_of(model, live)
        ours = pw.Tokenizer.from_bytes(model)
        for _ in range(20):
            text = "".join(rng.choices("ab", k=SHORT))
            check_equal_pieces(live, found, text)
            assert ours.encode_ids(text) == live.encode(text), text


@pytest.mark.parametrize("size", [-60_000.0, 60_000.0])
def test_sums_above_the_restart_limit_equal_sentencepiece(size: float) -> None:
    """A user-defined symbol has a score far above the text after it, where sums restart at 0."""
    strings = ["".join(s) for n in (1, 2, 3) for s in itertools.product("ab", repeat=n)]
    for seed in range(8):
        rng = random.Random(seed)
        pieces = [(text, size * rng.uniform(0.9, 1.1) * len(text), NORMAL) for text in strings]
        model = model_of([("<unk>", 0.0, UNKNOWN), *pieces, ("abbab", 0.0, USER_DEFINED)])
        live = processor(model)
        found = reference_of(model, live)
        ours = pw.Tokenizer.from_bytes(model)
        for _ in range(40):
            text = "".join(rng.choices("ab", k=rng.randrange(1, 60)))
            check_equal_pieces(live, found, text)
            assert ours.encode_ids(text) == live.encode(text), text


def test_model_of_symbols_alone_equals_sentencepiece() -> None:
    model = model_of([("<unk>", 0.0, UNKNOWN), ("ab", 0.0, USER_DEFINED), ("b", 0.0, UNUSED)])
    live = processor(model)
    found = reference_of(model, live)
    ours = pw.Tokenizer.from_bytes(model)
    for text in ("ab", "xab", "abab", "aab", "x"):
        check_equal_pieces(live, found, text)
        assert ours.encode(text).tokens == live.encode(text, out_type=str), text


def test_nbest_search_beyond_the_step_limit_equals_sentencepiece() -> None:
    pieces = [("<unk>", 0.0, UNKNOWN), ("a", -11.2598371, NORMAL), ("x", -7.77, NORMAL)]
    model = model_of([*pieces, ("aa", -22.519674, NORMAL)])
    found = unigram(as_piecework_json(model)["model"])
    word = ("a" * 17 + "x" * 100) * 2
    assert reference_nbest(found, word, 64) == nbest(processor(model), word, 64)


def test_nbest_search_with_full_agenda_equals_sentencepiece() -> None:
    strings = ["".join(s) for n in range(1, 6) for s in itertools.product("ab", repeat=n)]
    lengths = set()
    for seed in range(6):
        rng = random.Random(seed)
        scores = [-rng.uniform(0.1, 5) for _ in range(3)]
        pieces = [(text, rng.choice(scores) * len(text), NORMAL) for text in strings]
        model = model_of([("<unk>", 0.0, UNKNOWN), *pieces])
        found = unigram(as_piecework_json(model)["model"])
        word = "".join(rng.choices("ab", k=SHORT))
        paths = reference_nbest(found, word, 64)
        assert paths == nbest(processor(model), word, 64)
        lengths.add(len(paths))
    assert lengths == {1, 64}


@pytest.mark.parametrize("name", MODELS)
def test_shared_models_equal_sentencepiece(
    data: Path, name: str, corpus_lines: Callable[[str], Iterator[str]]
) -> None:
    model = shared_model(data, name)
    live = processor(model)
    found = reference_of(model, live)
    theirs = tokenizers.Tokenizer.from_str(json.dumps(as_transformers_json(model)))
    ours = ReferenceTokenizer(as_transformers_json(model))
    lines = [line for corpus in CORPORA for line in itertools.islice(corpus_lines(corpus), 60)]
    for text in [*HARD_TEXTS, *lines]:
        check_equal_pieces(live, found, text[:SHORT])
        wanted, made = theirs.encode(text[:SHORT]), ours.encode(text[:SHORT])
        assert made.ids == wanted.ids, ascii(text)[:300]


@pytest.mark.parametrize("name", MODELS)
def test_nbest_of_shared_models_equals_sentencepiece(
    data: Path, name: str, corpus_lines: Lines
) -> None:
    model = shared_model(data, name)
    live = processor(model)
    found = reference_of(model, live)
    encoder = unigram(found.model)
    lines = [line for corpus in CORPORA for line in itertools.islice(corpus_lines(corpus), 5)]
    for text in [*HARD_TEXTS, *lines]:
        word = live.normalize(text[:SHORT])
        if word:
            assert reference_nbest(encoder, word, 64) == nbest(live, text[:SHORT], 64)


TRAINED: list[tuple[str, dict[str, Any]]] = [
    ("en/botchan.txt", {"byte_fallback": True}),
    ("en/botchan.txt", {"user_defined_symbols": ["<mask>", "ing", "▁the▁"]}),
    ("en/botchan.txt", {"normalization_rule_name": "nfkc_cf", "remove_extra_whitespaces": False}),
    ("en/botchan.txt", {"add_dummy_prefix": False, "split_by_whitespace": False}),
    ("multi/ja-wagahai.txt", {"vocab_size": 2500, "character_coverage": 0.98}),
]


@pytest.mark.parametrize(
    ("corpus", "settings"), TRAINED, ids=["bytes", "symbols", "case", "spaces", "Japanese"]
)
def test_trained_models_equal_sentencepiece(
    corpus: str, settings: dict[str, Any], corpus_lines: Lines
) -> None:
    lines = [line for line in itertools.islice(corpus_lines(corpus), 1000) if line.strip()]
    model = trained(lines[:600], **{"vocab_size": 800, **settings})
    live = processor(model)
    found = reference_of(model, live)
    for text in [*HARD_TEXTS, "the mask<mask>ing the  end", *lines[-100:]]:
        check_equal_pieces(live, found, text[:SHORT])
