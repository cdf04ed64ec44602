"""The limits of what a tokenizer's file may cost: ``limits=pw.Limits(...)``."""

import gzip
import inspect
import json
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework import hf
from piecework.errors import ChatTemplateError, ConfigError, LimitError
from piecework.tokenizer._folders.read import _without_limits

WORDS = "[UNK]\na\n##b\n"
LOADERS = [name for name in dir(pw.Tokenizer) if name.startswith("from_")]
JOIN_SECONDS = 10
"""The seconds within which the writer of a pipe ends after its reader."""


def tokenizer_json(**parts: Any) -> str:
    """Returns a tokenizer.json of three words with these parts."""
    model = {"type": "WordLevel", "vocab": {"[UNK]": 0, "a": 1, "b": 2}, "unk_token": "[UNK]"}
    return json.dumps({"model": model, **parts})


def padding(**settings: Any) -> str:
    """Returns a tokenizer.json that pads."""
    settings = {"strategy": "BatchLongest", "pad_to_multiple_of": None} | settings
    names = {"direction": "Right", "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]"}
    return tokenizer_json(padding=names | settings)


def replacing(pattern: str, times: int = 1, content: str = "c") -> str:
    """Returns a tokenizer.json with normalizers that replace a pattern."""
    step = {"type": "Replace", "pattern": {"Regex": pattern}, "content": content}
    return tokenizer_json(normalizer={"type": "Sequence", "normalizers": [step] * times})


def dictionary(*phrases: str) -> str:
    """Returns a tokenizer.json of three words, whose pre-tokenizer has phrases."""
    splitter = pw.pre_tokenizers.Dictionary(phrases)
    return pw.Tokenizer.from_str(tokenizer_json()).replace(pre_tokenizer=splitter).to_str()


def template(tokens: int, times: int = 1) -> str:
    """Returns a tokenizer.json that inserts a special token of many ids before each text."""
    special = {"id": "[X]", "ids": [1] * tokens, "tokens": ["a"] * tokens}
    single: list[Any] = [{"SpecialToken": {"id": "[X]", "type_id": 0}}] * times
    text = {"Sequence": {"id": "A", "type_id": 0}}
    parts = {"single": [*single, text], "pair": [text, text], "special_tokens": {"[X]": special}}
    return tokenizer_json(post_processor={"type": "TemplateProcessing", **parts})


@pytest.mark.parametrize("name", LOADERS)
def test_every_loader_takes_limits(name: str) -> None:
    parameter = inspect.signature(getattr(pw.Tokenizer, name)).parameters["limits"]
    assert (parameter.kind, parameter.default) == (parameter.KEYWORD_ONLY, None)


@pytest.mark.parametrize(
    ("name", "text", "size"),
    [
        ("entries", WORDS, 3),
        ("entries", dictionary("ab", "cd"), 5),
        ("vocabulary_bytes", WORDS, 9),
        ("vocabulary_bytes", dictionary("ab", "cd"), 11),
        ("entry_bytes", "[UNK]\néa\n", 5),
        ("components", replacing("a", 7), 7),
        ("components", template(1, 6), 7),
        ("pattern_bytes", replacing("[a-c]é", 2), 2 * (7 + 100)),
        ("entry_bytes", padding(pad_token="[LONGPAD]"), 9),
        ("entry_bytes", replacing("a", content="é" * 5), 10),
        ("values", tokenizer_json(), 15),
        ("padding", padding(strategy={"Fixed": 9}), 9),
        ("padding", padding(pad_to_multiple_of=8), 8),
        ("padding", padding(strategy={"Fixed": 9}, pad_to_multiple_of=8), 16),
        ("padding", padding(strategy={"Fixed": 9}, pad_token="a" * 65), 18),
        ("padding", template(12), 12),
        ("nesting", tokenizer_json(), 3),
        ("file_bytes", WORDS, len(WORDS)),
    ],
)
def test_sizes_are_bounded(name: str, text: str, size: int) -> None:
    """A size at the limit is loaded, one above it is refused by name."""
    settings: Any = {"format": "tokenizer.json" if text.startswith("{") else "vocab.txt"}
    pw.Tokenizer.from_str(text, limits=pw.Limits(**{name: size}), **settings)
    if name == "nesting":
        size -= 1
        text = tokenizer_json()
    with pytest.raises(LimitError) as caught:
        pw.Tokenizer.from_str(text, limits=pw.Limits(**{name: size - 1}), **settings)
    assert f"pw.Limits({name}=" in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        padding(strategy={"Fixed": 10**8}),
        padding(pad_to_multiple_of=10**8),
        template(30_000, 30_000),
        replacing(r"\w+", 10_000),
        replacing("a|" * 100_000),
        "[UNK]\n" + "a" * 1_000_000 + "\n",
    ],
    ids=["length", "multiple", "template", "patterns", "pattern", "entry"],
)
def test_costly_files_are_refused_by_default(text: str) -> None:
    with pytest.raises(LimitError, match="if you trust the file, pass `limits="):
        pw.Tokenizer.from_str(text)
    if text.startswith("{"):
        remedy = "load it with `piecework.Tokenizer.from_file` and `limits="
        with pytest.raises(LimitError, match=remedy):
            hf.Tokenizer.from_str(text)


def test_lines_and_pieces_are_counted_before_they_are_read(tmp_path: Path) -> None:
    """Each file has more entries than `Limits` allows, and an error that reading it would find first."""
    few = pw.Limits(entries=3)
    ranks, merges = tmp_path / "ranks.tiktoken", tmp_path / "codes.txt"
    ranks.write_text("x\n" * 4, encoding="utf-8")
    named = tmp_path / "r50k_base.tiktoken"
    named.write_text("IQ== 0\nIg== 1\nIw== 2\nJA== 3\n", encoding="utf-8")
    merges.write_text("#version: 0.2\n" * 4, encoding="utf-8")
    for load in (
        lambda: pw.Tokenizer.from_tiktoken(ranks, "gpt2", limits=few),
        lambda: pw.Tokenizer.from_file(named, limits=few),
        lambda: pw.Tokenizer.from_subword_nmt(merges, limits=few),
        lambda: pw.Tokenizer.from_bytes(b"\x0a\x00" * 4, format="sentencepiece", limits=few),
        lambda: pw.Tokenizer.from_str("\n" * 3 + "x\n", format="vocab.txt", limits=few),
    ):
        with pytest.raises(LimitError, match="4 entries are over the limit of 3"):
            load()


def test_files_of_models_of_hf_have_the_default_limits(tmp_path: Path) -> None:
    vocab, merges = tmp_path / "vocab.json", tmp_path / "merges.txt"
    vocab.write_text("[" * 9_000_000, encoding="utf-8")
    merges.write_text("\n" * 5_000_000, encoding="utf-8")
    for load in (
        lambda: hf.models.WordLevel.from_file(str(vocab)),
        lambda: hf.models.WordPiece.from_file(str(merges)),
        lambda: hf.models.BPE.from_file(str(vocab), str(merges)),
    ):
        with pytest.raises(LimitError, match=r"load it with `piecework\.Tokenizer\.from_file`"):
            load()


BERT_CONFIG = {"tokenizer_class": "BertTokenizer"}
"""The configuration of a class that replaces parts of a tokenizer.json."""


@pytest.mark.parametrize(
    ("data", "config"),
    [('{"truncation": {}, "x": [', {}), ('{"x": [', BERT_CONFIG)],
    ids=["truncation", "class"],
)
def test_folders_are_counted_before_they_are_parsed(
    data: str, config: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: json.JSONDecoder, s: str, idx: int = 0) -> Any:
        assert "[[" not in s, "parsed"
        return decode(self, s, idx)

    decode = json.JSONDecoder.raw_decode
    monkeypatch.setattr(json.JSONDecoder, "raw_decode", refuse)
    (tmp_path / "tokenizer.json").write_text(data + "[[]]," * 50 + "0]}", encoding="utf-8")
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(LimitError, match=r"tokenizer\.json: JSON of 1\d\d values in all"):
        pw.Tokenizer.from_folder(tmp_path, limits=pw.Limits(values=100))


@pytest.mark.filterwarnings("ignore:.* the class 'BertTokenizer' replaces")
def test_the_values_of_all_json_files_are_added(tmp_path: Path) -> None:
    """A file counts once, however often it is looked at; the error names the one that is too much."""
    files: dict[str, tuple[str, int]] = {
        "tokenizer_config.json": (json.dumps({**BERT_CONFIG, "x": [0] * 20}), 25),
        "config.json": (json.dumps({"x": [0] * 20}), 23),
        "tokenizer.json": (tokenizer_json(truncation={}), 18),
    }
    total = 0
    for name, (text, size) in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        total += size
    pw.Tokenizer.from_folder(tmp_path, limits=pw.Limits(values=total))
    for name, (_, size) in reversed(files.items()):
        error = rf"[/\\]{name}: JSON of {total} values in all is over the limit of {total - 1};"
        with pytest.raises(LimitError, match=error):
            pw.Tokenizer.from_folder(tmp_path, limits=pw.Limits(values=total - 1))
        total -= size


def test_spaces_before_a_member_are_skipped_at_once() -> None:
    text = '{"truncation": {}' + " " * 20_000_000 + ', "x": 0}'
    started = time.process_time()
    assert _without_limits(text.encode(), "").startswith(b'{"truncation": null ')
    assert time.process_time() - started < 1


def test_long_and_many_chat_templates_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text(WORDS, encoding="utf-8")
    others = tmp_path / "additional_chat_templates"
    others.mkdir()
    for number in range(64):
        (others / f"{number}.jinja").write_text("x", encoding="utf-8")
    assert len(pw.Tokenizer.from_folder(tmp_path).chat_templates) == 64
    (others / "64.jinja").touch()
    with pytest.raises(LimitError, match="65 chat templates are over the limit of 64"):
        pw.Tokenizer.from_folder(tmp_path)
    (others / "64.jinja").unlink()
    for path in (others / "0.jinja", tmp_path / "chat_template.jinja"):
        with open(path, "wb") as file:
            file.truncate((1 << 20) + 1)
        error = rf"{path.name}: the file has more bytes than a chat template of 262,144 characters"
        with pytest.raises(LimitError, match=error):
            pw.Tokenizer.from_folder(tmp_path)
        path.unlink()


def test_errors_name_the_size_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_text(WORDS, encoding="utf-8")
    with pytest.raises(LimitError, match=f"file_bytes={len(WORDS)}"):
        pw.Tokenizer.from_file(path, limits=pw.Limits(file_bytes=5))


def test_files_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_text(WORDS, encoding="utf-8")
    limits = pw.Limits(file_bytes=len(WORDS) - 1)
    with pytest.raises(LimitError, match=r"vocab\.txt: the file has more bytes than the limit of"):
        pw.Tokenizer.from_file(path, limits=limits)
    with pytest.raises(LimitError):
        pw.Tokenizer.from_folder(tmp_path, limits=limits)
    assert len(pw.Tokenizer.from_file(path, limits=pw.Limits(file_bytes=len(WORDS)))) == 3


def test_unpacked_files_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt.gz"
    path.write_bytes(gzip.compress(b"[UNK]\n" + b"a" * 400_000_000))
    with pytest.raises(LimitError, match="unpacks to more bytes than the limit of 67,108,864"):
        pw.Tokenizer.from_file(path)
    with pytest.raises(LimitError, match="limit of 100;"):
        pw.Tokenizer.from_file(path, limits=pw.Limits(unpacked_bytes=100))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_pipes_without_an_end_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)

    def write() -> None:
        with open(path, "wb", buffering=0) as pipe:
            while True:
                try:
                    pipe.write(b"a\n" * 1000)
                except BrokenPipeError:
                    return

    writer = threading.Thread(target=write)
    writer.start()
    with pytest.raises(LimitError):
        pw.Tokenizer.from_file(path, limits=pw.Limits(file_bytes=1_000_000))
    writer.join(JOIN_SECONDS)
    assert not writer.is_alive()


def test_template_limits_are_kept(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    (tmp_path / "vocab.txt").write_text(WORDS, encoding="utf-8")
    template = "{% for m in messages %}{% for i in range(1000) %}a{% endfor %}{% endfor %}"
    (tmp_path / "chat_template.jinja").write_text(template, encoding="utf-8")
    chat = [{"role": "user", "content": ""}]
    few = pw.Tokenizer.from_folder(tmp_path)
    assert len(few.chat(chat).text) == 1000
    for name in ("template_steps", "template_characters"):
        # The messages themselves allow 2,000 steps for each value.
        more = (
            (tmp_path / "chat_template.jinja").read_text(encoding="utf-8").replace("1000", "90000")
        )
        (tmp_path / "chat_template.jinja").write_text(more, encoding="utf-8")
        tok = pw.Tokenizer.from_folder(tmp_path, limits=pw.Limits(**{name: 10}))
        with pytest.raises(ChatTemplateError, match=f"Limits\\({name}="):
            tok.chat(chat)
        with pytest.raises(ChatTemplateError):
            tok.with_added_tokens(["x"]).chat(chat)


@pytest.mark.parametrize("most", [-1, True, 1.5, "9", None])
def test_limits_are_numbers(most: Any) -> None:
    with pytest.raises(ConfigError, match="entries: expected an integer from 0 on"):
        pw.Limits(entries=most)


def test_limits_are_values() -> None:
    limits = pw.Limits(entries=5)
    assert limits == pw.Limits(entries=5) != pw.Limits()
    assert limits.to_dict()["entries"] == 5
    with pytest.raises(ConfigError, match="nesting: expected at most 127"):
        pw.Limits(nesting=128)
    with pytest.raises(TypeError, match=r"limits: expected a piecework\.Limits"):
        pw.Tokenizer.from_str(WORDS, limits=5)  # type: ignore[arg-type]


def test_tokenizers_made_in_python_have_no_limits() -> None:
    tok = pw.Tokenizer.from_str(WORDS).replace(padding=pw.Padding(10**6, pad_token="a"))
    assert len(tok.encode_ids("a")) == 10**6
    with pytest.raises(LimitError):
        pw.Tokenizer.from_str(tok.to_str())
    assert pw.Tokenizer.from_str(tok.to_str(), limits=pw.Limits(padding=10**6)) == tok
