"""`piecework count-words --max-memory` and `piecework merge-counts`."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import piecework as pw

Run = Callable[..., Any]


def test_counting_in_bounded_memory_writes_the_same_file(
    run: Run, text_file: Path, tmp_path: Path
) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    assert run("count-words", text_file, "-o", one).code == 0
    limited = run(
        "count-words", "-", "-o", other, "--max-memory", "1MB", "--work-dir", tmp_path, "--json",
        stdin=text_file.read_text(encoding="utf-8"),
    )  # fmt: skip
    assert (limited.code, limited.err) == (0, "")
    counts = pw.WordCounts.load(one)
    assert json.loads(limited.out) == {
        "output": str(other),
        "words": len(counts),
        "total": counts.total,
        "counts_sha256": counts.fingerprint,
    }
    assert one.read_bytes() == other.read_bytes()
    assert run("count-words", text_file).out.encode() == one.read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["one", "other", text_file.name]


def test_merged_counts_train_the_same_tokenizer(run: Run, text_file: Path, tmp_path: Path) -> None:
    lines = text_file.read_text(encoding="utf-8").splitlines(keepends=True)
    parts = [tmp_path / "one", tmp_path / "other"]
    for part, some in zip(parts, (lines[:2], lines[2:]), strict=True):
        assert run("count-words", "-", "-o", part, stdin="".join(some)).code == 0
    merged = run("merge-counts", *parts, "-o", tmp_path / "sum", "--json")
    assert json.loads(merged.out)["words"] == len(pw.WordCounts.load(tmp_path / "sum"))
    settings = ("--vocab-size", 60, "-o")
    run("train", "--counts", *parts, *settings, tmp_path / "a.json")
    run("train", "--counts", tmp_path / "sum", *settings, tmp_path / "b.json")
    run("train", text_file, "--max-memory", "2GiB", *settings, tmp_path / "c.json")
    stdin = parts[0].read_text(encoding="utf-8")
    run("train", "--counts", "-", parts[1], *settings, tmp_path / "d.json", stdin=stdin)
    files = {(tmp_path / f"{name}.json").read_bytes() for name in "abcd"}
    assert len(files) == 1


def test_errors_name_the_option(run: Run, text_file: Path, tmp_path: Path) -> None:
    out = ("-o", tmp_path / "counts")
    wrong: dict[tuple[Any, ...], str] = {
        ("count-words", text_file, *out, "--max-memory", "x"): "--max-memory: expected a size",
        ("count-words", text_file, "--max-memory", "1MB"): "requires --output",
        ("count-words", text_file, *out, "--max-memory", "1MB", "--work-dir", "no"): "no such file",
        ("train", "--counts", "x", *out, "--vocab-size", 9, "--engine", "local"): "has no effect",
        ("merge-counts", text_file, *out): "not valid JSON",
        ("merge-counts", *out[1:], *out): "no such file",
        ("merge-counts", text_file, "-o", text_file): "is also an input",
    }
    for arguments, message in wrong.items():
        ended = run(*arguments)
        assert ended.code == 2, arguments
        assert message in " ".join(ended.err.split()), arguments
    assert os.listdir(tmp_path) == [text_file.name]
