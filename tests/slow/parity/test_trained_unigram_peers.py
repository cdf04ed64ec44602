"""Trained Unigram tokenizers in SentencePiece and `tokenizers`: normalization rules, symbols and spaces."""

from dataclasses import replace
from pathlib import Path

import pytest

import piecework as pw
from piecework import pre_tokenizers

TEXTS = ["the cat sat on the mat", "the cats sat, and the mats sat", "a cat 中文 é"] * 3


def test_white_space_as_suffix(tmp_path: Path) -> None:
    tok = pw.train(TEXTS, pw.UnigramTrainer(30, treat_whitespace_as_suffix=True))
    assert tok.tokenize("the cat") == ["the▁", "cat▁"]
    assert not [piece for piece in tok.vocab if "▁" in piece[:-1]]
    assert tok.decode(tok.encode("the cat").ids) == "the cat "  # as SentencePiece decodes it
    again = pw.Tokenizer.from_str(tok.to_str())
    assert again.training.trainer == tok.training.trainer
    library = pytest.importorskip("sentencepiece")
    with (
        pytest.warns(pw.errors.PieceworkWarning, match="32 bits.* is decoded as ⁇"),
        pytest.warns(pw.errors.PieceworkWarning, match="in a text as ordinary text"),
    ):
        tok.save(tmp_path / "m.model", "sentencepiece", approximate=True)
    theirs = library.SentencePieceProcessor(model_file=str(tmp_path / "m.model"))
    ours = pw.Tokenizer.from_file(tmp_path / "m.model")
    for text in (*TEXTS, "", " the  cat ", "unseen words, too"):
        assert theirs.encode(text) == ours.encode(text).ids == tok.encode(text).ids, text
        decoded = tok.decode(tok.encode(text).ids, skip_special_tokens=False)
        assert theirs.decode(theirs.encode(text)) == decoded, text


def test_sentencepiece_normalization_rules(tmp_path: Path) -> None:
    library = pytest.importorskip("sentencepiece")
    rules = pw.normalizers.SentencePiece.of("nmt_nfkc")
    tok = pw.train([*TEXTS, "ﬁve ＴＩＭＥＳ"], pw.UnigramTrainer(38), normalizer=rules)
    assert tok.decode(tok.encode("ﬁve   ＴＩＭＥＳ").ids) == "five TIMES"
    with (
        pytest.warns(pw.errors.PieceworkWarning, match="32 bits.* is decoded as ⁇"),
        pytest.warns(pw.errors.PieceworkWarning, match="in a text as ordinary text"),
    ):
        tok.save(tmp_path / "m.model", "sentencepiece", approximate=True)
    theirs = library.SentencePieceProcessor(model_file=str(tmp_path / "m.model"))
    for text in (*TEXTS, "", "  ﬁve   ＴＩＭＥＳ ", "unseen"):
        assert theirs.encode(text) == tok.encode(text).ids, text


def test_no_space_is_inserted_after_a_symbol(tmp_path: Path) -> None:
    tok = pw.train(TEXTS, pw.UnigramTrainer(24, user_defined_symbols=["at", "中"]))
    assert tok.pre_tokenizer == pre_tokenizers.Metaspace(prepend_scheme="first")
    for text in ("the cats sat", "中文 中文", "cat中 é"):
        assert tok.decode(tok.encode_ids(text)) == text
    library = pytest.importorskip("tokenizers")
    theirs = library.Tokenizer.from_str(tok.to_str())
    assert theirs.encode("the cats 中文").ids == tok.encode_ids("the cats 中文")


def test_symbols_equal_sentencepiece_for_any_normalizer(tmp_path: Path) -> None:
    library = pytest.importorskip("sentencepiece")
    trainer = pw.UnigramTrainer(25, user_defined_symbols=["at", "中", "on the"])
    own = pw.normalizers.SentencePiece(remove_extra_whitespaces=False, add_dummy_prefix=False)
    suffix = replace(trainer, treat_whitespace_as_suffix=True)
    for tok in (pw.train(TEXTS, trainer, normalizer=own), pw.train(TEXTS, suffix)):
        with pytest.warns(pw.errors.PieceworkWarning) as caught:
            tok.save(tmp_path / "m.model", "sentencepiece", approximate=True)
        assert "user-defined pieces" in str(caught[0].message)
        theirs = library.SentencePieceProcessor(model_file=str(tmp_path / "m.model"))
        for text in ("the cats sat", "the mat", "a 中文 é", "a cat on the cat"):
            assert theirs.encode(text) == tok.encode_ids(text)


@pytest.mark.parametrize(
    "settings", [{"split_by_whitespace": False}, {"allow_whitespace_only_pieces": True}]
)
def test_pieces_may_contain_spaces(settings: dict[str, bool]) -> None:
    texts = [f"of the {word}   and of the   {word}" for word in "hug hugs pug pun bun".split()]
    tok = pw.train(texts, pw.UnigramTrainer(30, **settings))  # type: ignore[arg-type]
    assert tok.pre_tokenizer == pre_tokenizers.Metaspace(split=False)
    assert any("▁" in piece[1:] for piece, _ in tok.model.vocab)
    theirs = pytest.importorskip("tokenizers").Tokenizer.from_str(tok.to_str())
    for text in texts:
        ids = tok.encode_ids(text)
        assert (ids, tok.decode(ids)) == (theirs.encode(text).ids, text)
        assert theirs.decode(ids) == text
