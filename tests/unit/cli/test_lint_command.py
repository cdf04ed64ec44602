"""`piecework lint`: the report, JSON, selection, and the exit code."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import piecework as pw

Run = Callable[..., Any]


def test_lint_prints_a_report(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_text("[UNK]\nhug\nHug\n##s\n", encoding="utf-8")
    ended = run("lint", path, "--select", "unreachable,differs-by-case")
    assert (ended.code, ended.err) == (1, "")
    assert ended.out.splitlines() == [
        "unreachable (error): 1",
        "  Hug (2): the normalizer never writes 'H' (U+0048)",
        "  remedy: remove them, or use them for added tokens",
        "differs-by-case (note): 1",
        "  Hug (2): it differs from hug (1) only by case",
        "  remedy: lowercase the text, if case does not matter",
    ]
    # The settings of loading decide what the normalizer does.
    cased = run("lint", path, "--no-lowercase", "--select", "unreachable")
    assert (cased.code, cased.out) == (0, "no findings\n")


def test_lint_prints_json(run: Run, tok: pw.Tokenizer, tok_file: Path) -> None:
    ended = run("lint", tok_file, "--json", "--ignore", "error", "--ignore", "warning")
    assert ended.code == 1
    wanted = pw.lint(tok, ignore=["error", "warning"])
    assert json.loads(ended.out) == json.loads(json.dumps(wanted.to_dict()))
    short = run("lint", tok_file, "--limit", 1, "--select", "special-in-text").out
    assert "  … and 4 more\n" in short


def test_lint_errors(run: Run, tok_file: Path, tmp_path: Path) -> None:
    ended = run("lint", tmp_path / "none.json")
    assert (ended.code, ended.out) == (2, "")
    ended = run("lint", tok_file, "--select", "unreachabel")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        "error: --select: 'unreachabel' is neither a rule nor a severity; did you mean 'unreachable'?\n"
    )
    assert run("lint").code == 2
