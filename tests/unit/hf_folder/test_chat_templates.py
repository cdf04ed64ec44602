"""Chat templates of folders: where they are read, and where transformers finds what is saved."""

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from transformers import AutoTokenizer

import piecework as pw
from chat_templates import CHATML, FAMILIES
from chats import TOOLS, peer

MESSAGES = [{"role": "user", "content": "Hello there"}, {"role": "assistant", "content": "a"}]
FILE, OTHERS = "chat_template.jinja", "additional_chat_templates"


def folder_of(path: Path, files: dict[str, str], **config: Any) -> Path:
    """Returns a folder with a tokenizer, a configuration and other files."""
    path.mkdir(exist_ok=True)
    (path / "tokenizer.json").write_text(peer("bpe").to_str(), encoding="utf-8")
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<s>", **config}
    settings |= {"eos_token": "</s>", "pad_token": "</s>"}
    (path / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    for name, text in files.items():
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).write_bytes(text.encode())
    return path


PLACES: dict[str, tuple[dict[str, str], dict[str, Any]]] = {
    "none": ({}, {}),
    "the configuration": ({}, {"chat_template": CHATML}),
    "a list": (
        {},
        {
            "chat_template": [
                {"name": "default", "template": "{{ 1 }}"},
                {"name": "tool_use", "template": "{{ 2 }}"},
            ]
        },
    ),
    "a list without a default": ({}, {"chat_template": [{"name": "rag", "template": "{{ 1 }}"}]}),
    "a file": ({FILE: CHATML}, {}),
    "a file over the configuration": ({FILE: "{{ 1 }}\r\nx\n"}, {"chat_template": "{{ 2 }}"}),
    "a folder": ({f"{OTHERS}/rag.jinja": "{{ 3 }}", f"{OTHERS}/note.txt": "x"}, {}),
    "a file and a folder": (
        {FILE: "{{ 1 }}", f"{OTHERS}/tool_use.jinja": "{{ 2 }}\n"},
        {"chat_template": "{{ 4 }}"},
    ),
}


def theirs_of(path: Path) -> dict[str, str]:
    """Returns the templates that transformers reads from a folder, by name."""
    found = AutoTokenizer.from_pretrained(path).chat_template
    return {"default": found} if isinstance(found, str) else found or {}


@pytest.mark.parametrize("place", PLACES)
def test_templates_are_read_and_saved_where_transformers_reads_them(
    place: str, tmp_path: Path
) -> None:
    files, config = PLACES[place]
    folder = folder_of(tmp_path / "a", files, **config)
    tok = pw.Tokenizer.from_folder(folder)
    assert tok.chat_templates == theirs_of(folder)
    tok.save_folder(tmp_path / "b")
    assert theirs_of(tmp_path / "b") == tok.chat_templates
    assert pw.Tokenizer.from_folder(tmp_path / "b").chat_templates == tok.chat_templates


def test_derived_tokenizers_keep_the_templates(tmp_path: Path) -> None:
    tok = pw.Tokenizer.from_folder(folder_of(tmp_path / "a", {FILE: CHATML}))
    wanted = tok.chat(MESSAGES)
    added = tok.with_added_tokens(["<new>"])
    for other in (tok.replace(truncation=3), added, pickle.loads(pickle.dumps(tok))):
        assert other.chat_templates == {"default": CHATML}
        assert other.chat(MESSAGES) == wanted
    with pytest.raises(TypeError, match="read-only"):
        tok.chat_templates["default"] = "x"  # type: ignore[index]


@pytest.mark.parametrize("family", FAMILIES)
def test_chats_of_a_folder(family: str, tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "a", {FILE: FAMILIES[family]})
    tok = pw.Tokenizer.from_folder(folder)
    theirs = AutoTokenizer.from_pretrained(folder)
    for tools in (None, TOOLS):
        got = tok.chat(MESSAGES, tools)
        assert got.ids == theirs.apply_chat_template(MESSAGES, tools=tools, return_dict=False)
        assert got == tok.chat(MESSAGES, tools, trusted=True)


def test_templates_by_name(tmp_path: Path) -> None:
    files = {
        FILE: "{{ 1 }}",
        f"{OTHERS}/tool_use.jinja": "{{ 2 }}",
        f"{OTHERS}/rag.jinja": "{{ 3 }}",
    }
    tok = pw.Tokenizer.from_folder(folder_of(tmp_path / "a", files))
    assert [tok.chat(MESSAGES).text, tok.chat(MESSAGES, TOOLS).text] == ["1", "2"]
    assert tok.chat(MESSAGES, TOOLS, template="rag").text == "3"
    assert tok.chat(MESSAGES, template="{{ 4 }}").text == "4"


def test_a_name_that_is_no_file_name_is_saved_in_the_configuration(tmp_path: Path) -> None:
    named = [{"name": "../up", "template": "{{ 1 }}"}, {"name": "default", "template": "{{ 2 }}"}]
    tok = pw.Tokenizer.from_folder(folder_of(tmp_path / "a", {}, chat_template=named))
    tok.save_folder(tmp_path / "b")
    assert not (tmp_path / "b" / FILE).exists()
    assert (
        theirs_of(tmp_path / "b")
        == tok.chat_templates
        == {"../up": "{{ 1 }}", "default": "{{ 2 }}"}
    )


def test_an_older_file_is_read_if_there_is_no_other(tmp_path: Path) -> None:
    older = {"chat_template.json": json.dumps({"chat_template": "{{ 1 }}"})}
    assert pw.Tokenizer.from_folder(folder_of(tmp_path / "a", older)).chat_templates == {
        "default": "{{ 1 }}"
    }
    newer = folder_of(tmp_path / "b", older, chat_template="{{ 2 }}")
    assert pw.Tokenizer.from_folder(newer).chat_templates == {"default": "{{ 2 }}"}


@pytest.mark.parametrize(
    ("template", "message"),
    [
        (3, r"chat_template: expected an array"),
        ([{"name": "a"}], r"chat_template\[0\].template: "),
        ([{"template": "a"}], r"chat_template\[0\].name: "),
        ({"a": 3}, r"chat_template.a: "),
    ],
)
def test_faulty_configurations(template: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(pw.errors.FormatError, match=message):
        pw.Tokenizer.from_folder(folder_of(tmp_path / "a", {}, chat_template=template))


def test_a_file_that_is_not_utf8(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "a", {})
    (folder / FILE).write_bytes(b"\xff")
    with pytest.raises(pw.errors.FormatError, match="not UTF-8 at byte 0"):
        pw.Tokenizer.from_folder(folder)
