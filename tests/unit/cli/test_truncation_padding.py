"""`piecework encode`: truncation, padding, pairs and pre-tokenized texts."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import piecework as pw

Run = Callable[..., Any]
LINES = ["the cat sat on the mat", "the hat", ""]


def ids_of(out: str) -> list[list[int]]:
    """Returns the ids that a command printed."""
    return [[int(word) for word in line.split()] for line in out.splitlines()]


@pytest.fixture
def limited_file(tok: pw.Tokenizer, tmp_path: Path) -> Path:
    """Returns the file of a tokenizer with truncation and padding."""
    path = tmp_path / "limited.json"
    padding = pw.Padding(8, direction="left")
    tok.replace(truncation=pw.Truncation(6, stride=1), padding=padding).save(path)
    return path


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        (["--max-length", 4], {"truncation": 4}),
        (
            ["--max-length", 4, "--truncation-side", "left"],
            {"truncation": pw.Truncation(4, direction="left")},
        ),
        (["--pad", "longest"], {"padding": "longest"}),
        (["--pad", 9], {"padding": 9}),
        (["--pad", 0], {"padding": 0}),
        (
            ["--pad", "longest", "--pad-to-multiple-of", 5, "--padding-side", "left"],
            {"padding": pw.Padding(None, 5, "left")},
        ),
        (["--max-length", 4, "--pad", "longest"], {"truncation": 4, "padding": "longest"}),
    ],
)
def test_truncation_and_padding_options(
    run: Run, tok: pw.Tokenizer, tok_file: Path, options: list[Any], settings: Any
) -> None:
    ended = run("encode", tok_file, *options, stdin="\n".join(LINES[:2]) + "\n\n")
    assert (ended.code, ended.err) == (0, "")
    assert ids_of(ended.out) == tok.encode_batch(LINES, **settings).to_list()


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        ([], (pw.Truncation(6, stride=1), pw.Padding(8, direction="left"))),
        (["--no-truncation", "--no-padding"], (None, None)),
        (
            ["--max-length", 5, "--pad", "longest"],
            (pw.Truncation(5, stride=1), pw.Padding(direction="left")),
        ),
        (
            ["--stride", 0, "--truncation-side", "left", "--padding-side", "right"],
            (pw.Truncation(6, direction="left"), pw.Padding(8)),
        ),
    ],
)
def test_missing_options_use_the_tokenizer_settings(
    run: Run, tok: pw.Tokenizer, limited_file: Path, options: list[Any], settings: Any
) -> None:
    ended = run("encode", limited_file, *options, stdin="\n".join(LINES[:2]))
    truncation, padding = settings
    expected = tok.encode_batch(LINES[:2], truncation=truncation, padding=padding)
    assert ids_of(ended.out) == expected.to_list()


def test_count_ignores_truncation_and_padding(
    run: Run, tok: pw.Tokenizer, limited_file: Path
) -> None:
    counted = json.loads(run("count", limited_file, "--json", stdin="\n".join(LINES[:2])).out)
    assert counted["total"]["tokens"] == sum(tok.count(LINES[:2]))


def test_overflowing_parts_are_printed(run: Run, tok: pw.Tokenizer, tok_file: Path) -> None:
    options = ("--max-length", 4, "--stride", 1, "--pad", "longest", "--json")
    printed = run("encode", tok_file, *options, stdin="\n".join(LINES)).out.splitlines()
    batch = tok.encode_batch(LINES, truncation=pw.Truncation(4, stride=1), padding="longest")
    names = ["ids", "tokens", "offsets", "attention_mask"]
    for line, encoding in zip(printed, batch, strict=False):
        found = json.loads(line)
        parts = found.pop("overflowing")
        assert list(found) == names
        assert [part["ids"] for part in parts] == [part.ids for part in encoding.overflowing]
        assert [list(part) for part in parts] == [names for _ in parts]


def test_pair_option(run: Run, tok: pw.Tokenizer, tok_file: Path) -> None:
    words = ("encode", tok_file, "--pair", "--json", "--max-length", 8)
    text = "the cat\tsat on the mat\nthe\t\n"
    for option, strategy in (("longest-first", "longest_first"), ("only-second", "only_second")):
        printed = run(*words, "--truncation-strategy", option, stdin=text).out.splitlines()
        truncation = pw.Truncation(8, strategy=strategy)
        for line, pair in zip(printed, [("the cat", "sat on the mat"), ("the", "")], strict=True):
            encoding = tok.encode(*pair, truncation=truncation)
            found = json.loads(line)
            assert (found["ids"], found["type_ids"]) == (encoding.ids, encoding.type_ids)
            assert len(found["overflowing"]) == len(encoding.overflowing)


def test_pretokenized_option(run: Run, tok: pw.Tokenizer, tok_file: Path) -> None:
    words = ("encode", tok_file, "--pretokenized", "--json")
    for more, text, given in (
        ([], " the  cat\u3000sats", (["the", "cat", "sats"],)),
        (["--pair"], "the cat\t sat ", (["the", "cat"], ["sat"])),
    ):
        found = json.loads(run(*words, *more, stdin=text).out)
        encoding = tok.encode(*given, is_pretokenized=True)
        assert (found["ids"], found["word_ids"]) == (encoding.ids, encoding.word_ids)
        assert found["offsets"] == [list(span) for span in encoding.offsets]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--max-length", 0], "--max-length"),
        (["--max-length", 1], "pass --no-special-tokens"),
        (["--max-length", 4, "--stride", 4, "--json"], "--stride: expected less than 4"),
        (["--max-length", 4, "--stride", 1], "requires --json"),
        (["--stride", 1, "--json"], "requires --max-length"),
        (["--truncation-side", "left"], "requires --max-length"),
        (["--max-length", 4, "--no-truncation"], "cannot be combined with --no-truncation"),
        (["--pad-to-multiple-of", 8], "requires --pad"),
        (["--pad-to-multiple-of", 0, "--pad", 1], "--pad-to-multiple-of"),
        (["--pad", "longer"], "expected a number or longest, found 'longer'"),
        (["--pad", "٣"], "expected a number or longest"),
        (["--pad", 8, "--no-padding"], "cannot be combined with --no-padding"),
        (["--pad", "longest", "--stream"], "--stream: cannot pad"),
        (["--pair"], "standard input: line 1: expected two texts separated by a tab, found 1"),
    ],
)
def test_invalid_options_are_refused(
    run: Run, tok_file: Path, options: list[Any], message: str
) -> None:
    ended = run("encode", tok_file, *options, stdin="the cat\n")
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err
    assert "Traceback" not in ended.err


def test_padding_requires_a_pad_token(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "vocab.txt"
    file.write_text("[UNK]\na\n", encoding="utf-8")
    ended = run("encode", file, "--pad", 4, stdin="a")
    assert (ended.code, ended.out) == (2, "")
    assert "no token [PAD] or <pad>" in ended.err
