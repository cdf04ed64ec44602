"""`piecework diff`: the report, JSON, and the exit code."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import piecework as pw

Run = Callable[..., Any]


@pytest.fixture
def other(tok: pw.Tokenizer, tmp_path: Path) -> Path:
    """Returns a file of the tokenizer with another entry."""
    path = tmp_path / "other.json"
    tok.with_added_tokens(["<new>"]).save(path)
    return path


def test_diff_prints_a_report(run: Run, tok_file: Path, other: Path) -> None:
    ended = run("diff", tok_file, other)
    assert (ended.code, ended.err) == (1, "")
    assert "entries added: 1\n  <new> (" in ended.out
    assert "are encoded differently\n" in ended.out
    same = run("diff", tok_file, tok_file)
    assert (same.code, same.out) == (0, "no difference\n")


def test_diff_prints_json(run: Run, tok: pw.Tokenizer, tok_file: Path, other: Path) -> None:
    ended = run("diff", tok_file, other, "--json", "--limit", 3)
    assert ended.code == 1
    wanted = pw.diff(tok, pw.Tokenizer.from_file(other), examples=3).to_dict()
    assert json.loads(ended.out) == json.loads(json.dumps(wanted))


def test_diff_of_the_training_record_alone(
    run: Run, tok: pw.Tokenizer, tok_file: Path, tmp_path: Path
) -> None:
    value = json.loads(tok.to_str())
    del value["model"]["piecework"]
    path = tmp_path / "plain.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    ended = run("diff", tok_file, path)
    assert ended.code == 0
    assert "training record (changes no result): 4\n" in ended.out
    assert "equal: every text has the same ids" in ended.out


def test_diff_reads_files_and_standard_input(
    run: Run, tok_file: Path, other: Path, text_file: Path
) -> None:
    assert "texts: 0 of 4 are" in run("diff", tok_file, other, text_file).out
    ended = run("diff", tok_file, other, "-", stdin="the <new>\n")
    assert "texts: 1 of 1 are" in ended.out
    limited = run("diff", tok_file, other, "-", "--limit", 0, stdin="the <new>\n")
    assert limited.out.endswith("  … and 1 more\n")


def test_diff_errors(run: Run, tok_file: Path, tmp_path: Path) -> None:
    ended = run("diff", tok_file, tmp_path / "none.json")
    assert (ended.code, ended.out) == (2, "")
    assert run("diff", tok_file).code == 2
    assert run("diff", tok_file, tok_file, tmp_path / "none.txt").code == 2
