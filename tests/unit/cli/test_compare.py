"""`piecework compare`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import piecework as pw

Run = Callable[..., Any]


def test_compare_prints_a_table(
    run: Run, tok: pw.Tokenizer, tok_file: Path, tmp_path: Path
) -> None:
    merged = tmp_path / "merged.json"
    tok.as_bpe().save(merged)
    head, one, two = run("compare", "cats", "-t", tok_file, "-t", merged).out.splitlines()
    assert head.split() == ["cats", "count", "tokens", "ids"]
    ids = [str(i) for i in tok.encode_ids("cats", add_special_tokens=False)]
    assert one.split() == [str(tok_file), str(len(ids)), *tok.tokenize("cats"), *ids]
    assert two.split()[2 : -len(ids)] == tok.as_bpe().tokenize("cats")
    typed = run("compare", "--tokenizer", tok_file, stdin="cats\nhats\n").out
    assert typed == run("compare", "cats", "hats", "-t", tok_file).out
    assert [block.split()[0] for block in typed.split("\n\n")] == ["cats", "hats"]


def test_compare_prints_json(run: Run, tok: pw.Tokenizer, tok_file: Path, vocab_file: Path) -> None:
    lines = run(
        "compare", "the cat", "mat", "-t", tok_file, "-t", vocab_file, "--json"
    ).out.splitlines()
    names = {str(tok_file): tok, str(vocab_file): pw.Tokenizer.from_file(vocab_file)}
    assert [json.loads(line) for line in lines] == [
        pw.compare(text, names).to_dict() for text in ("the cat", "mat")
    ]


def test_compare_errors(run: Run, tok_file: Path, tmp_path: Path) -> None:
    ended = run("compare", "cats", "-t", tmp_path / "none.json")
    assert (ended.code, ended.out) == (2, "")
    assert "none.json" in ended.err
    assert run("compare", "cats").code == 2
    assert run("compare", "caf\udce9", "-t", tok_file).code == 2
