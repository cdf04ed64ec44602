"""BPE dropout: equal seeds give equal tokens, for every way to pass texts."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework import errors, models, pre_tokenizers

WORD = "abcabcabcabcabc"
MERGES = [("a", "b"), ("ab", "c"), ("abc", "abc")]
TEXTS = [f"{WORD} {WORD}", WORD, WORD, "x", ""]


@pytest.fixture(scope="module")
def tok() -> pw.Tokenizer:
    model = models.BPE(["a", "b", "c", "ab", "abc", "abcabc", "x"], MERGES)
    return pw.Tokenizer(model, pre_tokenizer=pre_tokenizers.WhitespaceSplit())


def test_equal_seeds_give_equal_tokens(tok: pw.Tokenizer) -> None:
    results = {
        tuple(tok.encode(WORD, sampling=pw.Sampling(dropout=0.5, seed=seed)).tokens)
        for seed in range(50)
    }
    assert len(results) > 10
    again = {
        tuple(tok.encode(WORD, sampling=pw.Sampling(dropout=0.5, seed=seed)).tokens)
        for seed in range(50)
    }
    assert again == results
    assert {"".join(result) for result in results} == {WORD}


CALLS: dict[str, Callable[..., object]] = {
    "encode": lambda tok, **options: tok.encode(WORD, **options).ids,
    "encode_ids": lambda tok, **options: tok.encode_ids(WORD, **options),
    "encode_batch": lambda tok, **options: tok.encode_batch([WORD] * 3, **options).to_list(),
    "encode_segments": lambda tok, **options: tok.encode_segments([(WORD, True)], **options).ids,
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_calls_without_seed_differ(tok: pw.Tokenizer, call: Callable[..., object]) -> None:
    """With some hundred possible splits, 12 calls are all equal with probability 10^-16."""
    own = pw.Tokenizer(models.BPE(tok.vocab, MERGES, dropout=0.5))
    assert len({str(call(tok, sampling=pw.Sampling(dropout=0.5))) for _ in range(12)}) > 1
    assert len({str(call(own)) for _ in range(12)}) > 1
    assert len({str(call(own, sampling=pw.Sampling(seed=0))) for _ in range(12)}) == 1
    assert len({str(call(own, sampling=pw.Sampling(dropout=0.0))) for _ in range(12)}) == 1
    assert len({str(call(own, sampling=None)) for _ in range(12)}) == 1
    assert call(own, sampling=None) == call(tok)
    assert len({str(call(tok)) for _ in range(12)}) == 1


def test_batch_keeps_its_random_seed(tok: pw.Tokenizer) -> None:
    batch = tok.encode_batch([WORD] * 9, sampling=pw.Sampling(dropout=0.5))
    assert [encoding.ids for encoding in batch] == batch.to_list()
    assert batch.offsets[-1].tolist()[1] == len(WORD)


def test_dropout_zero_and_one(tok: pw.Tokenizer) -> None:
    assert tok.encode(WORD, sampling=pw.Sampling(dropout=0, seed=3)) == tok.encode(WORD)
    assert tok.encode(WORD, sampling=pw.Sampling(dropout=1)).tokens == list(WORD)


def test_batch_inputs_differ_and_do_not_depend_on_threads(tok: pw.Tokenizer) -> None:
    texts = TEXTS * 200
    batch = tok.encode_batch(texts, sampling=pw.Sampling(dropout=0.3, seed=9))
    assert (
        batch.to_list()
        == tok.encode_batch(texts, sampling=pw.Sampling(dropout=0.3, seed=9), threads=1).to_list()
    )
    assert batch.to_list()[0] == tok.encode_ids(TEXTS[0], sampling=pw.Sampling(dropout=0.3, seed=9))
    assert len({tuple(ids) for ids in batch.to_list()[1::5]}) > 10
    assert [encoding.ids for encoding in batch] == batch.to_list()
    full = tok.encode_batch(texts, sampling=pw.Sampling(dropout=0.3, seed=9), offsets=True)
    assert full.to_list() == batch.to_list()
    assert batch.offsets.tolist() == full.offsets.tolist()


def test_argument_overrides_the_model(tok: pw.Tokenizer) -> None:
    model = models.BPE(["a", "b", "c", "ab", "abc", "abcabc", "x"], MERGES, dropout=1.0)
    always = pw.Tokenizer(model)
    assert always.encode(WORD).tokens == list(WORD)
    assert always.encode(WORD, sampling=pw.Sampling(dropout=0.0)).tokens == tok.encode(WORD).tokens
    assert always.tokenize(WORD) == list(WORD)


def test_dropout_for_lines_of_a_file(tok: pw.Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("\n".join(TEXTS * 3))
    lines = tok.encode_batch(pw.Corpus(path), sampling=pw.Sampling(dropout=0.5, seed=4))
    again = tok.encode_batch(pw.Corpus(path), sampling=pw.Sampling(dropout=0.5, seed=4), threads=1)
    assert lines.to_list() == again.to_list()
    assert lines.to_list()[0] == tok.encode_ids(TEXTS[0], sampling=pw.Sampling(dropout=0.5, seed=4))


def test_lines_of_a_file_draw_as_texts_of_a_batch(tok: pw.Tokenizer, tmp_path: Path) -> None:
    """Also where the file is read in many blocks, and by several threads."""
    texts = TEXTS * 20_000
    path = tmp_path / "text.txt"
    path.write_text("".join(f"{text}\r\n" for text in texts), newline="")
    batch = tok.encode_batch(texts, sampling=pw.Sampling(dropout=0.5, seed=4))
    assert path.stat().st_size > 2 << 18  # several blocks
    for threads in (1, 2):
        lines = tok.encode_batch(
            pw.Corpus(path), sampling=pw.Sampling(dropout=0.5, seed=4), threads=threads
        )
        assert lines.to_list() == batch.to_list()


@pytest.mark.parametrize("dropout", [-0.1, 1.1, "a", True, float("nan")])
def test_invalid_dropout_raises(tok: pw.Tokenizer, dropout: object) -> None:
    with pytest.raises(errors.ConfigError, match="dropout: expected a number from 0 to 1"):
        tok.encode("a", sampling=pw.Sampling(dropout=dropout))  # type: ignore[arg-type]


def test_invalid_seed_raises(tok: pw.Tokenizer) -> None:
    for seed in (-1, 1.5, "1"):
        with pytest.raises(errors.ConfigError, match="seed: expected an integer from 0 to"):
            tok.encode("a", sampling=pw.Sampling(seed=seed))  # type: ignore[arg-type]


@pytest.mark.parametrize("sampling", [0.5, {"dropout": 0.5}, pw.Truncation(5)])
def test_sampling_of_another_type_raises(tok: pw.Tokenizer, sampling: Any) -> None:
    for call in CALLS.values():
        with pytest.raises(errors.ConfigError, match="sampling: expected a Sampling or None"):
            call(tok, sampling=sampling)


def test_dropout_has_no_effect_on_word_level() -> None:
    tok = pw.Tokenizer(models.WordLevel(["<unk>", "hugs"]))
    assert tok.encode("hugs", sampling=pw.Sampling(dropout=1.0)) == tok.encode("hugs")
