"""`piecework prune`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import piecework as pw

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., Any]

TOKENS = ["[UNK]", *"hugs", *(f"##{letter}" for letter in "hugs"), "hug", "##gs", "hu"]


@pytest.fixture
def vocab(tmp_path: Path) -> Path:
    path = tmp_path / "vocab.txt"
    path.write_text("".join(f"{token}\n" for token in TOKENS))
    return path


def test_a_file_and_the_map_of_ids(run: Run, vocab: Path, tmp_path: Path) -> None:
    texts, output, ids = (tmp_path / name for name in ("t.txt", "small.txt", "map.npy"))
    texts.write_text("hug hugs\nhug\n")
    ended = run("prune", vocab, texts, "-o", output, "--vocab-size", 10, "--map", ids)
    assert ended == (0, "", f"{output}: 10 tokens, 12 before: 2 removed\n")
    assert output.read_text().splitlines() == TOKENS[:10]
    assert np.load(ids).tolist() == [*range(10), -1, -1]


def test_standard_input_and_json(run: Run, vocab: Path, tmp_path: Path) -> None:
    output = tmp_path / "small.json"
    ended = run(
        "prune", vocab, "-o", output, "--min-count", 1, "--keep", "hu", "--json", stdin="hug\n"
    )
    assert json.loads(ended.out) == {
        "output": str(output),
        "vocab_size": 11,
        "old_vocab_size": 12,
        "added": [],
        "intermediate": [],
        "removed": ["##gs"],
    }
    assert pw.Tokenizer.from_file(output).tokenize("hugs") == ["hug", "##s"]


def test_word_counts(run: Run, vocab: Path, tmp_path: Path) -> None:
    counts, output = tmp_path / "counts.txt", tmp_path / "small.json"
    pw.WordCounts.from_texts(["hugs"]).save(counts)
    prune = ("prune", vocab, "--counts", counts, "-o", output, "--min-count", 1)
    ended = run(*prune, "--no-keep-alphabet")
    assert ended.code == 2
    assert "9 tokens would be removed" in ended.err
    assert ended.err.endswith("pass more text, or --force\n")
    assert run(*prune, "--no-keep-alphabet", "--force").code == 0
    assert list(pw.Tokenizer.from_file(output).vocab) == ["[UNK]", "##s", "hug"]
    assert run(*prune, "--no-keep-alphabet", "--force", "--max-memory", "1GB").code == 0
    ended = run(*prune, "--field", "a")
    assert (ended.code, "--field: has no effect with --counts" in ended.err) == (2, True)


def test_usage(run: Run, vocab: Path, tmp_path: Path) -> None:
    output = tmp_path / "small.json"
    ended = run("prune", vocab, "-o", output, stdin="hug\n")
    assert (ended.code, "expected --vocab-size or --min-count" in ended.err) == (2, True)
    ended = run("prune", vocab, "-o", output, "--vocab-size", 2, stdin="hug\n")
    assert ended.err == (
        "error: --vocab-size: 2 is too small: 9 tokens are never removed (special tokens, single characters, bytes and what "
        "they need); pass at least 9, or --no-keep-alphabet\n"
    )
    ended = run("prune", vocab, "-o", vocab, "--min-count", 1, stdin="hug\n")
    assert (ended.code, ended.out) == (2, "")
    ended = run("prune", vocab, "-o", output, "--map", output, "--min-count", 1, stdin="hug\n")
    assert (ended.code, "--map: expected another file" in ended.err) == (2, True)
    assert not output.exists()
