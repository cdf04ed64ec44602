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
    folder(tmp_path, GPT2, {"tokenizer_class": "Qwen2Tokenizer"})
    with pytest.warns(pw.errors.PieceworkWarning, match="class 'Qwen2Tokenizer' is unknown"):
        pw.Tokenizer.from_folder(tmp_path)
