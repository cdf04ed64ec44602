"""BPE model folders as `transformers` reads them: GPT-2 and RoBERTa."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import pytest

import piecework as pw
from piecework.processors import RobertaProcessing

if TYPE_CHECKING:
    from pathlib import Path

MERGES = [("h", "u"), ("hu", "g"), ("Ġ", "hug"), ("Ġ", "a")]
BYTES = [*range(33, 127), *range(161, 173), *range(174, 256), *range(256, 324)]
GPT2 = ["<|endoftext|>"]
ROBERTA = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
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


def byte_level(**changes: Any) -> dict[str, Any]:
    settings = {"add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    return {"type": "ByteLevel", **settings, **changes}


def folder(path: Path, specials: list[str], config: dict[str, Any], **files: Any) -> Path:
    """Writes the folder of a small model, with a tokenizer.json or with vocab.json and merges.txt."""
    tokens = [*map(chr, BYTES), *("".join(pair) for pair in MERGES), *specials]
    vocab = {token: number for number, token in enumerate(tokens)}
    files = {"tokenizer_config": config, "config": {}} | files
    if whole := files.pop("tokenizer", None):
        added = [
            {"id": vocab[token], "content": token, "special": True, "normalized": False}
            | dict.fromkeys(("single_word", "lstrip", "rstrip"), False)
            for token in specials[:2]
        ]
        merges = [" ".join(pair) for pair in MERGES]
        model = {"type": "BPE", "vocab": vocab, "merges": merges}
        files["tokenizer"] = {
            "added_tokens": added,
            "model": model,
            "decoder": byte_level(),
        } | whole
    else:
        files["vocab"] = vocab
        lines = (" ".join(pair) + "\n" for pair in MERGES)
        (path / "merges.txt").write_text("#version: 0.2\n" + "".join(lines), "utf-8")
    for name, data in files.items():
        (path / f"{name}.json").write_text(json.dumps(data), "utf-8")
    return path


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
