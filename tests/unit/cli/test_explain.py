"""`piecework explain`: lineages and limits."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import piecework as pw

WORDS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}


@pytest.fixture(scope="module")
def hugs() -> pw.Tokenizer:
    return pw.train(WORDS, pw.WordPieceTrainer(40, criterion="frequency", max_merges=6))


@pytest.fixture
def hugs_file(hugs: pw.Tokenizer, tmp_path: Path) -> Path:
    path = tmp_path / "hugs.json"
    hugs.save(path)
    return path


def test_lineages(run: Callable[..., Any], hugs: pw.Tokenizer, hugs_file: Path) -> None:
    hug, ug = hugs.lineage("hug"), hugs.lineage("##ug")
    for arguments, printed in [
        (["--lineage", "hug"], f"{hug}\n"),
        (["--lineage", "hug", "--lineage", "##ug"], f"{hug}\n{ug}\n"),
        (["--lineage", "hug", "pug"], f"{hug}\n{hugs.explain('pug')}\n"),
    ]:
        assert run("explain", hugs_file, *arguments) == (0, printed, "")
    ended = run("explain", hugs_file, "--lineage", "hug", "--json")
    assert json.loads(ended.out) == json.loads(json.dumps(hug.to_dict()))
    ended = run("explain", hugs_file, "--lineage", "s")
    assert (ended.code, ended.out) == (2, "")
    assert "did you mean '##s'" in ended.err


def test_options(run: Callable[..., Any], hugs: pw.Tokenizer, hugs_file: Path) -> None:
    ended = run("explain", hugs_file, "hugs pug pun", "--max-characters", 5)
    assert ended.out == f"{hugs.explain('hugs pug pun', max_characters=5)}\n"
    ended = run("explain", hugs_file, "hug[SEP]", "--specials", "error")
    assert (ended.code, ended.out) == (2, "")
    unigram = pw.train({f"▁{word}": n for word, n in WORDS.items()}, pw.UnigramTrainer(16))
    unigram.save(hugs_file)
    ended = run("explain", hugs_file, "hugs", "--nbest", 2, "--json")
    assert len(json.loads(ended.out)["words"][0]["steps"]["nbest"]) == 2


def test_figures_of_the_notes(run: Callable[..., Any], hugs_file: Path) -> None:
    births = {}
    for token in ("##ug", "##un", "hug", "pun", "pug", "hugs"):
        births[token] = json.loads(run("explain", hugs_file, "--lineage", token, "--json").out)
    counts = {token: saved["birth_count"] for token, saved in births.items()}
    assert counts == {"##ug": 20, "##un": 16, "hug": 15, "pun": 12, "pug": 5, "hugs": 5}
    vocab = hugs_file.parent / "vocab.txt"
    tokens = ["[UNK]", "b", "h", "p", "##g", "##n", "##s", "##u", "##gs", "hu", "hug"]
    vocab.write_text("".join(f"{token}\n" for token in tokens))
    for word, pieces in [("hugs", "hug ##s"), ("bugs", "b ##u ##gs"), ("pugs", "p ##u ##gs")]:
        assert run("explain", vocab, word).out.splitlines()[0] == f"{word} -> {pieces}"
    assert "no piece matches at 'm', character 0 of 'mug'" in run("explain", vocab, "mug").out
    assert "no piece matches at 'm', character 2 of 'bum'" in run("explain", vocab, "bum").out


def test_hostile_text_is_printed_as_text(run: Callable[..., Any], hugs_file: Path) -> None:
    ended = run("explain", hugs_file, "\x1b[31m\u202e<script>\r" + "\u0301" * 1000)
    assert ended.code == 0
    assert all(c.isprintable() for c in ended.out.replace("\n", ""))
