"""BPE model folders: which settings of the configuration apply."""

from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from bpe_folders import GPT2, ROBERTA, byte_level, folder
from piecework.processors import RobertaProcessing


def test_tokenizer_class_overrides_vocabulary(tmp_path: Path) -> None:
    # OPT has RoBERTa's vocabulary, GPT-2's class, and other special tokens.
    named = {"bos_token": "</s>", "eos_token": "</s>", "unk_token": "</s>", "pad_token": "<pad>"}
    config = {"tokenizer_class": "GPT2Tokenizer", "add_bos_token": True, **named}
    tok = pw.Tokenizer.from_folder(folder(tmp_path, ROBERTA, config))
    assert tok.encode("hug<s>", "a").tokens == ["</s>", "hug", "<", "s", ">", "</s>", "a"]
    assert set(tok.special_tokens) == {"</s>", "<pad>"}


def test_roberta_vocabulary_without_class_is_recognized(tmp_path: Path) -> None:
    tok = pw.Tokenizer.from_folder(folder(tmp_path, ROBERTA, {}))
    assert isinstance(tok.post_processor, RobertaProcessing)
    assert set(tok.special_tokens) == set(ROBERTA)


def test_arguments_override_configuration(tmp_path: Path) -> None:
    config = {"tokenizer_class": "GPT2Tokenizer", "add_prefix_space": True}
    folder(tmp_path, GPT2, config)
    assert pw.Tokenizer.from_folder(tmp_path).tokenize("hug") == ["Ġhug"]
    plain = pw.pre_tokenizers.ByteLevel(add_prefix_space=False)
    with pytest.warns(pw.errors.PieceworkWarning, match="add_prefix_space is true, but vocab"):
        tok = pw.Tokenizer.from_folder(tmp_path, pre_tokenizer=plain)
    assert tok.tokenize("hug") == ["hug"]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            {"tokenizer_class": "TokenizersBackend", "add_prefix_space": True},
            "add_prefix_space is true, but token",
        ),
        ({"add_bos_token": True, "bos_token": "a"}, "add_bos_token is true, but tokenizer.json"),
        ({"add_eos_token": True, "eos_token": "a"}, "add_eos_token is true, but tokenizer.json"),
        (
            {"split_special_tokens": True},
            "split_special_tokens is not applied; pass `specials='text'`",
        ),
    ],
    ids=str,
)
def test_unapplied_settings_raise_a_warning(
    tmp_path: Path, config: dict[str, Any], message: str
) -> None:
    folder(tmp_path, GPT2, config, tokenizer={"pre_tokenizer": byte_level()})
    with pytest.warns(
        pw.errors.PieceworkWarning, match=rf"tokenizer_config\.json: {message}"
    ) as found:
        tok = pw.Tokenizer.from_folder(tmp_path)
    assert len(found) == 1
    assert tok.tokenize("hug") == ["hug"]


def test_unknown_class_raises_a_warning(tmp_path: Path) -> None:
    folder(tmp_path, GPT2, {"tokenizer_class": "MyTokenizer"})
    with pytest.warns(pw.errors.PieceworkWarning, match="class 'MyTokenizer' is unknown"):
        pw.Tokenizer.from_folder(tmp_path)


def test_qwen2_class_sets_normalizer_and_pre_tokenizer(tmp_path: Path) -> None:
    config = {"tokenizer_class": "Qwen2Tokenizer", "add_eos_token": True}
    tok = pw.Tokenizer.from_folder(folder(tmp_path, GPT2, config))
    assert tok.normalizer == pw.normalizers.NFC()
    assert tok.pre_tokenizer == pw.pre_tokenizers.ByteLevel.split_by("qwen2")
    assert tok.encode("hug").tokens == ["hug", "<|endoftext|>"]


@pytest.mark.parametrize("added", ["add_bos_token", "add_eos_token"])
def test_clip_class_adds_both_tokens(tmp_path: Path, added: str) -> None:
    config = {"tokenizer_class": "CLIPTokenizer", added: True}
    tok = pw.Tokenizer.from_folder(folder(tmp_path, ["<|startoftext|>", "<|endoftext|>"], config))
    tokens = tok.encode("").tokens
    assert tokens == ["<|startoftext|>", "<|endoftext|>"]


def test_class_replaces_components(tmp_path: Path) -> None:
    parts = {"pre_tokenizer": byte_level(), "normalizer": {"type": "NFC"}}
    folder(tmp_path, GPT2, {"tokenizer_class": "GPT2Tokenizer"}, tokenizer=parts)
    tok = pw.Tokenizer.from_folder(tmp_path)
    assert tok.normalizer is None


def test_class_of_another_model_raises_a_warning(tmp_path: Path) -> None:
    parts = {"pre_tokenizer": byte_level()}
    folder(tmp_path, GPT2, {"tokenizer_class": "T5Tokenizer"}, tokenizer=parts)
    with pytest.warns(
        pw.errors.PieceworkWarning,
        match="the class 'T5Tokenizer' replaces normalizer, pre-tokenizer, post-processor and model; here",
    ):
        tok = pw.Tokenizer.from_folder(tmp_path)
    assert tok.pre_tokenizer == pw.Tokenizer.from_file(tmp_path / "tokenizer.json").pre_tokenizer


def test_token_that_is_first_and_last_raises_no_warning(tmp_path: Path) -> None:
    for added in ("add_bos_token", "add_eos_token"):
        config = {"tokenizer_class": "GPT2Tokenizer", added: True}
        tok = pw.Tokenizer.from_folder(folder(tmp_path, GPT2, config))
        assert tok.encode("hug").tokens.index("hug") == (added == "add_bos_token")
