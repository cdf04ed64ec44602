"""Settings in the files of a model's folder, and errors for broken files."""

import json
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework.errors import FileError, FormatError, MissingFileError, NotAFileError
from piecework.tokenizer._folders.read import read_model_folder
from piecework.tokenizer._folders.settings import FolderSettings

pytestmark = pytest.mark.smoke

TOKENIZER = b'{"version": "1.0"}'


def folder(tmp_path: Path, **files: Any) -> Path:
    """Writes a folder with a tokenizer.json and other JSON files, given by their stems."""
    (tmp_path / "tokenizer.json").write_bytes(TOKENIZER)
    for name, data in files.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")
    return tmp_path


def settings(tmp_path: Path, **files: Any) -> FolderSettings:
    """Writes such a folder and reads its settings."""
    return read_model_folder(folder(tmp_path, **files)).settings


def special(content: str, **flags: bool) -> pw.AddedToken:
    """Returns a special token."""
    return pw.AddedToken(content, special=True, **flags)


def test_folder_with_only_a_tokenizer_json(tmp_path: Path) -> None:
    read = read_model_folder(folder(tmp_path))
    assert (read.format, read.data, read.settings) == (
        "tokenizer.json",
        TOKENIZER,
        FolderSettings(),
    )
    assert read.path == str(tmp_path / "tokenizer.json")
    assert read.settings.tokens_to_add(set()) == ()
    assert "version" not in repr(read)
    assert read_model_folder(str(tmp_path)) == read


def test_folder_with_a_vocab_txt(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_bytes(b"[UNK]\na\n")
    read = read_model_folder(tmp_path)
    assert (read.format, read.data) == ("vocab.txt", b"[UNK]\na\n")
    bert = {"lowercase": True, "strip_accents": None, "handle_chinese_chars": True}
    assert read.settings.bert_settings() == bert
    assert pw.normalizers.BertNormalizer(**bert) == pw.normalizers.BertNormalizer()  # type: ignore[arg-type]
    config = {"do_lower_case": False, "strip_accents": True, "tokenize_chinese_chars": False}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    other = {"lowercase": False, "strip_accents": True, "handle_chinese_chars": False}
    assert read_model_folder(tmp_path).settings.bert_settings() == other
    (tmp_path / "tokenizer.json").write_bytes(TOKENIZER)
    assert read_model_folder(tmp_path).format == "tokenizer.json"


def test_configuration_settings_are_read(tmp_path: Path) -> None:
    config = {
        "model_max_length": 512,
        "tokenizer_class": "BertTokenizer",
        "clean_up_tokenization_spaces": True,
        "padding_side": "left",
        "truncation_side": "right",
        "do_lower_case": None,
        "never_split": None,
        "name_or_path": "x",
    }
    read = settings(tmp_path, tokenizer_config=config)
    assert read.model_max_length == 512
    assert read.tokenizer_class == "BertTokenizer"
    assert read.clean_up_tokenization_spaces
    assert (read.padding_side, read.truncation_side) == ("left", "right")
    assert read.do_lower_case is None


@pytest.mark.parametrize(
    ("given", "length"),
    [(10**30, None), (1e30, None), (1000000000000000019884624838656, None), (4096.0, 4096), (7, 7)],
    ids=str,
)
def test_huge_model_max_length_means_no_limit(
    tmp_path: Path, given: Any, length: int | None
) -> None:
    assert (
        settings(tmp_path, tokenizer_config={"model_max_length": given}).model_max_length == length
    )


def test_added_tokens_of_the_configuration_are_read(tmp_path: Path) -> None:
    config = {
        "added_tokens_decoder": {
            "10": {"content": "<b>", "lstrip": True, "normalized": False, "special": True},
            "9": {"content": "<a>", "special": False, "rstrip": False, "single_word": False},
            "2": {"content": "[CLS]", "normalized": False, "special": False},
        },
        "cls_token": "[CLS]",
        "mask_token": {"__type": "AddedToken", "content": "[MASK]", "lstrip": True},
        "pad_token": None,
        "sep_token": "",
        "additional_special_tokens": ["<b>", "<c>", {"content": "<d>", "rstrip": True}],
    }
    older = {"unk_token": "[X]", "additional_special_tokens": ["<y>"]}
    read = settings(
        tmp_path, tokenizer_config=config, special_tokens_map=older, added_tokens={"<z>": 20}
    )
    mask = special("[MASK]", lstrip=True)
    cls = special("[CLS]")
    assert read.special_tokens == {"cls_token": cls, "mask_token": mask}
    b, d = (
        special("<b>", lstrip=True),
        special("<d>", rstrip=True),
    )
    assert read.more_special_tokens == (b, special("<c>"), d)
    assert read.added_tokens == (cls, pw.AddedToken("<a>"), b)
    assert list(read.added_ids.items()) == [("[CLS]", 2), ("<a>", 9), ("<b>", 10)]
    assert read.tokens_to_add(()) == (cls, pw.AddedToken("<a>"), b, mask, special("<c>"), d)
    # Known tokens are added again only where the configuration gives flags.
    known = {"[CLS]", "<a>", "[MASK]", "<c>"}
    assert read.tokens_to_add(known) == (cls, pw.AddedToken("<a>"), b, d)


def test_special_tokens_map_and_added_tokens_are_read(tmp_path: Path) -> None:
    config = {"bos_token": "<s>", "eos_token": "</s>", "additional_special_tokens": ["<x>"]}
    specials = {
        "eos_token": {"content": "<eos>", "lstrip": True},
        "additional_special_tokens": ["<x>", "<y>"],
    }
    added = {"<x>": 31, "new": 30}
    read = settings(
        tmp_path, tokenizer_config=config, special_tokens_map=specials, added_tokens=added
    )
    eos = special("<eos>", lstrip=True)
    assert read.special_tokens == {"bos_token": special("<s>"), "eos_token": eos}
    assert [token.content for token in read.more_special_tokens] == ["<x>", "<y>"]
    assert [token.content for token in read.added_tokens] == ["new", "<x>"]
    assert [token.special for token in read.added_tokens] == [False, True]
    assert read.added_ids == {"new": 30, "<x>": 31}


def test_special_tokens_map_without_configuration(tmp_path: Path) -> None:
    read = settings(tmp_path, special_tokens_map={"mask_token": "<mask>", "unk_token": "<unk>"})
    assert list(read.special_tokens) == ["unk_token", "mask_token"]
    assert [t.content for t in read.tokens_to_add({"<unk>"})] == ["<mask>"]


def test_extra_special_tokens_are_read(tmp_path: Path) -> None:
    extra = {"image_token": "<image>", "boi_token": {"content": "<boi>"}}
    read = settings(tmp_path, tokenizer_config={"extra_special_tokens": extra})
    assert [token.content for token in read.more_special_tokens] == ["<image>", "<boi>"]
    listed = settings(tmp_path, tokenizer_config={"extra_special_tokens": ["<image>", "<image>"]})
    assert [token.content for token in listed.more_special_tokens] == ["<image>"]


LIMITS = b'{"truncation" :\n {"max_length": 1},\r\n"x": [1.0e-01, {"padding": {}}], "padding": {"a": "}"} , "y": "\xc3\xa9"}'


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (LIMITS, LIMITS.replace(b'{"max_length": 1}', b"null").replace(b'{"a": "}"}', b"null")),
        (b'{"padding": {\n}, "x": 1}', b'{"padding": null\n, "x": 1}'),
        (b'{"x": 1e400, "padding": null}', None),
        (b'{"padding": {', None),
        (b'{"x" "padding": {}', None),
        (b'{"x": 1, "padding": {}', None),
        (b'{"padding": {}}\xff', None),
    ],
)
def test_configuration_removes_truncation_and_padding_of_tokenizer_json(
    tmp_path: Path, data: bytes, wanted: bytes | None
) -> None:
    path = folder(tmp_path)
    (path / "tokenizer.json").write_bytes(data)
    assert read_model_folder(path).data == data
    (path / "tokenizer_config.json").write_text("{}")
    assert read_model_folder(path).data == (data if wanted is None else wanted)


# Errors


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("tokenizer_config", [], r"\$: expected an object, found \[\]"),
        ("tokenizer_config", None, r"\$: expected an object, found None"),
        ("tokenizer_config", {"do_lower_case": "yes"}, r"\$\.do_lower_case: expected a boolean"),
        (
            "tokenizer_config",
            {"model_max_length": -1},
            r"\$\.model_max_length: expected a positive",
        ),
        ("tokenizer_config", {"model_max_length": "512"}, r"\$\.model_max_length: expected a posi"),
        ("tokenizer_config", {"cls_token": 3}, r"\$\.cls_token: expected an object, found 3"),
        ("tokenizer_config", {"cls_token": {}}, r"\$\.cls_token: the member 'content' is missing"),
        (
            "tokenizer_config",
            {"cls_token": {"content": "a", "lsrip": True}},
            r"\$\.cls_token: the member 'lsrip' is unknown; did you mean 'lstrip'",
        ),
        (
            "tokenizer_config",
            {"additional_special_tokens": ["a", 3]},
            r"\$\.additional_special_tokens\[1\]: expected an object",
        ),
        (
            "tokenizer_config",
            {"additional_special_tokens": "a"},
            r"\$\.additional_special_tokens: expected an",
        ),
        (
            "tokenizer_config",
            {"added_tokens_decoder": []},
            r"\$\.added_tokens_decoder: expected an",
        ),
        (
            "tokenizer_config",
            {"added_tokens_decoder": {"x": {"content": "a"}}},
            r"\$\.added_tokens_decoder: expected an id, found 'x'",
        ),
        (
            "tokenizer_config",
            {"added_tokens_decoder": {"5": {"content": 7}}},
            r"\$\.added_tokens_decoder\.5\.content: expected a string, found 7",
        ),
        ("tokenizer_config", {"padding_side": "middle"}, r"\$\.padding_side: expected 'left' or"),
        ("special_tokens_map", {"cls_token": 3}, r"\$\.cls_token: expected an object, found 3"),
        ("special_tokens_map", 3, r"\$: expected an object, found 3"),
        ("added_tokens", {"a": -1}, r"\$\.a: expected an integer from 0"),
        ("added_tokens", {"": 1}, r"\$\.\.content: .* empty"),
    ],
)
def test_broken_values_raise(tmp_path: Path, name: str, data: Any, message: str) -> None:
    with pytest.raises(FormatError, match=rf"{name}\.json: {message}"):
        settings(tmp_path, **{name: data})


@pytest.mark.parametrize("name", ["tokenizer_config", "special_tokens_map", "added_tokens"])
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty"),
        (b" \n", "the file is empty"),
        (b'{"a": 1,\n "b"}', "line 2: not valid JSON: .*, column 5"),
        (b'{"a": 1, "a": 2}', "duplicate member 'a'"),
        (b'{"a": "\xff"}', "not UTF-8 at byte 7"),
        (b"[" * 100_000, "not valid JSON"),
        (b"1" * 10_000, "not valid JSON"),
    ],
)
def test_broken_files_raise(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    (folder(tmp_path) / f"{name}.json").write_bytes(data)
    with pytest.raises(FormatError, match=rf"{name}\.json: .*{message}|{name}\.json: {message}"):
        read_model_folder(tmp_path)


def test_byte_order_mark_is_skipped(tmp_path: Path) -> None:
    data = b'\xef\xbb\xbf{"do_lower_case": false}'
    (folder(tmp_path) / "tokenizer_config.json").write_bytes(data)
    assert read_model_folder(tmp_path).settings.do_lower_case is False


def test_folders_without_a_tokenizer_raise(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="none: no such file"):
        read_model_folder(tmp_path / "none")
    with pytest.raises(
        MissingFileError,
        match=r"contains no tokenizer; expected one of tokenizer\.json, vocab\.txt",
    ):
        read_model_folder(tmp_path)
    (tmp_path / "merges.txt").touch()
    with pytest.raises(
        MissingFileError, match=r"contains no tokenizer; expected one of tokenizer\.json"
    ):
        read_model_folder(tmp_path)
    with pytest.raises(FileError, match="is a file; expected a folder"):
        read_model_folder(tmp_path / "merges.txt")
    with pytest.raises(FileError, match="NUL"):
        read_model_folder("a\0b")
    (tmp_path / "tokenizer.json").mkdir()
    with pytest.raises(NotAFileError):
        read_model_folder(tmp_path)
