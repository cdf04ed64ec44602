"""Unigram in SentencePiece files: reading, writing, and broken files."""

import math
import struct
import warnings
from pathlib import Path
from typing import Any

import pytest

import live_unigram as live
import piecework as pw
from piecework import normalizers as n


def test_user_defined_and_reserved_pieces(tmp_path: Path) -> None:
    pieces = [*live.PIECES, ("<s>", 0, live.CONTROL), ("ab", -0.5, live.UNUSED), ("xa", 0.0, 4)]
    tok = pw.Tokenizer.from_bytes(live.model_of(pieces))
    model = tok.model
    assert isinstance(model, pw.models.Unigram)
    assert (model.precision, model.user_defined) == ("float32", ("xa",))
    assert model.reserved == ("<unk>", "<s>", "ab")
    assert [token.content for token in tok.added_tokens.values()] == ["<s>", "xa"]
    assert tok.encode("xab").tokens == ["xa", "b"]
    with pytest.raises(
        pw.errors.VocabularyError, match=r'user_defined\[0\]: "no" is not in the voc'
    ):
        pw.Tokenizer(pw.models.Unigram([("a", 0.0)], user_defined=["no"]))


@pytest.mark.parametrize(
    ("pieces", "message"),
    [
        ([("<unk>", 0.0, 2), ("a", math.nan, 1)], 'pieces: the score of "a" is NaN'),
        ([("<unk>", 0.0, 2), ("a", -math.inf, 1)], 'pieces: the score of "a" is -inf'),
        ([("a", 0.0, 1)], "pieces: the model has no piece for what is unknown"),
        ([("<unk>", 0.0, 2), ("<u>", 0.0, 2)], 'both "<unk>" and "<u>" stand for what is unknown'),
        ([*live.PIECES, ("a", 0.0, 1)], 'pieces: token "a" occurs twice'),
        ([*live.PIECES, ("", 0.0, 1)], "pieces: the piece with the id 3 is empty"),
    ],
)
def test_broken_models_raise(pieces: list[live.Piece], message: str) -> None:
    with pytest.raises(pw.errors.FormatError, match=message):
        pw.Tokenizer.from_bytes(live.model_of(pieces))


def test_truncated_models_raise_or_load() -> None:
    model = live.model_of([*live.PIECES, ("▁a", -1.0, 1)])
    for size in range(len(model)):
        try:
            pw.Tokenizer.from_bytes(model[:size])
        except pw.errors.PieceworkError:
            continue
        pieces = live.read(model[:size]).pieces
        assert pieces, size


@pytest.mark.parametrize("piece", ["\0", "a\0b"])
def test_pieces_with_nul_cannot_be_saved(piece: str, tmp_path: Path) -> None:
    vocab = [("<unk>", 0.0), ("a", -1.0), (piece, -1.0)]
    ours = pw.Tokenizer(pw.models.Unigram(vocab, 0, precision="float32"))
    with pytest.raises(pw.errors.ConfigError, match="cannot hold NUL, as the token"):
        ours.save(tmp_path / "m.model", "sentencepiece")


def test_byte_fallback_without_byte_pieces_raises() -> None:
    with pytest.raises(pw.errors.FormatError, match="falls back to bytes, but has no piece"):
        pw.Tokenizer.from_bytes(live.model_of(live.PIECES, byte_fallback=True))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "cannot hold scores that are added up in 64 bits"),
        ({"precision": "float32", "unk_id": None}, "cannot hold a model without an unknown token"),
        ({"precision": "float32", "byte_fallback": True}, 'byte_fallback unless "<0x00>" is a res'),
    ],
)
def test_models_that_sentencepiece_cannot_represent(
    settings: dict[str, Any], message: str, tmp_path: Path
) -> None:
    model = pw.models.Unigram([("<unk>", 0.0), ("a", -1.0)], **{"unk_id": 0, **settings})
    with pytest.raises(pw.errors.ConfigError, match=message):
        pw.Tokenizer(model).save(tmp_path / "x.model", "sentencepiece")
    ours = pw.models.Unigram([("<unk>", 0.0), ("a", -1.0)], 0, precision="float32")
    with pytest.raises(pw.errors.ConfigError, match='the added token "b" of a unigram model'):
        pw.Tokenizer(ours, added_tokens=["b"]).save(tmp_path / "x.model", "sentencepiece")


def test_largest_float32_score_survives_saving(tmp_path: Path) -> None:
    score = struct.unpack("<f", struct.pack("<f", -1.7e38))[0]
    tok = pw.Tokenizer.from_bytes(live.model_of([*live.PIECES, ("b", score, 1)]))
    tok.save(tmp_path / "x.model", "sentencepiece")
    assert live.read((tmp_path / "x.model").read_bytes()).pieces[3] == ("b", score, 1)


def test_approximate_model_warns_of_all_changes(tmp_path: Path) -> None:
    ours = pw.train({"▁hug": 10, "▁hugs": 5, "▁bun": 3}, pw.UnigramTrainer(12))
    with pytest.warns(pw.errors.PieceworkWarning) as caught:
        ours.save(tmp_path / "hug.model", "sentencepiece", approximate=True)
    assert len(caught) == 2
    assert "'<s>', '</s>' in a text as ordinary text" in str(caught[1].message)
    # All else is held, or refused.
    assert "<unk> is not a special token, and is decoded as ⁇" in str(caught[0].message)
    assert str(caught[0].message).endswith("the history of the training is lost")
    assert pw.Tokenizer.from_file(tmp_path / "hug.model").tokenize("hugs bun") == ours.tokenize(
        "hugs bun"
    )


def test_approximate_keeps_an_exactly_representable_tokenizer(tmp_path: Path) -> None:
    tok = pw.train({"▁hug": 10, "▁hugs": 5, "▁bun": 3}, pw.UnigramTrainer(12))
    with warnings.catch_warnings(action="error"):
        tok.save(tmp_path / "x.json", approximate=True)
    assert pw.Tokenizer.from_file(tmp_path / "x.json") == tok


@pytest.mark.parametrize(
    ("normalizer", "message"),
    [
        (
            n.Sequence([n.Precompiled.of("nmt_nfkc_cf"), n.Precompiled.of("nfkc")]),
            "cannot represent the normalizer Precompiled",
        ),
        (n.Replace(pw.Regex(" {2,}"), "b"), "cannot represent the normalizer Replace"),
        (n.Replace(pw.Regex(" {2,}"), ""), "cannot represent the normalizer Replace"),
    ],
)
def test_normalizers_without_approximation_are_refused(
    normalizer: Any, message: str, tmp_path: Path
) -> None:
    model = pw.models.Unigram([("<unk>", 0.0), ("▁", -1.0)], 0)
    tok = pw.Tokenizer(model, normalizer=normalizer, pre_tokenizer=pw.pre_tokenizers.Metaspace())
    with pytest.raises(pw.errors.ConfigError, match=message):
        tok.save(tmp_path / "x.model", approximate=True)


def test_approximate_model_warns_of_another_unknown_score(tmp_path: Path) -> None:
    pieces = [("<unk>", -1000.0), ("ab", -60.0), ("cd", -60.0), ("bcd", -1.0)]
    tok = pw.Tokenizer(pw.models.Unigram(pieces, 0))
    with pytest.warns(pw.errors.PieceworkWarning, match="unknown characters have another score"):
        tok.replace(pre_tokenizer=pw.pre_tokenizers.Metaspace()).save(
            tmp_path / "x.model", approximate=True
        )


def test_models_without_approximation_are_refused(tmp_path: Path) -> None:
    words = pw.Tokenizer(pw.models.WordLevel(["<unk>"]))
    with pytest.raises(pw.errors.ConfigError, match="approximate: requires a Unigram model"):
        words.save(tmp_path / "x.json", approximate=True)
    unigram = pw.models.Unigram([("<unk>", 0.0)], 0)
    splits = pw.Tokenizer(unigram, pre_tokenizer=pw.pre_tokenizers.Digits())
    with pytest.raises(pw.errors.ConfigError, match="cannot represent the pre-tokenizer Digits"):
        splits.save(tmp_path / "x.model", "sentencepiece", approximate=True)
