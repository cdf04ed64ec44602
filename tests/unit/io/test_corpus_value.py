"""A corpus is a value: equal, hashable, picklable, and read in one way by every call that takes texts."""

import gzip
import json
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import piecework as pw
from piecework.engines import Local
from piecework.errors import (
    ConfigError,
    DocumentError,
    FormatError,
    InvalidUtf8Error,
    PieceworkWarning,
)

TEXTS = ["low lower", "", "lowest Ünï", "中文 new", "newest low"]
TRAINER = pw.WordPieceTrainer(60)
TOK = pw.train(TEXTS * 3, TRAINER)


def text(path: Path, encoding: str = "utf-8", end: str = "\n") -> Path:
    path.write_bytes("".join(f"{each}{end}" for each in TEXTS).encode(encoding))
    return path


def json_lines(path: Path, field: str = "text") -> Path:
    lines = "".join(json.dumps({field: each, "lang": "x"}) + "\n" for each in TEXTS)
    data = lines.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def table(path: Path, field: str = "text") -> Path:
    columns = pa.table({field: TEXTS, "lang": ["x"] * len(TEXTS)})
    if path.suffix == ".parquet":
        pq.write_table(columns, path, row_group_size=2)
        return path
    with pa.ipc.new_stream(path, columns.schema) as file:
        file.write_table(columns, max_chunksize=2)
    return path


CORPORA: dict[str, Callable[[Path], pw.Corpus]] = {
    "text": lambda at: pw.Corpus(text(at / "a.txt")),
    "text, CR LF": lambda at: pw.Corpus(text(at / "a.txt", end="\r\n")),
    "text, latin": lambda at: pw.Corpus(text(at / "a.txt", "gb18030"), encoding="gb18030"),
    "text, utf-16": lambda at: pw.Corpus(text(at / "a.txt", "utf-16"), encoding="auto"),
    "text, replace": lambda at: pw.Corpus(text(at / "a.txt"), errors="replace"),
    "text, skip": lambda at: pw.Corpus(text(at / "a.txt"), on_error="skip"),
    "JSON lines": lambda at: pw.Corpus(json_lines(at / "a.jsonl")),
    "JSON lines, packed": lambda at: pw.Corpus(json_lines(at / "a.jsonl.gz", "t"), field="t"),
    "JSON lines, no name": lambda at: pw.Corpus(json_lines(at / "a.txt", "t"), field="t"),
    "JSON lines, format": lambda at: pw.Corpus(json_lines(at / "a.lines"), format="jsonl"),
    "Parquet": lambda at: pw.Corpus(table(at / "a.parquet")),
    "Arrow": lambda at: pw.Corpus(table(at / "a.arrow", "t"), field="t"),
}


@pytest.mark.parametrize("name", CORPORA)
def test_every_call_reads_the_same_texts(name: str, tmp_path: Path) -> None:
    corpus = CORPORA[name](tmp_path)
    assert list(corpus) == list(corpus) == TEXTS
    assert pickle.loads(pickle.dumps(corpus)) == corpus
    assert hash(pickle.loads(pickle.dumps(corpus))) == hash(corpus)
    assert pw.train(corpus, TRAINER) == pw.train(TEXTS, TRAINER)
    counts = pw.count_words(TEXTS)
    assert pw.count_words(corpus) == counts
    assert pw.count_words(corpus, engine=Local(1), part_bytes=30) == counts
    assert TOK.encode_batch(corpus).to_list() == TOK.encode_batch(TEXTS).to_list()
    assert TOK.count(corpus) == TOK.count(TEXTS)
    metrics = pw.evaluate(TOK, TEXTS).tokenizers[0].metrics
    assert pw.evaluate(TOK, corpus).tokenizers[0].metrics == metrics
    assert pw.evaluate(TOK, {"a": corpus}).tokenizers[0].metrics == metrics
    other = pw.Tokenizer.from_str("[UNK]\nlow\n")
    assert pw.diff(TOK, other, corpus).texts_changed == pw.diff(TOK, other, TEXTS).texts_changed
    pruned = pw.prune(TOK, corpus, vocab_size=TOK.vocab_size - 1)
    assert pruned.removed == pw.prune(TOK, TEXTS, vocab_size=TOK.vocab_size - 1).removed
    short = pw.train(TEXTS * 3, pw.WordPieceTrainer(60, max_merges=1))
    assert (
        pw.extend(short, corpus, new_tokens=2).added == pw.extend(short, TEXTS, new_tokens=2).added
    )
    traced = pw.trace(corpus, pw.WordPieceTrainer(60, max_merges=2))
    assert str(traced[0]) == str(pw.trace(TEXTS, pw.WordPieceTrainer(60, max_merges=2))[0])
    manifest = pw.corpus.tokenize(TOK, corpus, tmp_path / "out", engine=Local(1))
    rows = [row.tolist() for row in pw.corpus.Dataset(tmp_path / "out")]
    assert rows == TOK.encode_batch(TEXTS, add_special_tokens=False).to_list()
    assert manifest.documents == len(TEXTS)


@pytest.mark.parametrize("name", CORPORA)
def test_documents_say_where_they_come_from(name: str, tmp_path: Path) -> None:
    corpus = CORPORA[name](tmp_path)
    (path,) = corpus.files
    found = list(corpus.documents())
    assert [each.text for each in found] == TEXTS
    assert {each.file for each in found} == {path}
    assert [each.line for each in found] == list(range(1, len(TEXTS) + 1))
    if name in {"Parquet", "Arrow"} or "latin" in name or "utf-16" in name or "replace" in name:
        assert {each.byte for each in found} == {None}
        return
    data = Path(path).read_bytes()
    data = gzip.decompress(data) if path.endswith(".gz") else data
    for each in found:
        assert each.byte is not None
        assert data[: each.byte].count(b"\n") == each.line - 1
        line = data[each.byte :].partition(b"\n")[0].decode().removesuffix("\r")
        value = json.loads(line) if line.startswith("{") else {"text": line}
        assert each.text in value.values()


def test_lines_count_what_is_no_document(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('\ufeff{"text": "a"}\n\n \n{"text": 3}\n{"text": "b"}', encoding="utf-8")
    with pytest.warns(PieceworkWarning, match="1 line or row was skipped"):
        found = [tuple(each) for each in pw.Corpus(path, on_error="skip").documents()]
    assert found == [("a", str(path), 1, 0), ("b", str(path), 5, 32)]
    whole = pw.Corpus(text(tmp_path / "a.txt"), per="file")
    assert [(each.line, each.byte) for each in whole.documents()] == [(1, 0)]


@pytest.mark.parametrize("name", ["a.txt", "a.jsonl", "a.txt.gz"])
def test_json_is_text_if_the_format_is_given(name: str, tmp_path: Path) -> None:
    lines = ['{"content": "low", "id": 3}'] * 20
    data = "".join(f"{line}\n" for line in lines).encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    with pytest.raises((FormatError, DocumentError), match='pass `field="content"`'):
        pw.count_words(pw.Corpus(path))
    corpus = pw.Corpus(path, format="text")
    assert list(corpus) == lines
    assert pickle.loads(pickle.dumps(corpus)) == corpus
    assert pw.count_words(corpus) == pw.count_words(lines)
    assert pw.count_words(corpus, engine=Local(1)) == pw.count_words(lines)
    assert TOK.count(corpus) == TOK.count(lines)


def test_a_file_as_one_text(tmp_path: Path) -> None:
    corpus = pw.Corpus([text(tmp_path / "a.txt"), text(tmp_path / "b.txt")], per="file")
    whole = "".join(f"{each}\n" for each in TEXTS)
    assert list(corpus) == [whole, whole]
    assert pw.count_words(corpus) == pw.count_words([whole, whole])
    assert TOK.encode_batch(corpus).to_list() == TOK.encode_batch([whole] * 2).to_list()


def test_bpe_learns_line_ends_unless_told_otherwise(tmp_path: Path) -> None:
    path = text(tmp_path / "a.txt")
    trainer = pw.BpeTrainer(280, alphabet="byte")
    lines = [f"{each}\n" for each in TEXTS]
    assert pw.train(pw.Corpus(path), trainer) == pw.train(lines, trainer)
    assert pw.train(pw.Corpus(path, keep_line_ends=False), trainer) == pw.train(TEXTS, trainer)
    assert pw.train(pw.Corpus(path, keep_line_ends=True), TRAINER) == pw.train(lines, TRAINER)
    assert list(pw.Corpus(path)) == TEXTS
    assert list(pw.Corpus(path, keep_line_ends=True)) == lines


def test_the_value(tmp_path: Path) -> None:
    paths = [text(tmp_path / name) for name in ("a.txt", "b.txt")]
    corpus = pw.Corpus(paths)
    assert corpus == pw.Corpus(tmp_path) == pw.Corpus(f"{tmp_path}/*.txt")
    assert corpus == pw.Corpus(paths, encoding="UTF8", errors="strict")
    assert corpus != pw.Corpus(paths[::-1])
    assert corpus != pw.Corpus(paths, per="file")
    assert corpus != pw.Corpus(paths, keep_line_ends=False)
    assert corpus != "corpus"
    assert corpus.files == tuple(map(str, paths))
    assert corpus.bytes == 2 * paths[0].stat().st_size
    assert repr(corpus) == f"<Corpus: 2 files, {corpus.bytes} bytes, text>"
    assert repr(pw.Corpus(json_lines(tmp_path / "c.jsonl.gz", "t"), field="t")).endswith(
        " bytes, jsonl (gzip), field 't'>"
    )
    with pytest.raises(AttributeError, match="Corpus is immutable"):
        corpus.files = ()  # type: ignore[misc]
    with pytest.raises(AttributeError, match="cannot call __init__ again"):
        corpus.__init__("a.txt")  # type: ignore[misc]
    # The files are those of its creation.
    text(tmp_path / "new.txt")
    assert corpus == pickle.loads(pickle.dumps(corpus))
    assert len(pw.Corpus(tmp_path).files) == 4


def test_an_encoding_is_checked_when_the_corpus_is_made(tmp_path: Path) -> None:
    path = text(tmp_path / "a.txt")
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"encoding": "utf-99"}, "encoding: expected a Python codec"),
        ({"errors": "none"}, "errors: expected 'strict', 'replace'"),
        ({"per": "page"}, "per: expected 'line' or 'file'"),
        ({"on_error": "no"}, "on_error: expected 'raise' or 'skip'"),
        ({"format": "csv"}, "format: expected 'text'"),
        ({"field": ""}, "field: expected the name"),
    ]
    for settings, message in wrong:
        with pytest.raises(ConfigError, match=message):
            pw.Corpus(path, **settings)
    with pytest.raises(ConfigError, match="field: has no effect on files that are read as text"):
        pw.Corpus(path, format="text", field="content")
    with pytest.raises(ConfigError, match="per: has no effect, since no file is text"):
        pw.Corpus(json_lines(tmp_path / "a.jsonl"), per="file")
    with pytest.raises(TypeError, match="paths: expected a path or an iterable of paths"):
        pw.Corpus(pw.Corpus(path))  # type: ignore[arg-type]


def test_names_are_those_of_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("-").write_text("low\n")
    assert pw.Corpus("./-").files == ("./-",)
    assert list(pw.Corpus("./-")) == ["low"]
    for folder, content in (("real/sub", "inner"), ("d", "outer")):
        Path(folder).mkdir(parents=True)
        (Path(folder).parent / "b.txt").write_text(f"{content}\n")
    Path("d/link").symlink_to("../real/sub")
    Path("d/b.txt").write_text("other\n")
    assert list(pw.Corpus("d/link/../b.txt")) == ["inner"]
    assert pw.Corpus("./d//b.txt").files == ("d/b.txt",)


def test_standard_input(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = text(tmp_path / "a.txt")
    with path.open("rb") as file:
        number = os.dup(0)
        try:
            os.dup2(file.fileno(), 0)
            corpus = pw.Corpus("-")
            assert repr(corpus) == "<Corpus: standard input, text>"
            with os.fdopen(os.dup(0), encoding="utf-8") as stdin:
                monkeypatch.setattr("sys.stdin", stdin)
                assert list(corpus) == TEXTS
        finally:
            os.dup2(number, 0)
    for call in (
        lambda: pw.count_words(corpus, engine=Local(1)),
        lambda: pw.evaluate(TOK, corpus, engine=Local(1)),
        lambda: pw.corpus.tokenize(TOK, corpus, tmp_path / "out"),
    ):
        with pytest.raises(ConfigError, match="texts: standard input cannot be read in parts"):
            call()


CALLS: dict[str, Callable[[Any], object]] = {
    "train": lambda texts: pw.train(texts, TRAINER),
    "trace": lambda texts: pw.trace(texts, TRAINER),
    "count_words": pw.count_words,
    "evaluate": lambda texts: pw.evaluate(TOK, texts),
    "evaluate, groups": lambda texts: pw.evaluate(TOK, {"a": texts}),
    "diff": lambda texts: pw.diff(TOK, TOK, texts),
    "prune": lambda texts: pw.prune(TOK, texts, min_count=1),
    "extend": lambda texts: pw.extend(TOK, texts, new_tokens=1),
}


@pytest.mark.parametrize("name", CALLS)
def test_one_text_or_path_names_the_corpus(name: str) -> None:
    for wrong, words in (
        ("a.txt", r"found one str; pass piecework\.Corpus\('a.txt'\) for a file, or \[text\] for"),
        (Path("a.txt"), r"found one path; pass piecework\.Corpus\('a.txt'\)"),
        (b"a", r"found one bytes; pass \[text\.decode\(\)\]"),
        (3, "found 3"),
    ):
        with pytest.raises(TypeError, match=f"texts: expected an iterable of str, .*{words}"):
            CALLS[name](wrong)
    with pytest.raises(TypeError, match=r"text 1: expected a str, found int"):
        CALLS[name](["low", 3])
    with pytest.raises(TypeError, match=r"pass the texts of all batches, itertools\.chain"):
        CALLS[name]([["low lower", "new"], ["newest"]])


@pytest.mark.parametrize("name", CALLS)
def test_errors_of_a_line_name_file_and_line(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "low"}\n{"text": 3}\n')
    with pytest.raises(DocumentError, match=r"a\.jsonl: line 2") as caught:
        CALLS[name](pw.Corpus(path))
    assert caught.value.file == str(path)
    text_path = tmp_path / "a.txt"
    text_path.write_bytes(b"low\n\nl\xffw\n")
    with pytest.raises(
        InvalidUtf8Error, match=r"a\.txt: invalid UTF-8 in line 3 at byte 6"
    ) as wrong:
        CALLS[name](pw.Corpus(text_path))
    assert wrong.value.file == str(text_path)
    with pytest.raises(DocumentError) as of_worker:
        pw.count_words(pw.Corpus(path), engine=Local(1))
    assert of_worker.value.file == str(path)


@pytest.mark.parametrize("name", CALLS)
def test_names_of_files_are_no_texts(name: str, tmp_path: Path) -> None:
    path = text(tmp_path / "a.txt")
    with pytest.raises(TypeError, match=r"found names of files such as .*; pass piecework\.Corpus"):
        CALLS[name]([str(path)])
    with pytest.raises(TypeError, match=r"found PosixPath; pass piecework\.Corpus\(texts\)"):
        CALLS[name]([path])


def test_names_of_files_may_be_texts(tmp_path: Path) -> None:
    path = str(text(tmp_path / "a.txt"))
    assert pw.count_words(iter([path])) == pw.count_words([path, ""])
