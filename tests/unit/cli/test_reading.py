"""Compressed files, JSON lines, Parquet, folders and URLs in the calls and commands that read texts."""

import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

import piecework as pw
from piecework.cli.app import app
from piecework.cli.options import Reading

TEXTS = ["low lower lowest", "newer newest", "", "the cat sat\ton a mat"]
TEXT = "".join(f"{text}\n" for text in TEXTS)
TRAINER = pw.WordPieceTrainer(vocab_size=60)


def lines(field: str) -> bytes:
    return "".join(json.dumps({"n": 1, field: text}) + "\n" for text in TEXTS).encode()


def table(path: Path) -> None:
    pq.write_table(pa.table({"text": TEXTS}), path)


INPUTS: dict[str, Callable[[Path], object]] = {
    "a.txt": lambda path: path.write_text(TEXT),
    "a.txt.gz": lambda path: path.write_bytes(gzip.compress(TEXT.encode())),
    "a.txt.zst": lambda path: path.write_bytes(zstandard.compress(TEXT.encode())),
    "a.jsonl": lambda path: path.write_bytes(lines("text")),
    "a.jsonl.gz": lambda path: path.write_bytes(gzip.compress(lines("text"))),
    "a.jsonl.zst": lambda path: path.write_bytes(zstandard.compress(lines("text"))),
    "a.parquet": table,
}


@pytest.fixture(params=[*INPUTS, "folder", "pattern", "URL", "field"])
def given(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Returns an input with the texts, and the settings that it requires."""
    if request.param in INPUTS:
        INPUTS[request.param](tmp_path / request.param)
        yield str(tmp_path / request.param), {}
        return
    (tmp_path / "1").mkdir()
    (tmp_path / "1/b.jsonl").write_bytes(lines("text"))
    if request.param == "URL":
        system = fsspec.filesystem("memory")
        system.pipe("/corpus/b.jsonl", lines("text"))
        yield "memory://corpus/*.jsonl", {}
        system.rm("/corpus", recursive=True)
    elif request.param == "field":
        (tmp_path / "other.txt").write_bytes(lines("content"))
        yield str(tmp_path / "other.txt"), {"field": "content"}
    else:
        yield str(tmp_path / ("1" if request.param == "folder" else "*/b.*")), {}


def test_calls_read_documents(given: tuple[str, dict[str, Any]], tmp_path: Path) -> None:
    path, settings = given
    plain = tmp_path / "plain.text"
    plain.write_text(TEXT)
    corpus, expected = pw.Corpus(path, **settings), pw.Corpus(plain)
    read: list[object] = []
    counts = pw.WordCounts.from_texts(corpus, progress=read.append)
    assert counts == pw.WordCounts.from_texts(expected)
    assert counts.fingerprint == pw.WordCounts.from_texts(TEXTS).fingerprint
    assert read or path.endswith(".txt")
    tok = pw.train(corpus, TRAINER)
    assert tok == pw.train(expected, TRAINER)
    assert tok.encode_batch(corpus).to_list() == tok.encode_batch(TEXTS).to_list()


def test_verbs_read_documents(given: tuple[str, dict[str, str]], run: Any, tmp_path: Path) -> None:
    path, settings = given
    options = [word for name, value in settings.items() for word in (f"--{name}", value)]
    plain = tmp_path / "plain.text"
    plain.write_text(TEXT)
    out, other = tmp_path / "tok.json", tmp_path / "other.json"
    assert run("train", path, "-o", out, "--vocab-size", "60", *options).code == 0
    assert run("train", plain, "-o", other, "--vocab-size", "60").code == 0
    assert out.read_bytes() == other.read_bytes()
    for verb in ("encode", "count-words"):
        words = [out] if verb == "encode" else []
        ended = run(verb, *words, path, *options)
        assert (ended.code, ended.out) == (0, run(verb, *words, plain).out)
    ended = run("count", out, path, "--json", *options)
    total = json.loads(ended.out)["total"]
    expected = json.loads(run("count", out, plain, "--json").out)["total"]
    assert [total[name] for name in ("tokens", "lines", "words")] == [
        expected[name] for name in ("tokens", "lines", "words")
    ]


WITHOUT_TEXTS = {
    "convert",
    "corpus verify",
    "decode",
    "inspect",
    "lint",
    "merge-counts",
    "play",
}


def commands() -> dict[str, Any]:
    """Returns the commands by their names."""
    program: Any = app
    groups = {
        f"{name} ": each.commands
        for name, each in program.commands.items()
        if hasattr(each, "commands")
    }
    alone = {name: each for name, each in program.commands.items() if not hasattr(each, "commands")}
    return alone | {
        group + name: each for group, verbs in groups.items() for name, each in verbs.items()
    }


def test_every_verb_that_reads_texts_has_the_same_options() -> None:
    names = {field.name for field in fields(Reading)}
    found = {
        verb: {
            option.name: (option.opts, option.default, option.help)
            for option in command.params
            if option.name in names
        }
        for verb, command in commands().items()
    }
    readers = {verb: options for verb, options in found.items() if options}
    assert set(found) - set(readers) == WITHOUT_TEXTS
    for options in readers.values():
        assert options == found["train"]
        assert set(options) == names


def test_documents_from_standard_input(run: Any) -> None:
    counts = pw.WordCounts.from_texts(TEXTS)
    data = lines("content").decode()
    ended = run("count-words", "-", "--field", "content", stdin=data)
    assert (ended.code, ended.out) == (0, counts.to_bytes().decode())


@pytest.mark.parametrize("verb", ["encode", "count", "normalize", "evaluate"])
@pytest.mark.parametrize("kind", ["jsonl", "field", "latin-1", "auto", "whole"])
def test_standard_input_is_a_corpus(run: Any, tmp_path: Path, verb: str, kind: str) -> None:
    tok, texts = tmp_path / "tok.json", [*TEXTS, "naïve, élève à l'été"]
    pw.train(TEXTS, TRAINER).save(tok)
    text = "".join(f"{each}\n" for each in texts)
    records = "".join(json.dumps({"text": each, "body": each}) + "\n" for each in texts)
    given = {
        "jsonl": (["--input-format", "jsonl"], records.encode()),
        "field": (["--field", "body"], records.encode()),
        "latin-1": (["--encoding", "latin-1"], text.encode("latin-1")),
        "auto": (["--encoding", "auto"], text.encode("utf-16")),
        "whole": (["--per", "file"], text.encode()),
    }
    options, data = given[kind]
    expected = text if kind != "whole" else json.dumps({"text": text})
    extra = ["--field", "text"] if kind == "whole" else []
    ended = run(verb, tok, *options, stdin=data)
    plain = run(verb, tok, *extra, stdin=expected)
    if verb == "count" and kind in {"jsonl", "field"}:  # lines of text include their line ends
        keep = slice(0, 3)
        assert ended.out.splitlines()[1].split()[keep] == plain.out.splitlines()[1].split()[keep]
        return
    assert (ended.code, ended.out) == (0, plain.out)
    assert ended.out.count("\n") > 0


def test_standard_input_is_read_once(run: Any, tmp_path: Path) -> None:
    ended = run("count-words", "-", "-", stdin="low\n")
    assert (ended.code, ended.out) == (2, "")
    assert "FILE: standard input can be read only once" in ended.err
    ended = run("count-words", "-", "--engine", "local", stdin="low\n")
    assert ended.err == (
        "error: FILE: standard input cannot be read in parts; write it to a file\n"
    )


def test_lines_of_standard_input_are_numbered(run: Any, tmp_path: Path) -> None:
    tok = tmp_path / "tok.json"
    pw.train(TEXTS, TRAINER).save(tok)
    data = b"low\n\xff\nlower\n[CLS]\n"
    for words in ("encode", "count"):
        ended = run(words, tok, "--specials", "error", "--on-error", "skip", stdin=data)
        assert (ended.code, ended.out) == (2, "")
        assert "error: standard input: line 4: " in ended.err
    ended = run("encode", tok, "--pair", stdin="a\tb\nc\n")
    assert (
        ended.err
        == "error: standard input: line 2: expected two texts separated by a tab, found 1\n"
    )
    streamed = run("encode", tok, "--pair", "--stream", stdin="a\tb\nc\n")
    assert (streamed.err, streamed.out.count("\n")) == (ended.err, 1)


def test_broken_documents_are_named_or_skipped_with_a_warning(run: Any, tmp_path: Path) -> None:
    path, tok = tmp_path / "a.jsonl", pw.train(TEXTS, TRAINER)
    path.write_bytes(lines("text") + b'{"text": 3}\n{"text": "low"')
    tok.save(tmp_path / "tok.json")
    for words in (
        ["count-words"],
        ["encode", tmp_path / "tok.json"],
        ["count", tmp_path / "tok.json"],
    ):
        ended = run(*words, path)
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.startswith(f"error: {path}: line 5, byte ")
        assert ended.err.endswith("; add its text, or pass --on-error skip to skip such lines\n")
        ended = run(*words, path, "--on-error", "skip")
        assert ended.code == 0
        assert ended.err.startswith(
            f"warning: 2 lines or rows were skipped; the first is {path}: line 5"
        )
    with pytest.warns(pw.errors.PieceworkWarning, match="2 lines or rows were skipped"):
        assert len(tok.encode_batch(pw.Corpus(path, on_error="skip"))) == len(TEXTS)
    with pytest.raises(pw.errors.DocumentError):
        tok.encode_batch(pw.Corpus(path))


def test_texts_that_cannot_be_encoded_are_named(run: Any, tmp_path: Path) -> None:
    path, tok = tmp_path / "a.jsonl", pw.train(TEXTS, TRAINER)
    tok.save(tmp_path / "tok.json")
    path.write_text('{"text": "low"}\n{"text": "[CLS]"}\n')
    with pytest.raises(pw.errors.SpecialTokenError) as caught:
        tok.encode_batch(pw.Corpus(path), specials="error")
    place = f"{path}: line 2: "
    assert str(caught.value).startswith(place)
    ended = run("encode", tmp_path / "tok.json", path, "--specials", "error")
    assert ended.err.startswith(f"error: {place}")


def test_texts_with_line_ends_are_single_texts(run: Any, tmp_path: Path) -> None:
    path, tok = tmp_path / "a.jsonl", pw.train(TEXTS, TRAINER)
    tok.save(tmp_path / "tok.json")
    path.write_text('{"text": "low\\nlower\\n"}\n')
    ids = tok.encode_ids("low\nlower\n")
    assert tok.encode_batch(pw.Corpus(path)).to_list() == [ids]
    assert run("encode", tmp_path / "tok.json", path).out == " ".join(map(str, ids)) + "\n"


def test_compressed_text_is_one_text_or_lines(tmp_path: Path) -> None:
    tok = pw.train(TEXTS, TRAINER)
    for name in ("a.txt", "a.txt.gz"):
        INPUTS[name](tmp_path / name)
        whole = pw.Corpus(tmp_path / name, per="file")
        assert tok.encode_batch(whole).to_list() == [tok.encode_ids(TEXT)]
        assert len(tok.encode_batch(pw.Corpus(tmp_path / name))) == len(TEXTS)


def test_training_bpe_keeps_line_ends_of_compressed_text(tmp_path: Path) -> None:
    INPUTS["a.txt"](tmp_path / "a.txt")
    INPUTS["a.txt.gz"](tmp_path / "a.txt.gz")
    trainer = pw.BpeTrainer(300, alphabet="byte")
    packed = pw.train(pw.Corpus(tmp_path / "a.txt.gz"), trainer)
    assert packed == pw.train(pw.Corpus(tmp_path / "a.txt"), trainer)
