"""Added tokens on the shared SentencePiece models, beside SentencePiece, `tokenizers` and `transformers`."""

import json
import random
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import live_unigram as live
import piecework as pw
import piecework.hf
import sentencepiece_symbols as models
from live_bpe import vocab_file

pytestmark = pytest.mark.parity

MODELS = (
    "llama2-tokenizer.model",
    "mistral-tokenizer.model.v3",
    "t5-spiece.model",
    "privately-corp-albert-30k-clean.model",
)
LLAMA = MODELS[:2]
POOL = ("<P>", "\n\n", "<|im_start|>", "hello", "é", "①", "the", "中文", "ing", "ﬁ", "\t", "…", "s")
TOKENS = [{"normalized": True}, {"normalized": False}, {"normalized": False, "special": True}]


def texts(seed: int, symbols: list[str]) -> Iterator[str]:
    """Iterates over random texts with symbols in them."""
    rng, parts = (
        random.Random(seed),
        [*models.PARTS, *POOL, *symbols, "hel", "lo", " the", "quick", "word"],
    )
    for _ in range(200):
        yield "".join(rng.choices(parts, k=rng.randrange(10)))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("seed", range(4))
def test_ids_of_sentencepiece(name: str, seed: int, data: Path, tmp_path: Path) -> None:
    symbols = random.Random(seed).sample(POOL, 4)
    model = vocab_file(data, name).read_bytes()
    theirs = live.processor(models.with_symbols(model, symbols))
    tok = pw.Tokenizer.from_bytes(model).with_added_tokens(symbols)
    tok.save(tmp_path / "tok.model")
    again, saved = pw.Tokenizer.from_file(tmp_path / "tok.model"), live.library()
    saved = saved.SentencePieceProcessor(model_file=str(tmp_path / "tok.model"))
    for text in texts(seed, symbols):
        ids = theirs.encode(text)
        assert tok.encode_ids(text) == again.encode_ids(text) == saved.encode(text) == ids, text
        assert tok.decode(ids) == again.decode(ids) == theirs.decode(ids), text


@pytest.mark.parametrize("name", LLAMA)
def test_tokenizer_json_is_read_by_tokenizers(name: str, data: Path, tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="the oracle tokenizers is not installed")
    tok = pw.Tokenizer.from_bytes(vocab_file(data, name).read_bytes())
    tok = tok._with_controls(()).with_added_tokens(["<P>", "\n\n"])
    with pytest.warns(
        pw.errors.PieceworkWarning, match="put no ▁ before a text that begins with an added token"
    ):
        tok.save(tmp_path / "tokenizer.json")
    assert pw.Tokenizer.from_file(tmp_path / "tokenizer.json") == tok
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    hf = piecework.hf.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    added = [token.content for token in tok.added_tokens.values() if token.normalized]
    special = [token.content for token in tok.added_tokens.values() if not token.normalized]
    for text in texts(1, added):
        ids = theirs.encode(text, add_special_tokens=False).ids
        assert hf.encode(text, add_special_tokens=False).ids == ids, text
        if text and not text.startswith((" ", "▁", *added)) and not any(s in text for s in special):
            assert tok.encode_ids(text) == ids, text


@pytest.mark.parametrize("legacy", [True, False, None])
@pytest.mark.parametrize("flags", TOKENS)
@pytest.mark.parametrize("name", LLAMA)
def test_folder_of_a_model_follows_transformers(
    name: str, flags: dict[str, bool], legacy: bool | None, data: Path, tmp_path: Path
) -> None:
    transformers = pytest.importorskip(
        "transformers", reason="the oracle transformers is not installed"
    )
    model = vocab_file(data, name).read_bytes()
    number = len(pw.Tokenizer.from_bytes(model))
    token = {
        "content": "<P>",
        "lstrip": False,
        "rstrip": False,
        "single_word": False,
        "special": False,
    }
    config: dict[str, Any] = {"tokenizer_class": "LlamaTokenizer"}
    config["added_tokens_decoder"] = {str(number): token | flags}
    if legacy is not None:
        config["legacy"] = legacy
    (tmp_path / "tokenizer.model").write_bytes(model)
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    tok = pw.Tokenizer.from_folder(tmp_path)
    for text in [*live.HARD_TEXTS, *texts(2, ["<P>", "<s>", "</s>", "<unk>", "   "])]:
        encoding = theirs(text, return_offsets_mapping=True)
        assert tok.encode_ids(text) == encoding["input_ids"], text
        assert [*tok.encode(text).offsets] == encoding["offset_mapping"], text
        ids = encoding["input_ids"]
        assert tok.decode(ids, skip_special_tokens=False) == theirs.decode(ids), text
