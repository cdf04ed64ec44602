"""`piecework extend`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import piecework as pw

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., Any]


@pytest.fixture
def vocab(tmp_path: Path) -> Path:
    path = tmp_path / "vocab.txt"
    path.write_text("[UNK]\nhug\n##ging\n##s\n")
    return path


def test_a_file_and_the_map_of_ids(run: Run, vocab: Path, tmp_path: Path) -> None:
    texts, output, rows = (tmp_path / name for name in ("t.txt", "more.txt", "map.json"))
    texts.write_text("hugging hugging\n")
    ended = run("extend", vocab, texts, "-o", output, "--new-tokens", 1, "--map", rows)
    assert ended == (0, "", f"{output}: 5 tokens, 4 before: 1 added\n")
    assert output.read_text().splitlines()[-1] == "hugging"
    assert json.loads(rows.read_text()) == {"id_map": [0, 1, 2, 3], "initial_rows": {"4": [1, 2]}}


def test_given_words(run: Run, tmp_path: Path) -> None:
    model, words, output = (tmp_path / name for name in ("bpe.json", "words.txt", "more.json"))
    tok = pw.train(["low lower"] * 3, pw.BpeTrainer(258, alphabet="byte"))
    tok.save(model)
    words.write_text("lower\n slow\n\n", encoding="utf-8")
    arguments = ("extend", model, "-o", output, "--words")
    ended = run(*arguments, words, "--json")
    assert ended.code == 0
    summary = json.loads(ended.out)
    assert {*summary["intermediate"]} == {*summary["added"]} - {"lower", "Ġslow"} != set()
    made = pw.Tokenizer.from_file(output)
    assert made == pw.extend(tok, words=["lower", " slow"]).tokenizer
    assert (made.tokenize("lower slow"), made.count("lower")) == (["lower", "Ġslow"], 1)
    assert run(*arguments, "-", stdin="lower\n").code == 0
    ended = run(*arguments, words, "--new-tokens", 3)
    assert (ended.code, "--words: takes neither" in ended.err) == (2, True)
    ended = run(*arguments, "-", stdin="two words\n")
    assert (ended.code, "'two words' is 2 words" in ended.err) == (2, True)


def test_new_characters(run: Run, vocab: Path, tmp_path: Path) -> None:
    output = tmp_path / "more.json"
    arguments = ("extend", vocab, "-o", output, "--new-tokens", 4, "--json", "--new-characters")
    for value, wanted in (("all", 2), ("1", 1), ("0.5", 1), ("1.0", 2)):
        ended = run(*arguments, value, stdin="éa é\n" * 3)
        assert ended.code == 0
        single = [t for t in json.loads(ended.out)["added"] if len(t.removeprefix("##")) == 1]
        assert len(single) == wanted, value
    ended = run(*arguments, "some", stdin="éa\n")
    assert (ended.code, "--new-characters: expected" in ended.err) == (2, True)


def test_line_ends_of_bpe(run: Run, tmp_path: Path) -> None:
    model, output = tmp_path / "bpe.json", tmp_path / "more.json"
    pw.train(["ab\n"] * 3, pw.BpeTrainer(258, alphabet="byte")).save(model)
    ended = run("extend", model, "-o", output, "--vocab-size", 259, "--json", stdin="a \n" * 3)
    assert ended.code == 0
    assert json.loads(ended.out)["added"] == ["ĠĊ"]


def test_word_counts_and_criterion(run: Run, vocab: Path, tmp_path: Path) -> None:
    counts, output = tmp_path / "counts.txt", tmp_path / "more.json"
    pw.WordCounts.from_texts(["hugs hugs hugging"]).save(counts)
    arguments = ("extend", vocab, "--counts", counts, "-o", output, "--new-tokens", 1)
    assert run(*arguments, "--criterion", "frequency").code == 0
    assert list(pw.Tokenizer.from_file(output).vocab)[-1] == "hugs"
    ended = run(*arguments, "--min-frequency", 9)
    assert (ended.code, "--new-tokens: the texts have fewer new tokens than 1: 0" in ended.err) == (
        0,
        True,
    )
    assert ended.err.endswith("4 tokens, 4 before: nothing changed\n")


def test_usage(run: Run, vocab: Path, tmp_path: Path) -> None:
    output = tmp_path / "more.json"
    ended = run("extend", vocab, "-o", output, stdin="hug\n")
    assert (ended.code, "expected --vocab-size or --new-tokens" in ended.err) == (2, True)
    ended = run("extend", vocab, "-o", output, "--vocab-size", 4, stdin="hug\n")
    assert (
        ended.err
        == "error: --vocab-size: expected more than the 4 tokens of the tokenizer, found 4\n"
    )
    ended = run("extend", vocab, "-o", output, "--new-tokens", 1, stdin="")
    assert (ended.code, "FILE: the texts have no word" in ended.err) == (2, True)
    assert not output.exists()
