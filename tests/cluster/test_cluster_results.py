"""Counts, vocabularies, corpora and columns on real engines: the results of one process."""

import time
from pathlib import Path
from typing import Any

import pytest

import engine_functions as functions
import piecework as pw
from corpora import InProcess, corpus_of, texts, tokenizer, write_lines
from piecework import pre_tokenizers
from piecework.corpus._counting import merging, plan
from piecework.engines import connected
from piecework.errors import ConfigError, InvalidUtf8Error, WorkerError

TOK = tokenizer()
DOCUMENTS = texts(1000, words=20_000)
SIZE = 200_000
PARTS = [10**9, SIZE // 2, SIZE // 32]
"""The bytes of a part, for about 1, 2 and 32 parts."""
SPLITTERS: dict[str, Any] = {
    "wordpiece": {},
    "bpe": {
        "normalizer": None,
        "pre_tokenizer": pre_tokenizers.ByteLevel(),
        "keep_line_ends": True,
    },
    "unigram": {"normalizer": None, "pre_tokenizer": pre_tokenizers.Metaspace()},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("in")
    write_lines(folder / "b.jsonl", DOCUMENTS[:500])
    (folder / "a.txt").write_text("".join(f"{text}\n" for text in DOCUMENTS[500:]))
    return folder


def test_every_part_has_one_result(engine: Any) -> None:
    assert sorted(engine.run(functions.square, range(40))) == [n * n for n in range(40)]
    assert list(engine.run(functions.square, [])) == []


def test_a_connection_of_the_program_is_kept(engine: Any) -> None:
    for _ in range(2):
        with connected(type(engine)()):
            assert list(type(engine)().run(functions.square, [3])) == [9]


def test_errors_are_raised_here(engine: Any) -> None:
    with pytest.raises(ZeroDivisionError, match="division by zero") as caught:
        list(engine.run(functions.inverse, [1, 0, 2]))
    assert "in a worker process" in caught.value.__notes__[0]
    with pytest.raises(ConfigError) as refused:
        list(engine.run(functions.refuse, ["x"]))
    assert (refused.value.setting, refused.value.hint) == ("part", "pass another")
    with pytest.raises(WorkerError, match="cannot be sent"):
        list(engine.run(functions.unpicklable, ["x"]))


def test_an_error_stops_the_parts_that_still_run(engine: Any) -> None:
    list(engine.run(functions.square, range(4)))  # the workers have started
    begin = time.monotonic()
    with pytest.raises(ZeroDivisionError):
        list(engine.run(functions.sleep_or_divide, [0, *[5] * 60]))
    assert time.monotonic() - begin < 60  # all parts take 150 s
    assert list(engine.run(functions.square, [3])) == [9]


def test_a_part_whose_worker_dies_is_tried_again(engine: Any, tmp_path: Path) -> None:
    parts = [str(tmp_path / str(number)) for number in range(2)]
    assert sorted(engine.run(functions.die_once, parts)) == parts


def test_a_part_that_kills_its_workers_is_an_error(engine: Any) -> None:
    with pytest.raises(WorkerError, match=r"attempts|failed 3 times"):
        list(engine.run(functions.die, ["x"]))


@pytest.mark.parametrize("part_bytes", PARTS)
def test_counts(
    engine: Any, folder: Path, part_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "_BUCKET_BYTES", SIZE // 3)  # several buckets and levels
    monkeypatch.setattr(merging, "FAN_IN", 8)
    for number, splitter in enumerate(SPLITTERS.values()):
        settings = {**splitter}
        corpus = corpus_of(folder, settings)
        wanted = pw.WordCounts.from_texts(corpus, **settings).to_bytes()
        max_memory = [None, "1MB"][number % 2]  # spilled, or not
        parts: Any = {"part_bytes": part_bytes, "max_memory": max_memory, **settings}
        assert pw.count_words(corpus, engine=engine, **parts).to_bytes() == wanted


@pytest.mark.parametrize(
    "trainer",
    [pw.WordPieceTrainer(60), pw.BpeTrainer(290, alphabet="byte"), pw.UnigramTrainer(38)],
    ids=["wordpiece", "bpe", "unigram"],
)
def test_vocabularies(engine: Any, folder: Path, trainer: Any, tmp_path: Path) -> None:
    trained = pw.train(pw.Corpus(str(folder)), trainer, engine=engine, work_dir=tmp_path)
    assert trained.to_str() == pw.train(pw.Corpus(folder), trainer).to_str()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("part_bytes", PARTS)
@pytest.mark.parametrize("shuffle", [None, 7])
def test_manifests(
    engine: Any, folder: Path, tmp_path: Path, part_bytes: int, shuffle: int | None
) -> None:
    settings: Any = {"part_bytes": part_bytes, "shard_tokens": 9000, "shuffle": shuffle}
    found = pw.corpus.tokenize(TOK, pw.Corpus(folder), tmp_path / "a", engine=engine, **settings)
    wanted = pw.corpus.tokenize(
        TOK, pw.Corpus(folder), tmp_path / "b", engine=InProcess(), **settings
    )
    assert found.sha256 == wanted.sha256
    assert pw.corpus.verify(tmp_path / "a", TOK) == []


def test_errors_name_the_place_of_the_input(engine: Any, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"fine\nbro\xffken\n")
    for run in (
        lambda: pw.count_words(pw.Corpus(tmp_path), engine=engine),
        lambda: pw.corpus.tokenize(
            TOK, pw.Corpus(tmp_path / "a.txt"), tmp_path / "out", engine=engine
        ),
    ):
        with pytest.raises(InvalidUtf8Error, match=r"a\.txt.*line 2"):
            run()
