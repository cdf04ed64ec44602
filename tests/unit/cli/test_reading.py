"""Compressed files, JSON lines, Parquet, folders and URLs in the calls and commands that read texts."""

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

import piecework as pw

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
    read: list[object] = []
    counts = pw.WordCounts.from_files(path, **settings, progress=read.append)
    assert counts == pw.WordCounts.from_files(plain)
    assert counts.fingerprint == pw.WordCounts.from_texts(TEXTS).fingerprint
    assert read or path.endswith(".txt")
    tok = pw.train_files([path], TRAINER, **settings)
    assert tok == pw.train_files(plain, TRAINER)
    batch = tok.encode_file(path, lines=True, **settings)
    assert batch.to_list() == tok.encode_batch(TEXTS).to_list()


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


def test_column_is_another_name_of_field(run: Any, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(lines("content"))
    path = tmp_path / "a.jsonl"
    counts = pw.WordCounts.from_files(path, field="content")
    assert pw.WordCounts.from_files(path, column="content") == counts
    assert run("count-words", path, "--column", "content").out == counts.to_bytes().decode()
    with pytest.raises(pw.errors.ConfigError, match="cannot be combined with `field`"):
        pw.WordCounts.from_files(path, field="a", column="b")


def test_documents_from_standard_input(run: Any) -> None:
    counts = pw.WordCounts.from_texts(TEXTS)
    data = lines("content").decode()
    ended = run("count-words", "-", "--field", "content", stdin=data)
    assert (ended.code, ended.out) == (0, counts.to_bytes().decode())


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
        assert "pass --field, the member with the text, or --on-error skip" in ended.err
        ended = run(*words, path, "--on-error", "skip")
        assert ended.code == 0
        assert ended.err.startswith(
            f"warning: 2 lines or rows were skipped; the first is {path}: line 5"
        )
    with pytest.warns(pw.errors.PieceworkWarning, match="2 lines or rows were skipped"):
        assert len(tok.encode_file(path, on_error="skip")) == len(TEXTS)
    with pytest.raises(pw.errors.DocumentError):
        tok.encode_file(path)


def test_texts_that_cannot_be_encoded_are_named(run: Any, tmp_path: Path) -> None:
    path, tok = tmp_path / "a.jsonl", pw.train(TEXTS, TRAINER)
    tok.save(tmp_path / "tok.json")
    path.write_text('{"text": "low"}\n{"text": "[CLS]"}\n')
    with pytest.raises(pw.errors.SpecialTokenError) as caught:
        tok.encode_file(path, specials="error")
    place = f"{path}: the line at byte 16: "
    assert str(caught.value).startswith(place)
    ended = run("encode", tmp_path / "tok.json", path, "--specials", "error")
    assert ended.err.startswith(f"error: {place}")


def test_texts_with_line_ends_are_single_texts(run: Any, tmp_path: Path) -> None:
    path, tok = tmp_path / "a.jsonl", pw.train(TEXTS, TRAINER)
    tok.save(tmp_path / "tok.json")
    path.write_text('{"text": "low\\nlower\\n"}\n')
    ids = tok.encode_ids("low\nlower\n")
    assert tok.encode_file(path).to_list() == [ids]
    assert run("encode", tmp_path / "tok.json", path).out == " ".join(map(str, ids)) + "\n"


def test_compressed_text_is_one_text_or_lines(tmp_path: Path) -> None:
    tok, path = pw.train(TEXTS, TRAINER), tmp_path / "a.txt.gz"
    INPUTS["a.txt.gz"](path)
    assert tok.encode_file(path).to_list() == [tok.encode_ids(TEXT)]
    (tmp_path / "a.txt").write_text(TEXT)
    assert tok.encode_file(tmp_path / "a.txt").to_list() == [tok.encode_ids(TEXT)]


def test_training_bpe_keeps_line_ends_of_compressed_text(tmp_path: Path) -> None:
    INPUTS["a.txt"](tmp_path / "a.txt")
    INPUTS["a.txt.gz"](tmp_path / "a.txt.gz")
    trainer = pw.BpeTrainer(300, alphabet="byte")
    packed = pw.train_files(tmp_path / "a.txt.gz", trainer)
    assert packed == pw.train_files(tmp_path / "a.txt", trainer)
