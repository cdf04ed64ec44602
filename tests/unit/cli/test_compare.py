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
    assert one.split() == [tok_file.name, str(len(ids)), *tok.tokenize("cats"), *ids]
    assert two.split()[2 : -len(ids)] == tok.as_bpe().tokenize("cats")
    typed = run("compare", "--tokenizer", tok_file, stdin="cats\nhats\n").out
    assert typed == run("compare", "cats", "hats", "-t", tok_file).out
    assert [block.split()[0] for block in typed.split("\n\n")] == ["cats", "hats"]


def test_compare_prints_json(run: Run, tok: pw.Tokenizer, tok_file: Path, vocab_file: Path) -> None:
    lines = run(
        "compare", "the cat", "mat", "-t", tok_file, "-t", vocab_file, "--json"
    ).out.splitlines()
    names = {tok_file.name: tok, vocab_file.name: pw.Tokenizer.from_file(vocab_file)}
    assert [json.loads(line) for line in lines] == [
        pw.compare(names, text).to_dict() for text in ("the cat", "mat")
    ]


def test_compare_errors(run: Run, tok_file: Path, tmp_path: Path) -> None:
    ended = run("compare", "cats", "-t", tmp_path / "none.json")
    assert (ended.code, ended.out) == (2, "")
    assert "none.json" in ended.err
    assert run("compare", "cats").code == 2
    assert run("compare", "caf\udce9", "-t", tok_file).code == 2


def test_compare_marks_what_differs(run: Run, tok_file: Path, tmp_path: Path) -> None:
    other = tmp_path / "vocab.txt"
    other.write_text("[UNK]\nthe\nc\n##a\n##t\n", encoding="utf-8")
    *_, two, marks = run("compare", "the cat", "-t", tok_file, "-t", other).out.splitlines()
    assert two.split()[2:6] == ["the", "c", "##a", "##t"]
    assert marks == " " * two.index("c ##a") + "^" * len("c ##a ##t")


def test_options_of_reading_are_for_standard_input(run: Run, tok_file: Path) -> None:
    for words in ("compare", "cats", "-t", tok_file), ("explain", tok_file, "cats"):
        for name, value in ("--encoding", "auto"), ("--field", "text"), ("--on-error", "skip"):
            ended = run(*words, name, value)
            assert (ended.code, ended.out) == (2, "")
            assert f"{name}: has no effect without standard input; remove it" in ended.err


def test_json_lines_of_standard_input(run: Run, tok_file: Path) -> None:
    for words in ("compare", "-t", tok_file), ("explain", tok_file):
        ended = run(*words, "--field", "text", stdin='{"text": "cats"}\n')
        assert (ended.code, ended.out) == (0, run(*words, stdin="cats\n").out)


def test_invalid_bytes_of_standard_input(run: Run, tok_file: Path) -> None:
    for words in ("compare", "-t", tok_file), ("explain", tok_file):
        ended = run(*words, stdin=b"cat\xff\n")
        assert (ended.code, ended.out) == (2, "")
        assert "--errors replace" in ended.err
        assert "cat\ufffd" in run(*words, "--errors", "replace", stdin=b"cat\xff\n").out


def test_hostile_text_is_visible(run: Run, tok_file: Path) -> None:
    text = "<script>\u202e" + "a\u0301" * 50_000
    out = run("compare", text, "-t", tok_file, "-t", tok_file).out
    assert "\u202e" not in out
    assert "\\u202e" in out
