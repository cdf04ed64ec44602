"""The verbs of `piecework corpus`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from corpora import expected, texts, tokenizer, write_lines
from piecework.corpus import Dataset

Run = Callable[..., Any]
TOK = tokenizer()
DOCUMENTS = texts(30)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    TOK.save(tmp_path / "tokenizer.json")
    return tmp_path / "tokenizer.json"


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "in" / "a.jsonl", DOCUMENTS)


@pytest.mark.parametrize("verb", [["corpus"], ["corpus", "tokenize"]])
def test_a_corpus(run: Run, saved: Path, lines: Path, tmp_path: Path, verb: list[str]) -> None:
    ended = run(*verb, saved, lines, "-o", tmp_path / "out", "--workers", 1)
    wanted = expected(TOK, DOCUMENTS, None)
    tokens = sum(map(len, wanted))
    assert ended == (0, f"{tmp_path}/out: 30 documents, {tokens:,} tokens in 1 shard\n", "")
    assert [row.tolist() for row in Dataset(tmp_path / "out")] == wanted
    checked = run("corpus", "verify", tmp_path / "out", "-t", saved)
    assert checked == (
        0,
        f"{tmp_path}/out: 30 rows and {tokens:,} tokens are as they were written\n",
        "",
    )


def test_settings(run: Run, saved: Path, lines: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with lines.open("a") as file:
        file.write("no document\n")
    settings = (
        "--layout megatron --field text --on-error skip --end-of-document [SEP] --specials text "
        "--sequence-length 16 --shuffle 3 --shard-tokens 100 --workers 2 --json"
    )
    ended = run("corpus", saved, lines, "-o", out, *settings.split())
    summary = json.loads(ended.out)
    stream = sum(map(len, expected(TOK, DOCUMENTS, 3)))
    assert summary["output"] == str(out)
    assert (summary["documents"], summary["rows"], summary["skipped"]) == (30, stream // 16, 1)
    assert summary["dropped_tokens"] == stream % 16
    assert summary["manifest_sha256"] == Dataset(out).manifest.sha256
    assert len(Dataset(out)[0]) == 16


def test_findings_end_with_1(run: Run, saved: Path, lines: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run("corpus", saved, lines, "-o", out, "--workers", 1)
    (out / "shard-00000.npy").unlink()
    assert run("corpus", "verify", out) == (1, "shard-00000.npy: is missing\n", "")
    ended = run("corpus", "verify", out, "--json")
    assert ended.code == 1
    assert json.loads(ended.out) == [{"file": "shard-00000.npy", "problem": "is missing"}]


def test_errors_name_options(run: Run, saved: Path, lines: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run("corpus", saved, lines, "-o", out, "--workers", 1)
    ended = run("corpus", saved, lines, "-o", out, "--shuffle", 1)
    assert ended.code == 2
    assert ended.err.endswith("shuffle: None instead of 1; pass --overwrite to replace it\n")
    ended = run("corpus", saved, lines, "-o", tmp_path / "other", "--end-of-document", "<x>")
    assert "'<x>' is not in the vocabulary; pass a token of the vocabulary, or its id" in ended.err
    ended = run("corpus", saved, lines, "-o", tmp_path / "other", "--workers", 0)
    assert "error: --workers: expected a positive integer" in ended.err
    assert run("corpus", "verify", tmp_path).code == 2
    assert run("corpus").code == 2
