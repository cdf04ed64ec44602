"""`piecework convert`."""

from __future__ import annotations

import base64
import os
from typing import TYPE_CHECKING, Any

import pytest

import live_bpe
import piecework as pw

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., Any]


@pytest.fixture
def ranks(tmp_path: Path) -> Path:
    """Returns a tiktoken file with the name of an encoding."""
    path = tmp_path / "r50k_base.tiktoken"
    tokens = [*(bytes([byte]) for byte in range(256)), b"hu", b"hug", b" h"]
    lines = [f"{base64.b64encode(token).decode()} {rank}\n" for rank, token in enumerate(tokens)]
    path.write_text("".join(lines))
    return path


def test_tiktoken_round_trip_keeps_the_bytes(run: Run, ranks: Path, tmp_path: Path) -> None:
    json, again = tmp_path / "t.json", tmp_path / "again" / "r50k_base.tiktoken"
    again.parent.mkdir()
    assert run("convert", ranks, json, "--to", "tokenizer.json") == (0, "", "")
    assert pw.Tokenizer.from_file(json).tokenize("hug hug") == ["hug", "Ġ", "hug"]
    assert run("convert", json, again, "--to", "tiktoken") == (0, "", "")
    assert again.read_bytes() == ranks.read_bytes()


def test_file_names_choose_the_format(run: Run, ranks: Path, tmp_path: Path) -> None:
    json, again = tmp_path / "t.json", tmp_path / "again.tiktoken"
    assert run("convert", ranks, json) == (0, "", "")
    assert run("convert", json, again).code == 0
    assert again.read_bytes() == ranks.read_bytes()
    ended = run("convert", json, tmp_path / "t.model")
    assert (ended.code, "a SentencePiece model cannot hold" in ended.err) == (2, True)
    ended = run("convert", json, tmp_path / "merges.txt")
    assert (ended.code, "merges.txt requires vocab.json too" in ended.err) == (2, True)
    assert sorted(tmp_path.iterdir()) == [again, ranks, json]


def test_merges_txt_is_saved_as_a_folder(run: Run, ranks: Path, tmp_path: Path) -> None:
    target = tmp_path / "folder"
    ended = run("convert", ranks, target, "--to", "merges.txt")
    assert (ended.code, ended.out) == (0, "")
    assert ended.err == (
        "warning: the format merges.txt cannot represent all of this tokenizer; pass --pre-tokenizer to load it unchanged\n"
    )
    assert sorted(path.name for path in target.iterdir()) == ["merges.txt", "vocab.json"]
    assert run("encode", target, stdin="hug hug\n").out == "257 32 257\n"


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no symbolic links")
@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("loop", "a cycle of symbolic links"),
        ("loop/inner", "a cycle of symbolic links"),
        ("dangling", "is a symbolic link to a missing folder"),
        ("file", "is a file; expected a folder"),
    ],
)
def test_error_says_why_a_folder_cannot_be_made(
    target: str, reason: str, run: Run, ranks: Path, tmp_path: Path
) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("no-such-folder")
    (tmp_path / "file").write_bytes(b"kept")
    ended = run("convert", ranks, tmp_path / target, "--to", "merges.txt")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.splitlines()[-1].startswith(f"error: {tmp_path / target}: {reason}")
    assert (tmp_path / "file").read_bytes() == b"kept"
    assert not (tmp_path / "no-such-folder").exists()


def test_merges_txt_is_converted_but_not_onto_itself(run: Run, ranks: Path, tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    run("convert", ranks, source, "--to", "merges.txt")
    before = {path.name: path.read_bytes() for path in source.iterdir()}
    for name in ("vocab.json", "merges.txt"):
        ended = run("convert", source / name, source, "--to", "merges.txt")
        assert (ended.code, ended.out) == (2, "")
        assert "vocab.json: is also an input; write to another file" in ended.err
    assert {path.name: path.read_bytes() for path in source.iterdir()} == before
    assert run("convert", source / "vocab.json", target, "--to", "merges.txt").code == 0
    assert {path.name: path.read_bytes() for path in target.iterdir()} == before


def test_name_option_selects_the_encoding(run: Run, ranks: Path, tmp_path: Path) -> None:
    mine, target = ranks.rename(tmp_path / "mine"), tmp_path / "t.json"
    ended = run("convert", mine, target, "--to", "tokenizer.json")
    assert (ended.code, ended.out) == (2, "")
    assert "pass --name or `pattern=...` to Tokenizer.from_tiktoken" in ended.err
    assert run("convert", mine, target, "--to", "tokenizer.json", "--name", "cl100k_base").code == 0
    ended = run("convert", target, mine, "--to", "tiktoken")
    assert ended.err.endswith("pass --name cl100k_base to load it unchanged\n")
    ended = run("convert", target, mine, "--to", "tiktoken", "--name", "gpt2")
    assert (ended.code, "is not a tiktoken file of ranks" in ended.err) == (2, True)


def test_impossible_conversions_write_no_file(run: Run, tok_file: Path, tmp_path: Path) -> None:
    target = tmp_path / "x"
    ended = run("convert", tok_file, target, "--to", "tiktoken")
    message = "error: a tiktoken file cannot hold a model other than BPE; save a tokenizer.json\n"
    assert ended == (2, "", message)
    assert not target.exists()
    assert run("convert", tok_file, tok_file, "--to", "vocab.txt").code == 2
    assert run("convert", tok_file, target, "--to", "gpt").code == 2
    assert run("convert", tok_file, target, "--to", "vocab.txt", "--base", "x").code == 2


def test_base_option_keeps_fields_of_a_model(run: Run, data: Path, tmp_path: Path) -> None:
    model = live_bpe.vocab_file(data, "llama2-tokenizer.model")
    json, target = tmp_path / "t.json", tmp_path / "t.model"
    ended = run("convert", model, json, "--to", "tokenizer.json")
    assert (ended.code, ended.out) == (0, "")
    assert ended.err == (
        "warning: a tokenizer.json has no control symbols: the saved file matches '<s>', '</s>' in a text, while this tokenizer treats "
        "them as ordinary text; pass `specials='text'` to calls of the loaded tokenizer\n"
    )
    converted = run("convert", json, target, "--to", "sentencepiece", "--base", model)
    assert (converted.code, converted.out) == (0, "")
    assert converted.err.startswith(
        "warning: a SentencePiece model has control symbols: the saved file treats '<s>', '</s>'"
    )
    assert target.read_bytes() == model.read_bytes()


def test_losses_are_listed_in_a_warning(run: Run, tmp_path: Path) -> None:
    trainer = pw.BpeTrainer(40, end_of_word_suffix="</w>", special_tokens=["[UNK]"])
    pw.train(["the cat sat"], trainer).save(tmp_path / "t.json")
    ended = run("convert", tmp_path / "t.json", tmp_path / "codes", "--to", "subword-nmt")
    assert ended.err == (
        "warning: the format subword-nmt cannot represent all of this tokenizer; it lacks or changes ids, unk_token, "
        "pre_tokenizer, special_tokens, training\n"
    )


def test_warning_names_missing_settings_as_options(run: Run, tmp_path: Path) -> None:
    pw.train({"▁a": 3, "▁ab": 2}, pw.UnigramTrainer(6)).save(tmp_path / "t.json")
    ended = run("convert", tmp_path / "t.json", tmp_path / "v.txt", "--to", "vocab.txt")
    assert "lacks or changes model" in ended.err
    assert ", --unk-token '<unk>' " in ended.err


def test_clip_round_trip(run: Run, data: Path, tmp_path: Path) -> None:
    path = live_bpe.vocab_file(data, "clip-bpe_simple_vocab_16e6.txt.gz")
    json, again = tmp_path / "t.json", tmp_path / "again.txt.gz"
    assert run("convert", path, json, "--to", "tokenizer.json") == (0, "", "")
    assert run("convert", json, again, "--to", "clip") == (0, "", "")
    assert pw.Tokenizer.from_file(again) == pw.Tokenizer.from_file(path)


WORDS = {"▁the": 9, "▁cat": 5, "▁cats": 4, "▁mat": 3, "▁s": 1}


def test_approximate_unigram_round_trip(run: Run, tmp_path: Path) -> None:
    json, model, reloaded = (tmp_path / name for name in ("t.json", "t.model", "back.json"))
    tok = pw.train(WORDS, pw.UnigramTrainer(16))
    tok.save(json)
    ended = run("convert", json, model, "--to", "sentencepiece", "--approximate")
    assert (ended.code, ended.out) == (0, "")
    assert ended.err.startswith("warning: the sentencepiece file approximates the tokenizer: ")
    assert "running scores have 32 bits" in ended.err
    assert pw.Tokenizer.from_file(model).tokenize("the cats") == tok.tokenize("the cats")
    ended = run("convert", model, reloaded, "--to", "tokenizer.json", "--approximate")
    assert ended.code == 0
    assert "running scores have 64 bits" in ended.err
    assert pw.Tokenizer.from_file(reloaded).tokenize("the cats") == tok.tokenize("the cats")
    ended = run("convert", model, reloaded, "--to", "tokenizer.json")
    assert ended.code == 0
    assert ended.err.startswith("warning: a tokenizer.json has no control symbols")
    assert "piecework.Unigram" in reloaded.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--to", "sentencepiece"], "scores that are added up in 64 bits"),
        (["--to", "vocab.txt", "--approximate"], "--approximate: requires a Unigram"),
        (
            ["--to", "sentencepiece", "--approximate", "--base", "x.model"],
            "cannot be combined with",
        ),
        (
            ["--to", "tokenizer.json", "--base", "x.model"],
            "requires --to sentencepiece",
        ),
    ],
)
def test_invalid_conversions_are_refused(
    run: Run, tmp_path: Path, given: list[str], message: str
) -> None:
    json, target = tmp_path / "t.json", tmp_path / "target"
    pw.train(WORDS, pw.UnigramTrainer(16)).save(json)
    ended = run("convert", json, target, *given)
    assert (ended.code, ended.out) == (2, "")
    assert message in " ".join(ended.err.split())
    assert not target.exists()


def test_approximate_requires_unigram(run: Run, tok_file: Path, tmp_path: Path) -> None:
    for to in ("sentencepiece", "tokenizer.json"):
        ended = run("convert", tok_file, tmp_path / "x", "--to", to, "--approximate")
        assert (ended.code, ended.out) == (2, "")
        assert "requires a Unigram" in ended.err
