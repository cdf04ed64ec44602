"""`save_folder` writes what `transformers` needs: roles of special tokens, and padding at once."""

import json
from pathlib import Path
from typing import Any

import pytest

import class_folders
import piecework as pw
from piecework import hf

TEXTS = ["hug pugs", "a longer text with hugs and pugs", ""]
WORDS = {"hug": 10, "pug": 5, "hugs": 5, "pugs": 3}


@pytest.fixture(scope="module")
def transformers() -> Any:
    return class_folders.transformers()


TRAINERS = {
    "wordpiece": (pw.WordPieceTrainer(20), "[PAD]", "[UNK]", "[CLS]", "[SEP]"),
    "bpe": (
        pw.BpeTrainer(20, special_tokens=["<unk>", "<s>", "</s>", "<pad>"]),
        "<pad>",
        "<unk>",
        "<s>",
        "</s>",
    ),
    "no padding": (
        pw.BpeTrainer(20, special_tokens=["<|endoftext|>"], unk_token="<|endoftext|>"),
        *["<|endoftext|>"] * 2,
        None,
        "<|endoftext|>",
    ),
}


@pytest.mark.parametrize("name", TRAINERS)
@pytest.mark.parametrize("through", ["own", "hf"])
def test_transformers_pads_at_once(
    transformers: Any, name: str, through: str, tmp_path: Path
) -> None:
    trainer, pad, unk, bos, eos = TRAINERS[name]
    tok: Any = pw.train(WORDS, trainer, pre_tokenizer=pw.pre_tokenizers.Whitespace())
    saved = tok if through == "own" else hf.Tokenizer.from_str(tok.to_str())
    saved.save_folder(str(tmp_path / "model"), model_max_length=6)
    loaded = transformers.AutoTokenizer.from_pretrained(tmp_path / "model")
    assert (loaded.pad_token, loaded.unk_token, loaded.eos_token) == (pad, unk, eos)
    assert loaded.bos_token == bos
    batch = loaded(TEXTS, padding=True, truncation=True, return_tensors="np")
    assert batch["input_ids"].shape[0] == 3
    assert batch["input_ids"].shape[1] <= 6
    assert loaded("hug pugs")["input_ids"] == tok.encode_ids("hug pugs")
    assert pw.Tokenizer.from_folder(tmp_path / "model").encode_ids("hugs") == tok.encode_ids("hugs")


def test_the_history_survives_a_file_of_our_own(transformers: Any, tmp_path: Path) -> None:
    tok = pw.train(WORDS, pw.BpeTrainer(20))
    wrapped = transformers.PreTrainedTokenizerFast(
        tokenizer_object=hf.Tokenizer.from_str(tok.to_str())
    )
    wrapped.save_pretrained(tmp_path)
    assert pw.Tokenizer.from_file(tmp_path / "tokenizer.json").history == tok.history
    assert len(tok.history) > 0


def test_given_tokens(tmp_path: Path) -> None:
    tok = pw.train(WORDS, pw.WordPieceTrainer(20))
    tok.save_folder(tmp_path, pad_token="[MASK]", bos_token=None)
    config = json.loads((tmp_path / "tokenizer_config.json").read_text("utf-8"))
    roles = json.loads((tmp_path / "special_tokens_map.json").read_text("utf-8"))
    assert config["pad_token"] == roles["pad_token"] == "[MASK]"
    assert "bos_token" not in roles
    with pytest.raises(pw.errors.ConfigError, match="not in the vocabulary"):
        tok.save_folder(tmp_path, eos_token="</s>")
    with pytest.raises(pw.errors.ConfigError, match="pad_token"):
        tok.save_folder(tmp_path, pad_tokens="</s>")
