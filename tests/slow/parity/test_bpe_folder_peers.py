"""BPE model folders against `transformers`: GPT-2, RoBERTa and BART."""

import itertools
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from bpe_folders import GPT2, ROBERTA, byte_level, folder

TEXTS = ["hug hug", "", "a <s>hug</s>", "<|endoftext|>a", "hug<pad>  hug<mask>", " hug<unk>"]
CONFIGS: list[dict[str, Any]] = [
    {},
    {"add_prefix_space": True},
    {"add_prefix_space": False, "trim_offsets": False},
    {"add_bos_token": True, "bos_token": "a"},
    {"add_eos_token": True},
    {"add_bos_token": True, "add_eos_token": True, "eos_token": "hug"},
    {"add_bos_token": False, "unk_token": None, "eos_token": "<new>"},
    {"sep_token": "<pad>", "cls_token": {"content": "<unk>", "__type": "AddedToken"}},
    {"mask_token": "a", "additional_special_tokens": ["hu"], "add_prefix_space": True},
]


def live(path: Path) -> Any:
    """Returns the tokenizer that `transformers` loads from a folder."""
    name = "transformers"
    transformers = pytest.importorskip(
        name, reason=f"{name} is not installed: nothing to compare to"
    )
    if int(transformers.__version__.split(".")[0]) < 5:
        pytest.skip(f"{name} {transformers.__version__}: release 5 is what is followed")
    return transformers.AutoTokenizer.from_pretrained(str(path), local_files_only=True)


WHOLE: list[dict[str, Any] | None] = [
    None,
    {"pre_tokenizer": byte_level(), "post_processor": None},
    {"pre_tokenizer": byte_level(add_prefix_space=True), "post_processor": byte_level()},
]


@pytest.mark.filterwarnings("ignore::piecework.errors.PieceworkWarning")
@pytest.mark.parametrize("config", CONFIGS, ids=str)
@pytest.mark.parametrize("name", ["GPT2Tokenizer", "RobertaTokenizerFast", "BartTokenizer"])
def test_folders_encode_as_transformers(tmp_path: Path, name: str, config: dict[str, Any]) -> None:
    for number, (whole, specials) in enumerate(itertools.product(WHOLE, (GPT2, ROBERTA, []))):
        if whole and name != "GPT2Tokenizer":
            ends = {
                "sep": ["h", 71],
                "cls": ["u", 84],
                "trim_offsets": True,
                "add_prefix_space": True,
            }
            whole = whole | {"post_processor": {"type": "RobertaProcessing", **ends}}  # noqa: PLW2901
        path = tmp_path / str(number)
        path.mkdir()
        config = {"tokenizer_class": name} | config
        files = {"tokenizer": whole} if whole else {}
        if number % 2:
            files["special_tokens_map"] = {"pad_token": "<pad2>"}
        folder(path, specials, config, **files)
        theirs, ours = live(path), pw.Tokenizer.from_folder(path)
        assert ours.vocab == theirs.get_vocab()
        assert set(ours.special_tokens) == {
            token.content for token in theirs.added_tokens_decoder.values() if token.special
        }
        for text in TEXTS:
            for pair in (None, "a hug"):
                found, wanted = (
                    ours.encode(text, pair),
                    theirs(text, pair, return_offsets_mapping=True),
                )
                assert found.ids == wanted["input_ids"], (text, pair, number)
                assert found.offsets == wanted["offset_mapping"], (text, pair, number)
