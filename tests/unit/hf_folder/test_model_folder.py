"""Tokenizers from model folders."""

import json
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework import models as m, normalizers as n, pre_tokenizers as p
from piecework.errors import ConfigError, FileError, FormatError, MissingFileError, VocabularyError

pytestmark = pytest.mark.smoke

VOCAB = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b", "A", "é", "中"]
SPECIAL = {"special": True}
BASE = pw.Tokenizer(
    m.WordPiece(VOCAB),
    pre_tokenizer=p.Whitespace(),
    added_tokens=[pw.AddedToken("[CLS]", special=True), pw.AddedToken("b", rstrip=True)],
    truncation=9,
    padding=3,
)


def folder(tmp_path: Path, **files: Any) -> Path:
    """Writes JSON files, given by their stems, to a folder."""
    for name, data in files.items():
        path = tmp_path / f"{name}.json"
        path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return tmp_path


def with_vocab(tmp_path: Path, lines: list[str], **files: Any) -> Path:
    (tmp_path / "vocab.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return folder(tmp_path, **files)


def test_folder_with_only_a_tokenizer_json_equals_the_file(tmp_path: Path) -> None:
    BASE.save(tmp_path / "tokenizer.json")
    for path in (tmp_path, str(tmp_path)):
        tok = pw.Tokenizer.from_folder(path)
        assert tok == BASE
        assert (tok.truncation, tok.padding) == (BASE.truncation, BASE.padding)


def test_configuration_adds_tokens_and_flags(tmp_path: Path) -> None:
    config = {
        "added_tokens_decoder": {
            "10": {"content": "<x>", "lstrip": True, "special": True, "normalized": False},
            "6": {"content": "b", "single_word": True},
        },
        "mask_token": "[MASK]",
        "additional_special_tokens": ["<y>", "<x>"],
        "model_max_length": 512,
        "padding_side": "left",
    }
    path = folder(tmp_path, tokenizer=BASE.to_str(), tokenizer_config=config)
    tok = pw.Tokenizer.from_folder(path)
    added = tok.added_tokens
    assert {number: token.content for number, token in added.items()} == {
        2: "[CLS]",
        4: "[MASK]",
        6: "b",
        10: "<x>",
        11: "<y>",
    }
    assert added[10] == pw.AddedToken("<x>", lstrip=True, special=True)
    assert added[6] == pw.AddedToken("b", single_word=True), "the flags of the configuration count"
    assert set(tok.special_tokens) == {"[CLS]", "[MASK]", "<x>", "<y>"}
    assert tok.encode("a  <x>[MASK]", padding=None).ids == [5, 10, 4]
    assert pw.Tokenizer.from_str(tok.to_str()) == tok


def test_special_tokens_map_and_added_tokens_are_applied(tmp_path: Path) -> None:
    path = folder(
        tmp_path,
        tokenizer=BASE.to_str(),
        special_tokens_map={
            "mask_token": "[MASK]",
            "sep_token": {"content": "[SEP]", "lstrip": True},
        },
        added_tokens={"new": 10},
    )
    tok = pw.Tokenizer.from_folder(path)
    assert tok.token_to_id("new") == 10
    assert set(tok.special_tokens) == {"[CLS]", "[MASK]", "[SEP]"}
    assert tok.encode("a [SEP]new", padding=None).offsets == [(0, 1), (1, 7), (7, 10)]


def test_disagreeing_ids_raise_a_warning(tmp_path: Path) -> None:
    config = {"added_tokens_decoder": {"77": {"content": "<x>"}, "2": {"content": "[CLS]"}}}
    path = folder(tmp_path, tokenizer=BASE.to_str(), tokenizer_config=config)
    with pytest.warns(
        pw.errors.PieceworkWarning, match=r"'<x>' has the id 10 here, but 77"
    ) as found:
        tok = pw.Tokenizer.from_folder(path)
    assert len(found) == 1
    assert tok.token_to_id("<x>") == 10


def test_vocab_txt_alone_is_bert(tmp_path: Path) -> None:
    tok = pw.Tokenizer.from_folder(with_vocab(tmp_path, VOCAB))
    assert tok == pw.Tokenizer.from_file(tmp_path / "vocab.txt")
    assert tok.encode("A É中").tokens == ["[CLS]", "a", "[UNK]", "中", "[SEP]"]


def test_configuration_applies_to_vocab_txt(tmp_path: Path) -> None:
    config = {"do_lower_case": False, "tokenize_chinese_chars": False, "strip_accents": False}
    path = with_vocab(tmp_path, VOCAB, tokenizer_config=config)
    tok = pw.Tokenizer.from_folder(path)
    assert tok.tokenize("A É é") == ["A", "[UNK]", "é"]
    wanted = n.BertNormalizer(handle_chinese_chars=False, strip_accents=False, lowercase=False)
    assert tok.normalizer == wanted
    assert pw.Tokenizer.from_folder(path, lowercase=True).tokenize("A") == ["a"]
    assert pw.Tokenizer.from_folder(path, normalizer=n.Lowercase()).normalizer == n.Lowercase()
    assert pw.Tokenizer.from_folder(path, pre_tokenizer=p.Jieba()).tokenize("中a") == ["中", "a"]


def test_unk_token_of_the_configuration(tmp_path: Path) -> None:
    path = with_vocab(tmp_path, ["<unk>", "a"], tokenizer_config={"unk_token": "<unk>"})
    assert pw.Tokenizer.from_folder(path).tokenize("b a") == ["<unk>", "a"]
    assert pw.Tokenizer.from_folder(path, unk_token="a").unk_token == "a"
    assert pw.Tokenizer.from_folder(path, normalizer=None).unk_token == "<unk>"


def test_arguments_override_files(tmp_path: Path) -> None:
    config = {"pad_token": "<p>"}
    path = folder(tmp_path, tokenizer=BASE.to_str(), tokenizer_config=config)
    tok = pw.Tokenizer.from_folder(
        path, truncation=None, padding=pw.Padding(4, pad_token="<p>"), unknown="char"
    )
    assert tok.truncation is None
    assert tok.encode("a").ids == [5, 10, 10, 10], "the token comes from the configuration"
    assert tok.unknown == "char"
    with pytest.raises(ConfigError, match="lowercase"):
        pw.Tokenizer.from_folder(path, lowercase=True)
    with pytest.raises(TypeError, match="did you mean 'truncation'"):
        pw.Tokenizer.from_folder(path, truncaton=3)  # type: ignore[call-arg]


def test_tokenizer_json_takes_precedence_over_vocab_txt(tmp_path: Path) -> None:
    with_vocab(tmp_path, ["[UNK]"])
    assert pw.Tokenizer.from_folder(folder(tmp_path, tokenizer=BASE.to_str())) == BASE


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"tokenizer": "{"}, r"tokenizer\.json: .*line 1"),
        ({"tokenizer": ""}, r"tokenizer\.json: the file is empty"),
        ({"tokenizer": "[]"}, r"tokenizer\.json: \$"),
        ({"tokenizer": {"model": {"type": "Unigram"}}}, r"tokenizer\.json: \$"),
        ({"tokenizer": BASE.to_str(), "tokenizer_config": "{"}, r"tokenizer_config\.json: line 1"),
        ({"tokenizer": BASE.to_str(), "special_tokens_map": []}, r"special_tokens_map\.json: \$"),
        (
            {"tokenizer": BASE.to_str(), "tokenizer_config": {"added_tokens_decoder": {"x": {}}}},
            r"tokenizer_config\.json: \$\.added_tokens_decoder",
        ),
        (
            {"tokenizer": BASE.to_str(), "tokenizer_config": {"pad_token": {"content": ""}}},
            r"tokenizer_config\.json: \$\.pad_token\.content",
        ),
        ({"tokenizer": BASE.to_str(), "added_tokens": {"<x>": "3"}}, r"added_tokens\.json: \$"),
    ],
    ids=str,
)
def test_broken_files_are_named_in_errors(
    tmp_path: Path, files: dict[str, Any], message: str
) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        pw.Tokenizer.from_folder(folder(tmp_path, **files))
    assert str(tmp_path) in str(caught.value)


def test_broken_vocabularies_are_named_in_errors(tmp_path: Path) -> None:
    for lines, kind, message in (
        (["a", "a"], FormatError, r"vocab\.txt: line 2"),
        ([], FormatError, r"vocab\.txt: the file is empty"),
        (["a"], VocabularyError, r"vocab\.txt: .*\[UNK\]"),
    ):
        with pytest.raises(kind, match=message):
            pw.Tokenizer.from_folder(with_vocab(tmp_path, lines))


def test_invalid_folders_raise(tmp_path: Path) -> None:
    with pytest.raises(
        MissingFileError,
        match=r"contains no tokenizer; expected one of tokenizer\.json, vocab\.txt",
    ):
        pw.Tokenizer.from_folder(tmp_path)
    with pytest.raises(MissingFileError):
        pw.Tokenizer.from_folder(tmp_path / "none")
    for name in ("a\0b", "\ud800", "a\udfffb"):
        for read in (pw.Tokenizer.from_folder, pw.Tokenizer.from_file, BASE.save):
            with pytest.raises(FileError, match="cannot contain") as caught:
                read(name)
            str(caught.value).encode()
    with pytest.raises(TypeError):
        pw.Tokenizer.from_folder(3)  # type: ignore[arg-type]


def test_real_folder_equals_its_file(tmp_path: Path, data: Path) -> None:
    path = data / "vocabs" / "all-minilm-l6-v2-tokenizer.json"
    if not path.exists():
        pytest.skip(f"{path} is missing")
    (tmp_path / "tokenizer.json").write_bytes(path.read_bytes())
    whole = pw.Tokenizer.from_file(path)
    config = {"cls_token": "[CLS]", "do_lower_case": True, "model_max_length": 512}
    folder(tmp_path, tokenizer_config=config, special_tokens_map={"pad_token": "[PAD]"})
    assert whole.truncation
    assert whole.padding
    loaded = pw.Tokenizer.from_folder(tmp_path)
    assert loaded == whole.replace(truncation=None, padding=None)


@pytest.mark.parametrize("name", ["tokenizer", "spiece", "sentencepiece.bpe", "spm"])
def test_unigram_model_with_class_raises_a_warning(name: str, tmp_path: Path) -> None:
    unigram = m.Unigram([("<unk>", 0.0), ("▁a", -1.0)], 0, precision="float32", reserved=["<unk>"])
    decoder = pw.decoders.SentencePiece()
    tok = pw.Tokenizer(unigram, normalizer=n.SentencePiece(), decoder=decoder)
    tok.save(tmp_path / f"{name}.model", "sentencepiece")
    assert pw.Tokenizer.from_folder(tmp_path).encode_ids("a a") == [1, 1]
    folder(tmp_path, tokenizer_config={"tokenizer_class": "T5Tokenizer"})
    with pytest.warns(pw.errors.PieceworkWarning, match="'T5Tokenizer' adds special tokens"):
        assert pw.Tokenizer.from_folder(tmp_path).encode_ids("a a") == [1, 1]
