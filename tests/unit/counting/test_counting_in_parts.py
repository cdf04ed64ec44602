"""Counting in parts: one table, whatever the engine, the parts, their order and the interruptions."""

import gzip
import os
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from corpora import Doubled, InProcess, Stopping, corpus_of, texts, write_lines
from piecework import pre_tokenizers
from piecework.corpus._counting import merging, plan
from piecework.engines import Local, Ray, Spark
from piecework.errors import (
    ConfigError,
    FileError,
    InvalidUtf8Error,
    MissingFileError,
    WorkerError,
)

DOCUMENTS = texts(600, words=20_000)
SPLITTERS: dict[str, Any] = {
    "wordpiece": {},
    "bpe": {
        "normalizer": None,
        "pre_tokenizer": pre_tokenizers.ByteLevel(),
        "keep_line_ends": True,
    },
    "unigram": {"normalizer": None, "pre_tokenizer": pre_tokenizers.Metaspace()},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Returns a folder with files of all formats of lines, among them an empty one."""
    write_lines(tmp_path / "in" / "b.jsonl", DOCUMENTS[:300])
    inputs = tmp_path / "in"
    (inputs / "a.txt").write_text("".join(f"{text}\r\n" for text in DOCUMENTS[300:500]))
    (inputs / "c.txt").write_text("")
    with gzip.open(inputs / "d.txt.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(DOCUMENTS[500:]))
    (tmp_path / "work").mkdir()
    return inputs


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes several buckets and levels for small corpora."""
    monkeypatch.setattr(plan, "_BUCKET_BYTES", 20_000)
    monkeypatch.setattr(merging, "FAN_IN", 3)


def count(folder: Path, engine: Any, **settings: Any) -> bytes:
    settings = {**settings}
    counts = pw.count_words(
        corpus_of(folder, settings),
        engine=engine,
        work_dir=folder.with_name("work"),
        **settings,
    )
    assert os.listdir(folder.with_name("work")) == []
    return counts.to_bytes()


@pytest.mark.parametrize("splitter", SPLITTERS)
@pytest.mark.parametrize("part_bytes", [100, 3000, 10**9])
@pytest.mark.parametrize("max_memory", [None, 10**6])
def test_the_table_is_that_of_one_process(
    folder: Path, small_steps: None, splitter: str, part_bytes: int, max_memory: Any
) -> None:
    settings = {**SPLITTERS[splitter]}
    corpus = corpus_of(folder, settings)
    wanted = pw.WordCounts.from_texts(corpus, **settings).to_bytes()
    engine = InProcess(seed=part_bytes)
    counted = count(
        folder, engine, part_bytes=part_bytes, max_memory=max_memory, **SPLITTERS[splitter]
    )
    assert counted == wanted
    assert any(name.startswith("merged-") for name in engine.names) == (part_bytes < 10**9)


@pytest.mark.parametrize("engine", [Local(2), Doubled()], ids=["local", "doubled"])
def test_every_engine_gives_one_table(folder: Path, small_steps: None, engine: Any) -> None:
    assert (
        count(folder, engine, part_bytes=3000)
        == pw.WordCounts.from_texts(pw.Corpus(folder)).to_bytes()
    )


@pytest.mark.parametrize(
    "trainer",
    [pw.WordPieceTrainer(60), pw.BpeTrainer(290, alphabet="byte"), pw.UnigramTrainer(38)],
    ids=["wordpiece", "bpe", "unigram"],
)
def test_training_by_an_engine(folder: Path, trainer: Any) -> None:
    wanted = pw.train(pw.Corpus(folder), trainer).to_str()
    assert pw.train(pw.Corpus(str(folder)), trainer, engine=InProcess()).to_str() == wanted
    parts: Any = {"engine": InProcess(), "part_bytes": 999}
    assert pw.train(pw.Corpus([folder]), trainer, **parts).to_str() == wanted


def test_documents_are_numbered_on(folder: Path) -> None:
    counts = pw.count_words(
        pw.Corpus(folder), engine=InProcess(), part_bytes=500, first_document=1000
    )
    assert counts == pw.WordCounts.from_texts(pw.Corpus(folder), first_document=1000)


def test_a_file_of_counts(folder: Path, tmp_path: Path) -> None:
    summary = pw.WordCounts.count_to_file(
        pw.Corpus(folder), tmp_path / "a", engine=InProcess(), part_bytes=900
    )
    assert summary == pw.WordCounts.count_to_file(pw.Corpus(folder), tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("after", [0, 3, 12])
def test_a_counting_that_was_stopped_goes_on(folder: Path, small_steps: None, after: int) -> None:
    stopped, resumed = Stopping(after), InProcess()
    with pytest.raises(InterruptedError):
        count(folder, stopped, part_bytes=3000)
    assert (
        count(folder, resumed, part_bytes=3000)
        == pw.WordCounts.from_texts(pw.Corpus(folder)).to_bytes()
    )
    assert not set(stopped.names[:after]) & set(resumed.names)


def test_files_that_changed_are_counted_again(folder: Path) -> None:
    with pytest.raises(InterruptedError):
        count(folder, Stopping(2), part_bytes=3000)
    (folder / "a.txt").write_text("new words\n")
    settings: Any = {"engine": InProcess(), "part_bytes": 3000}
    counts = pw.count_words(pw.Corpus(folder), work_dir=folder.with_name("work"), **settings)
    assert counts == pw.WordCounts.from_texts(pw.Corpus(folder))


def test_lines_that_are_no_documents(folder: Path) -> None:
    lines = folder / "b.jsonl"
    lines.write_text(lines.read_text() + "no JSON\n" * 3)
    with pytest.warns(UserWarning, match="3 lines or rows were skipped; the first is .*b.jsonl"):
        counts = pw.count_words(
            pw.Corpus(folder, on_error="skip"), engine=InProcess(), part_bytes=900
        )
    with pytest.warns(UserWarning, match="skipped"):
        assert counts == pw.WordCounts.from_texts(pw.Corpus(folder, on_error="skip"))
    (folder / "e.txt").write_bytes(b"a\xffb\n")
    with pytest.raises(InvalidUtf8Error, match=r"e\.txt"):
        pw.count_words(pw.Corpus(folder / "e.txt"), engine=Local(1))


def test_wrong_arguments(folder: Path) -> None:
    with pytest.raises(ConfigError, match="part_bytes: requires `engine`"):
        pw.count_words(pw.Corpus(folder), part_bytes=1)
    with pytest.raises(ConfigError, match="part_bytes: expected a positive integer"):
        pw.count_words(pw.Corpus(folder), engine=InProcess(), part_bytes=0)
    with pytest.raises(ConfigError, match="standard input cannot be read in parts"):
        pw.count_words(pw.Corpus("-"), engine=InProcess())
    with pytest.raises(ConfigError, match="engine: has no effect on words that are counted"):
        pw.train({"a": 1}, pw.WordPieceTrainer(10), engine=InProcess())
    with pytest.raises(
        TypeError, match=r"texts: expected a piecework\.Corpus, whose files `engine`"
    ):
        pw.train(["a.txt"], pw.WordPieceTrainer(10), engine=InProcess())
    function = pre_tokenizers.Function(str.split)
    with pytest.raises(ConfigError, match="a Python function cannot be sent"):
        pw.count_words(
            pw.Corpus(folder), engine=InProcess(), normalizer=None, pre_tokenizer=function
        )
    with pytest.raises(FileError):
        pw.count_words(pw.Corpus(folder), engine=InProcess(), work_dir=folder / "missing")


def test_words_beyond_the_limit_of_memory(folder: Path) -> None:
    text = folder / "a.txt"
    text.write_text("\n".join(texts(4000, words=200_000)))
    limited = pw.count_words(
        pw.Corpus(text), engine=InProcess(), max_memory="1MB"
    )  # 64 KB for a table
    assert limited == pw.WordCounts.from_texts(pw.Corpus(text))


def test_threads_and_engines_exclude_each_other(folder: Path) -> None:
    with pytest.raises(ConfigError, match="threads: has no effect with `engine`"):
        pw.count_words(pw.Corpus(folder), engine=InProcess(), threads=2)


def test_a_file_that_workers_do_not_see(folder: Path) -> None:
    class Elsewhere(InProcess):
        def run(self, fn: Any, parts: Any) -> Any:
            (folder / "a.txt").unlink()
            return super().run(fn, parts)

    with pytest.raises(MissingFileError, match=r"a\.txt: is missing on .*; all workers must have"):
        pw.count_words(pw.Corpus(folder / "a.txt"), engine=Elsewhere())


@pytest.mark.parametrize("engine", [Ray(address="auto"), Spark(master="spark://head:7077")])
def test_workers_on_other_machines_need_a_shared_folder(folder: Path, engine: Any) -> None:
    with pytest.raises(ConfigError, match="work_dir: is required, since the workers may run on"):
        pw.count_words(pw.Corpus(folder), engine=engine)


class Lossy(InProcess):
    """Loses the first result."""

    def run(self, fn: Any, parts: Any) -> Any:
        results = super().run(fn, parts)
        next(results)
        return results


def test_a_lost_result_is_an_error(folder: Path) -> None:
    with pytest.raises(WorkerError, match="the engine returned no result for part-0000"):
        pw.count_words(pw.Corpus(folder), engine=Lossy(), part_bytes=3000)
