"""Control symbols of SentencePiece models are ordinary text by default, as in that library."""

import copy
import itertools
import pickle
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import live_bpe
import live_unigram
import piecework as pw

SHARED = (*live_unigram.MODELS, "llama2-tokenizer", "mistral-tokenizer.model.v3")
LINES = [
    "the cats sat on the mat",
    "low lower lowest newest widest",
    "a <s> in a text and a </s> at its end",
    "ing the mask 一二三 ab",
]
TRAININGS: list[dict[str, Any]] = [
    {"model_type": "bpe"},
    {"model_type": "unigram"},
    {
        "model_type": "bpe",
        "pad_id": 3,
        "control_symbols": ["<c>", "[INST]"],
        "user_defined_symbols": ["<mask>", "ing", "<c>x"],
    },
    {
        "model_type": "unigram",
        "pad_id": 3,
        "control_symbols": ["<c>", "[INST]"],
        "user_defined_symbols": ["<mask>", "ing", "INST"],
    },
    {"model_type": "bpe", "byte_fallback": True, "user_defined_symbols": ["<mask>"]},
    {"model_type": "unigram", "add_dummy_prefix": False, "remove_extra_whitespaces": False},
]
FRAGMENTS = (
    *("<s>", "</s>", "<unk>", "<pad>", "<c>", "<c>x", "[INST]", "INST", "<mask>", "ing"),
    *(" ", "  ", "low", "cat", "一二", "\n", "é", "<", "s>", "🙂"),
)


def texts() -> list[str]:
    """Returns texts that spell control symbols, the unknown piece and user-defined symbols."""
    rng = random.Random(4)
    mixed = ["".join(rng.choices(FRAGMENTS, k=rng.randint(1, 9))) for _ in range(300)]
    pairs = map("".join, itertools.product(FRAGMENTS[:10], repeat=2))
    return [*live_unigram.HARD_TEXTS, *pairs, *mixed]


def trained(training: dict[str, Any]) -> bytes:
    """Trains a model with SentencePiece."""
    settings = {name: value for name, value in training.items() if name != "model_type"}
    size = 400 if settings.get("byte_fallback") else 70
    train = (
        live_bpe.trained_sentencepiece if training["model_type"] == "bpe" else live_unigram.trained
    )
    return train(LINES * 5, size, hard_vocab_limit=False, **settings)


@pytest.fixture(scope="module")
def model() -> bytes:
    """Returns a BPE model with control symbols and user-defined symbols."""
    return trained(TRAININGS[2])


@pytest.fixture
def tok(model: bytes) -> pw.Tokenizer:
    """Returns the tokenizer of the model."""
    return pw.Tokenizer.from_bytes(model)


@pytest.fixture
def tokenizer_json(tok: pw.Tokenizer) -> pw.Tokenizer:
    """Returns the tokenizer after a round trip through tokenizer.json."""
    return pw.Tokenizer.from_str(tok.to_str())


def encoders(tok: pw.Tokenizer, folder: Path) -> Iterator[tuple[str, Callable[[str], list[int]]]]:
    """Iterates over all functions that encode a text, with their names."""

    def of_file(text: str) -> list[int]:
        (folder / "text").write_bytes(text.encode())
        return tok.encode_batch(pw.Corpus(folder / "text", per="file")).ids.tolist()

    yield "encode", lambda text: tok.encode(text).ids
    yield "encode_ids", tok.encode_ids
    yield "encode, words", lambda text: tok.encode_ids([text], is_pretokenized=True)
    yield "encode_batch", lambda text: tok.encode_batch([text]).ids.tolist()
    yield "columns", lambda text: tok.encode_batch([text], offsets=True)[0].ids
    yield "on demand", lambda text: tok.encode_batch([text])[0].ids
    yield "corpus", of_file
    yield "uncached", lambda text: tok.encode_ids(text, cache=False)
    yield "without special tokens", lambda text: tok.encode_ids(text, add_special_tokens=False)
    # By default a segment spells no user-defined symbols either.
    yield "segment", lambda text: tok.encode_segments([(text, False)], specials="text").ids


@pytest.mark.parametrize("name", SHARED)
def test_shared_models_take_control_symbols_for_text(data: Path, tmp_path: Path, name: str) -> None:
    path = next(iter(sorted((data / "vocabs").glob(f"{name}*"))), None)
    if path is None:
        pytest.skip(f"{name} is missing")
    theirs, ours = live_bpe.sentencepiece(path.read_bytes()), pw.Tokenizer.from_sentencepiece(path)
    assert ours.control_symbols
    symbols = [*ours.control_symbols[:20], *(t.content for t in ours.added_tokens.values())][:40]
    spelled = [f"a {one}{other} b" for one, other in zip(symbols, reversed(symbols), strict=True)]
    for text in [*texts(), *spelled]:
        wanted = theirs.encode(text)
        assert ours.encode_ids(text) == ours.encode(text).ids == wanted, ascii(text)
    batch = [text for text in texts() if text]
    assert ours.encode_batch(batch).to_list() == theirs.encode(batch)


@pytest.mark.parametrize(
    "training", TRAININGS, ids=lambda training: ",".join(map(str, training.values()))
)
def test_trained_models_take_control_symbols_for_text(
    tmp_path: Path, training: dict[str, Any]
) -> None:
    model = trained(training)
    theirs, ours = live_bpe.sentencepiece(model), pw.Tokenizer.from_bytes(model)
    assert set(ours.control_symbols) == set(ours.special_tokens)
    for name, encode in encoders(ours, tmp_path):
        for text in texts()[:: 1 if name == "encode_ids" else 7]:
            assert encode(text) == theirs.encode(text), (name, ascii(text))
    assert ours.count(texts()) == [len(theirs.encode(text)) for text in texts()]
    assert ours.tokenize("low<s>") == theirs.encode("low<s>", out_type=str)


def test_nbest_and_probabilities_take_control_symbols_for_text() -> None:
    model = trained(TRAININGS[3])
    theirs, ours = live_bpe.sentencepiece(model), pw.Tokenizer.from_bytes(model)
    for text in ("low<s>", "<pad>cat</s>", "<mask><c>ing"):
        found = ours.lm.nbest(text, 4)
        assert [e.tokens for e, _ in found] == [
            pieces for pieces, _ in live_unigram.nbest(theirs, text, 4)
        ]
        assert ours.lm.marginal_log_likelihood(text) == ours.lm.marginal_log_likelihood(
            text, specials="text"
        )
        assert ours.lm.marginal_log_likelihood(text) < ours.lm.marginal_log_likelihood(
            text, specials="match"
        )
        drawn = ours.encode_ids(text, sampling=pw.Sampling(alpha=0.5, seed=3))
        assert drawn == ours.encode_ids(
            text, sampling=pw.Sampling(alpha=0.5, seed=3), specials="text"
        )
        explained = [piece.token for piece in ours.explain(text).pieces]
        assert not {"<s>", "</s>", "<pad>", "<c>"} & set(explained)


def test_specials_argument_overrides_the_default(tok: pw.Tokenizer) -> None:
    ids = tok.special_tokens
    assert ids["<s>"] not in tok.encode_ids("low<s>")
    assert ids["<s>"] in tok.encode_ids("low<s>", specials="match")
    assert tok.encode_ids("low<s>", specials="text") == tok.encode_ids("low<s>")
    some = tok.encode_ids("<s>low</s>", specials={"</s>"})
    assert (ids["<s>"] in some, ids["</s>"] in some) == (False, True)
    with pytest.raises(pw.errors.SpecialTokenError):
        tok.encode("low<s>", specials="error")
    trusted = tok.encode_segments([("<s>", True), ("<s>", False)]).ids
    assert (trusted[0], trusted.count(ids["<s>"])) == (ids["<s>"], 1)


def test_copies_keep_control_symbols(tok: pw.Tokenizer) -> None:
    wanted, symbols = tok.encode_ids("low <s>"), tok.control_symbols
    assert symbols == ("<s>", "</s>", "<pad>", "<c>", "[INST]")
    changed = [
        pickle.loads(pickle.dumps(tok)),
        copy.deepcopy(tok),
        tok.replace(decoder=None, truncation=64),
        tok.with_added_tokens(["<new>"]),
        tok.with_added_tokens(["<new>"], special=True),
    ]
    for each in changed:
        assert (each.control_symbols, each.encode_ids("low <s>")) == (symbols, wanted)
    assert changed[0] == changed[1] == tok
    assert hash(changed[0]) == hash(tok)


def test_added_special_tokens_are_matched(tok: pw.Tokenizer) -> None:
    more = tok.with_added_tokens(["<new>"], special=True)
    assert more.tokenize("low<new><s>")[-1] != "<s>"
    assert "<new>" in more.tokenize("low<new><s>")
    again = tok.with_added_tokens(["<s>"], special=True)
    assert "<s>" not in again.control_symbols
    assert again.encode_ids("<s>")[-1:] == [tok.special_tokens["<s>"]]
    assert pickle.loads(pickle.dumps(again)) == again != tok


def test_tokenizer_json_matches_control_symbols(
    tok: pw.Tokenizer, tokenizer_json: pw.Tokenizer, tmp_path: Path
) -> None:
    with pytest.warns(
        pw.errors.PieceworkWarning,
        match="no control symbols: the saved file matches '<s>', '</s>', ",
    ) as caught:
        tok.save(tmp_path / "tokenizer.json")
    assert (len(caught), caught[0].filename) == (1, __file__)
    loaded = pw.Tokenizer.from_file(tmp_path / "tokenizer.json")
    assert loaded == tokenizer_json != tok
    assert (loaded.to_str(), loaded.control_symbols) == (tok.to_str(), ())
    for text in texts():
        assert loaded.encode_ids(text) == tok.encode_ids(text, specials="match"), ascii(text)
    loaded.save(tmp_path / "again.json")  # without a warning: nothing changes
    with pytest.warns(pw.errors.PieceworkWarning, match="in a text as ordinary text"):
        loaded.save(tmp_path / "again.model")
    assert pw.Tokenizer.from_file(tmp_path / "again.model").control_symbols == tok.control_symbols
