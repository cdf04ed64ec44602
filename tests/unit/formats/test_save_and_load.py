"""Saving and loading: formats by file name, inconsistent files, and warnings about losses."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any

import pytest

import live_unigram
import piecework as pw
from piecework import _core
from piecework.tokenizer._formats.detect import FORMATS, detect_format

if TYPE_CHECKING:
    from pathlib import Path

LINES = "[UNK]\na\nb\nX\nY\n"


def changed(**members: Any) -> str:
    """Returns the tokenizer.json of a small vocabulary with some members replaced."""
    parts = json.loads(pw.Tokenizer.from_str(LINES).to_str())
    return json.dumps(parts | members)


def test_file_names_choose_the_format(tmp_path: Path) -> None:
    words = pw.Tokenizer.from_str(LINES)
    ranks = pw.train(["a a"], pw.BpeTrainer(257, alphabet="byte"))
    scores = pw.Tokenizer(
        pw.models.Unigram(
            [("<unk>", 0.0), ("▁a", -1.0)], 0, precision="float32", reserved=["<unk>"]
        ),
        normalizer=pw.normalizers.SentencePiece(),
    )
    saved = {
        "x": (words, "tokenizer.json"),
        "x.JSON": (words, "tokenizer.json"),
        "vocab.json": (words, "tokenizer.json"),
        "x.txt": (words, "vocab.txt"),
        "x.tiktoken": (ranks, "tiktoken"),
        "x.Model": (scores, "sentencepiece"),
    }
    for name, (tok, kind) in saved.items():
        with warnings.catch_warnings(action="ignore"):
            tok.save(tmp_path / name)
        assert detect_format((tmp_path / name).read_bytes(), name) == kind, name


def test_file_names_of_other_formats_are_refused(tmp_path: Path) -> None:
    tok = pw.Tokenizer.from_str(LINES)
    for name, message in {
        "merges.txt": "requires vocab.json too",
        "gpt2-vocab.bpe": "requires gpt2-encoder.json",
        "x.vocab": "to_vocab",
        "x.model": "a SentencePiece model cannot hold",
        "x.tiktoken": "a tiktoken file cannot hold",
    }.items():
        with pytest.raises(pw.errors.ConfigError, match=message):
            tok.save(tmp_path / name)
    assert not list(tmp_path.iterdir())
    tok.save(tmp_path / "x.vocab", "tokenizer.json")
    assert pw.Tokenizer.from_file(tmp_path / "x.vocab") == tok


def test_template_name_with_two_ids_keeps_both() -> None:
    text = changed(post_processor={"type": "BertProcessing", "sep": ["X", 4], "cls": ["X", 3]})
    with pytest.warns(pw.errors.PieceworkWarning, match="'X' has the id 3"):
        tok = pw.Tokenizer.from_str(text)
    assert tok.encode_ids("a") == [3, 1, 4]
    with pytest.warns(pw.errors.PieceworkWarning, match="'X' has the id 3"):
        assert pw.Tokenizer.from_str(tok.to_str()).encode_ids("a") == [3, 1, 4]


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"version": "9.9"}, r"\$\.version"),
        ({"version": 1}, r"\$\.version"),
        (
            {"post_processor": {"type": "TemplateProcessing", "single": [], "pair": []}},
            "special_tokens",
        ),
        (
            {
                "post_processor": {
                    "type": "TemplateProcessing",
                    "single": [{"Sequence": {"id": "C", "type_id": 0}}],
                    "pair": [],
                    "special_tokens": {},
                }
            },
            r"\$\.post_processor\.single\[0\]",
        ),
    ],
)
def test_inconsistent_members_raise(members: dict[str, Any], message: str) -> None:
    with pytest.raises(pw.errors.FormatError, match=message):
        pw.Tokenizer.from_str(changed(**members))


def test_template_without_second_text_raises_on_use() -> None:
    template = {
        "type": "TemplateProcessing",
        "single": [{"Sequence": {"id": "B", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "B", "type_id": 0}}],
        "special_tokens": {},
    }
    tok = pw.Tokenizer.from_str(changed(post_processor=template))
    assert tok.encode("a", "b").tokens == ["b"]
    for encode in (tok.encode, tok.encode_ids, tok.count):
        with pytest.raises(pw.errors.ConfigError, match="one text asks for a second"):
            encode("a")
    with pytest.raises(pw.errors.ConfigError, match="one text asks for a second"):
        tok.encode_batch(["a"])


def test_trainer_settings_in_a_file_are_checked() -> None:
    parts = json.loads(pw.train({"a": 1}, pw.WordPieceTrainer(6)).to_str())
    parts["model"]["piecework"]["training"]["trainer"] = {}
    with pytest.raises(pw.errors.FormatError, match="trainer"):
        pw.Tokenizer.from_str(json.dumps(parts))


def test_vocab_txt_warns_of_a_lost_template(tmp_path: Path) -> None:
    template = {
        "type": "TemplateProcessing",
        "single": [
            {"SpecialToken": {"id": "Y", "type_id": 0}},
            {"Sequence": {"id": "A", "type_id": 0}},
        ],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"Y": {"id": "Y", "ids": [4], "tokens": ["Y"]}},
    }
    tok = pw.Tokenizer.from_str(changed(post_processor=template))
    with pytest.warns(pw.errors.PieceworkWarning, match="it lacks or changes post-processor"):
        tok.save(tmp_path / "vocab.txt", "vocab.txt")


def test_vocab_txt_without_losses_does_not_warn(tmp_path: Path) -> None:
    tok = pw.Tokenizer.from_str("[SEP]\n[UNK]\n[CLS]\na\nb\n")
    tok.save(tmp_path / "vocab.txt", "vocab.txt")
    assert pw.Tokenizer.from_file(tmp_path / "vocab.txt") == tok


def test_equal_tokenizers_have_equal_hashes() -> None:
    tok = pw.Tokenizer.from_str(LINES).replace(max_input_chars_per_word=2**33)
    again = pw.Tokenizer.from_str(tok.to_str())
    assert (again, hash(again)) == (tok, hash(tok))


def test_sentencepiece_model_is_detected_by_its_first_piece() -> None:
    for size in (1, 110, 126, 127, 128, 150, 20_000):
        model = live_unigram.model_of(
            [("x" * size, -1.0, live_unigram.NORMAL), ("<unk>", 0.0, live_unigram.UNKNOWN)]
        )
        assert detect_format(model, "x") == "sentencepiece", size
        assert pw.Tokenizer.from_bytes(model).encode_ids("x" * size)
    for data in (b"\n", b"\n\x05", b"\n\n", b"\n\n\n\n", b"\n\x80\x80", b"\n\x05\n\x03ab\x15"):
        assert detect_format(data, "x") == "vocab.txt", data


def test_formats_equal_the_core_table() -> None:
    assert sorted(FORMATS) == sorted(name for name, *_ in _core.file_formats())


@pytest.mark.parametrize(
    "given", [{"format": "tokenizer.json"}, {"format": "sentencepiece", "approximate": True}]
)
def test_base_requires_an_exact_sentencepiece_model(given: Any, tmp_path: Path) -> None:
    tok = pw.Tokenizer(pw.models.Unigram([("<unk>", 0.0), ("a", -1.0)], 0))
    with pytest.raises(pw.errors.ConfigError, match="base: requires the format"):
        tok.save(tmp_path / "x", base=tmp_path / "old.model", **given)
    assert not (tmp_path / "x").exists()
