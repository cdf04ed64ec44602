"""Streams, stops and positions of random ids equal whole decoding, with every vocabulary at hand."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

import piecework as pw
from generated_ids import check_positions, check_stops, check_streams, pools, random_ids
from paths import unpacked
from profiles import scaled

pytestmark = pytest.mark.slow


def _tiktoken(path: Path) -> pw.Tokenizer:
    if path.name.startswith("qwen"):
        return pw.Tokenizer.from_tiktoken(path, pattern=pw.patterns.SPLIT_PATTERNS["qwen2"])
    return pw.Tokenizer.from_tiktoken(path)


LOADERS: dict[str, Callable[[Path], pw.Tokenizer]] = {
    "all-minilm-l6-v2-tokenizer.json": pw.Tokenizer.from_file,
    "bert-base-chinese-vocab.txt": pw.Tokenizer.from_file,
    "cl100k_base.tiktoken": _tiktoken,
    "clip-bpe_simple_vocab_16e6.txt.gz": pw.Tokenizer.from_file,
    "deepseek-tokenizer.json.zst": pw.Tokenizer.from_file,
    "gpt2-encoder.json": pw.Tokenizer.from_file,
    "llama2-tokenizer.model": pw.Tokenizer.from_sentencepiece,
    "llama3-tokenizer.json.zst": pw.Tokenizer.from_file,
    "mistral-tokenizer.model.v3": pw.Tokenizer.from_sentencepiece,
    "o200k_base.tiktoken.zst": _tiktoken,
    "privately-corp-albert-30k-clean.model": pw.Tokenizer.from_sentencepiece,
    "qwen.tiktoken.zst": _tiktoken,
    "sentencepiece-test_model.model": pw.Tokenizer.from_sentencepiece,
    "starcoder-tokenizer.json.zst": pw.Tokenizer.from_file,
    "subword-nmt-bpe.ref.codes": pw.Tokenizer.from_subword_nmt,
    "t5-spiece.model": pw.Tokenizer.from_sentencepiece,
}


@pytest.mark.parametrize("name", LOADERS)
def test_random_ids(name: str, data: Path, tmp_path: Path) -> None:
    path = data / "vocabs" / name
    if not path.exists():
        pytest.skip(f"{path} is not there")
    if name.endswith(".zst"):
        path, packed = tmp_path / path.stem, path
        path.write_bytes(unpacked(packed))
    tok, rng = LOADERS[name](path), random.Random(name)
    for _ in range(scaled(100)):
        ids, skip = random_ids(rng, pools(tok)), rng.random() < 0.5
        check_positions(tok, ids, skip)
        check_streams(rng, tok, ids, skip)
        check_stops(rng, tok, ids, skip)
    found = tok.token_bytes()
    numbers = rng.sample(sorted(tok.vocab.values()), 200)
    word = next(number for number in numbers if found[number][-1:].isalpha())
    for number in numbers:
        # A token between two others; where a space is is up to the decoder.
        each = tok.decode_tokens_bytes([word, number, word], skip_special_tokens=False)
        assert b"".join(each).split(b" ") != [b""]
        assert found[number].strip(b" ") == each[1].strip(b" "), number
