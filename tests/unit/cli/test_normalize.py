"""`piecework normalize`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import piecework as pw

Run = Callable[..., Any]


def test_normalize_prints_texts_and_spans(run: Run, vocab_file: Path) -> None:
    ended = run("normalize", vocab_file, stdin="Héllo, Wörld\n\nx\n")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == "hello, world\n0-5\thello\n5-6\t,\n7-12\tworld\n\n\n\nx\n0-1\tx\n"


def test_normalize_prints_json(run: Run, tok_file: Path) -> None:
    ended = run("normalize", tok_file, "--json", stdin="ﬁVE 中文\n\n")
    objects = [json.loads(line) for line in ended.out.splitlines()]
    assert objects == [
        {
            "text": "ﬁVE 中文",
            "normalized": "ﬁve  中  文 ",
            "pre_tokens": [["ﬁve", [0, 3]], ["中", [4, 5]], ["文", [5, 6]]],
        },
        {"text": "", "normalized": "", "pre_tokens": []},
    ]


def test_spans_are_in_the_original_text(run: Run, tmp_path: Path, text_file: Path) -> None:
    model = tmp_path / "unigram.json"
    normalizer = pw.normalizers.NFKC()
    pw.train(
        [text_file.read_text(encoding="utf-8")], pw.UnigramTrainer(20), normalizer=normalizer
    ).save(model)
    (line,) = run("normalize", model, "--json", stdin="①② x ﬁn\n").out.splitlines()
    found = json.loads(line)
    assert found["normalized"] == "12 x fin"
    assert found["pre_tokens"] == [["▁12", [0, 2]], ["▁x", [2, 4]], ["▁fin", [4, 7]]]


def test_normalize_takes_loading_options(run: Run, vocab_file: Path) -> None:
    options = ("--no-lowercase", "--pre-tokenizer", "byte-level")
    assert run("normalize", vocab_file, *options, stdin="To be\n").out == (
        "To be\n0-2\tTo\n2-5\tĠbe\n"
    )
    options = ("--normalizer", "none", "--pre-tokenizer", "none")
    assert run("normalize", vocab_file, *options, stdin="To be\n").out == ("To be\n0-5\t'To be'\n")


def test_normalize_does_not_match_special_tokens(run: Run, tok_file: Path) -> None:
    assert run("normalize", tok_file, stdin="[SEP]\n").out == "[sep]\n0-1\t[\n1-4\tsep\n4-5\t]\n"


def test_normalize_escapes_control_characters(run: Run, vocab_file: Path) -> None:
    options = ("--normalizer", "none", "--pre-tokenizer", "none")
    assert run("normalize", vocab_file, *options, stdin="a\x1b[31m\n").out == (
        "a\\x1b[31m\n0-6\ta\\x1b[31m\n"
    )


def test_normalize_fails_without_output(run: Run, vocab_file: Path, text_file: Path) -> None:
    ended = run("normalize", vocab_file, stdin=b"fine\n\xff\n")
    assert (ended.code, ended.out) == (2, "")
    assert "invalid UTF-8 in line 2" in ended.err
    assert run("normalize", vocab_file, "--errors", "replace", stdin=b"\xff\n").code == 0
    assert run("normalize", text_file.parent / "none.json", text_file).code == 2
