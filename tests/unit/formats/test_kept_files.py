"""Files that versions wrote when they were released: every later version reads them, with equal results."""

import json
import os
import pickle
import shutil
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from kept_files import CHANGED, loaded, results, shown
from paths import REPOSITORY

KEPT = REPOSITORY / "tests" / "kept"
VERSIONS = sorted(folder.name for folder in KEPT.iterdir())

pytestmark = pytest.mark.parametrize("version", VERSIONS)


def expected(version: str) -> dict[str, Any]:
    """Returns what the version read from its files."""
    read: dict[str, Any] = json.loads((KEPT / version / "expected.json").read_text("utf-8"))
    return read


def test_tokenizers_give_equal_results(version: str) -> None:
    for name, wanted in expected(version)["tokenizers"].items():
        found = json.loads(json.dumps(results(loaded(KEPT / version / name))))
        assert found == wanted, name


def test_tokenizers_are_written_alike(version: str, tmp_path: Path) -> None:
    for file in (KEPT / version).glob("*.json"):
        if file.name != "expected.json":
            pw.Tokenizer.from_file(file).save(tmp_path / file.name)
            assert (tmp_path / file.name).read_bytes() == file.read_bytes(), file.name


def test_word_counts(version: str) -> None:
    wanted = expected(version)["counts"]
    counts = pw.WordCounts.load(KEPT / version / "words.counts")
    assert dict(counts.items()) == wanted["words"]
    assert counts.fingerprint == wanted["fingerprint"]


def test_corpora(version: str) -> None:
    folder = KEPT / version / "corpus"
    tok = pw.Tokenizer.from_file(KEPT / version / "wordpiece.json")
    assert pw.corpus.verify(folder, tok) == []
    rows = [list(map(int, row)) for row in pw.corpus.Dataset(folder)]
    assert rows == expected(version)["corpus"]["rows"]
    assert pw.corpus.Manifest.load(folder).documents == len(rows)


def test_interrupted_corpora_are_resumed(
    version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(KEPT / version / "unfinished", tmp_path / "unfinished")
    shutil.copy(KEPT / version / "lines.txt", tmp_path)
    monkeypatch.chdir(tmp_path)
    os.utime("lines.txt", ns=(CHANGED, CHANGED))
    tok = pw.Tokenizer.from_file(KEPT / version / "wordpiece.json")
    seen: list[pw.corpus.CorpusProgress] = []
    settings: dict[str, Any] = {"engine": pw.engines.Local(1), "part_bytes": 60}
    corpus = pw.Corpus("lines.txt")
    pw.corpus.tokenize(tok, corpus, "unfinished", progress=seen.append, **settings)
    assert seen[0].done_before > 0
    pw.corpus.tokenize(tok, corpus, "new", **settings)
    finished, new = ([*map(list, pw.corpus.Dataset(name))] for name in ("unfinished", "new"))
    assert finished == new


def test_pickles(version: str) -> None:
    for name, wanted in expected(version)["pickles"].items():
        value = pickle.loads((KEPT / version / name).read_bytes())
        assert shown(value) == wanted, name
