"""Broken BPE files: a PieceworkError or a tokenizer, never a panic."""

import base64
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import live_bpe
import piecework as pw
from piecework import _core, normalizers

TEXT = ["the cat sat on the mat ﬁve ½ times", "naïve cats, 12 hats & ＡＢＣ"] * 20


def mutated(data: bytes, tries: int) -> Iterator[bytes]:
    """Returns copies of `data` with some bytes changed, removed or doubled."""
    rng = random.Random(5)
    for _ in range(tries):
        broken = bytearray(data)
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(len(broken) + 1)
            match rng.randrange(3):
                case 0:
                    broken[at : at + 1] = rng.randbytes(1)
                case 1:
                    del broken[at : at + rng.randrange(9)]
                case _:
                    broken[at:at] = broken[at : at + rng.randrange(9)]
        yield bytes(broken)


def test_mutated_sentencepiece_models_raise_or_load() -> None:
    settings = {"normalization_rule_name": "nmt_nfkc", "user_defined_symbols": ["<x>"]}
    model = live_bpe.trained_sentencepiece(TEXT, 200, hard_vocab_limit=False, **settings)
    # Mutates all pieces and settings, but only a small part of the rules, which make up most of the file.
    for broken in [*mutated(model[:3000], 300), *mutated(model[-600:], 100), *mutated(model, 100)]:
        try:
            tok = pw.Tokenizer.from_bytes(broken)
        except pw.errors.PieceworkError:
            continue
        tok.decode(tok.encode_ids("the ﬁve ½ <x> cats"))


def test_mutated_charsmaps_raise_or_load(tmp_path: Path) -> None:
    model = live_bpe.trained_sentencepiece(TEXT, 200, hard_vocab_limit=False)
    normalizer = pw.Tokenizer.from_bytes(model).normalizer
    assert isinstance(normalizer, normalizers.SentencePiece)
    assert normalizer.precompiled_charsmap
    small = normalizer.precompiled_charsmap[:4000]
    for rules in mutated(small, 200):
        try:
            stage = normalizers.SentencePiece(rules)
            stage.normalize_str("ﬁve ½ ＡＢＣ\u0301 中")
        except pw.errors.PieceworkError:
            continue


@pytest.mark.parametrize(
    "content",
    [
        b"YQ== 0\nYg== 1\n",
        b"#version: 0.2\nl o\nlo w</w>\n",
        b'"bpe_simple_vocab_16e6.txt#version: 0.2\ni n\nt h\n',
    ],
)
def test_mutated_line_files_raise_or_load(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "r50k_base.tiktoken"
    for broken in mutated(content, 200):
        path.write_bytes(broken)
        for read in (
            pw.Tokenizer.from_tiktoken,
            pw.Tokenizer.from_subword_nmt,
            pw.Tokenizer.from_file,
        ):
            try:
                read(path)
            except pw.errors.PieceworkError:
                continue
        try:
            _core.read_format("clip", broken)
        except pw.errors.PieceworkError:
            continue


def test_invalid_vocab_json_raises(tmp_path: Path) -> None:
    (tmp_path / "merges.txt").write_bytes(b"")
    for content in (
        b"[]",
        b"{}",
        b"1",
        b'{"a": [1]}',
        b'{"a": -1}',
        b'{"a": 99999999999}',
        b'{"a"',
        b"\xff",
    ):
        (tmp_path / "vocab.json").write_bytes(content)
        with pytest.raises(pw.errors.PieceworkError):
            pw.Tokenizer.from_file(tmp_path / "merges.txt")


def test_tiktoken_special_tokens_are_not_matched_as_text(tmp_path: Path) -> None:
    """Even where the pattern keeps a special token whole, `specials="text"` does not match it."""
    path = tmp_path / "x.tiktoken"
    path.write_text("".join(f"{base64.b64encode(bytes([i])).decode()} {i}\n" for i in range(256)))
    ranks = pw.Tokenizer.from_tiktoken(path, pattern=r"\S+|\s+", special_tokens={"<|x|>": 256})
    assert ranks.encode_ids("<|x|>") == [256]
    assert ranks.encode_ids("<|x|>", specials="text") == [*b"<|x|>"]
    with pytest.raises(pw.errors.SpecialTokenError):
        ranks.encode_ids("a<|x|>", specials="error")
