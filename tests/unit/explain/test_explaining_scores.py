"""Explanations of the likeliest segmentation: scores, shares, and the second best."""

import json
import subprocess
import sys
from math import exp
from pathlib import Path

import pytest

import piecework as pw
from piecework import models
from piecework.explain import Explanation

WORDS = {"▁hug": 10, "▁pug": 5, "▁pun": 12, "▁bun": 4, "▁hugs": 5}


@pytest.fixture(scope="module")
def tok() -> pw.Tokenizer:
    return pw.train(WORDS, pw.UnigramTrainer(16))


def test_explanation_of_a_word(tok: pw.Tokenizer) -> None:
    explained = tok.explain("hugs")
    (piece,) = explained.pieces
    assert (piece.token, piece.kind, piece.failed, piece.lineage) == ("▁hugs", "piece", (), None)
    assert piece.score == tok.lm.score(["▁hugs"])
    (choice,) = explained.choices
    best = tok.lm.nbest("hugs", 2)
    assert choice.next is not None
    assert (choice.taken.score, choice.next.score) == (best[0].score, best[1].score)
    assert choice.next.tokens == tuple(best[1].encoding.tokens)
    assert choice.share == pytest.approx(
        exp(best[0].score - tok.lm.marginal_log_likelihood("hugs"))
    )
    assert str(explained).splitlines() == [
        "hugs -> ' hugs'",
        "  ' hugs': score -2.10442",
        "  total score -2.10442, 97.5% of the word's probability; next best ' hug' s, score -5.75606, 38.5 times less likely",
    ]


def test_explanation_of_several_words_and_unknown_text(tok: pw.Tokenizer) -> None:
    explained = tok.with_added_tokens(["<x>"]).explain("puns <x>é")
    kinds = [(piece.token, piece.kind, piece.score is None) for piece in explained.pieces]
    assert kinds[:3] == [
        ("▁pun", "piece", False),
        ("s", "piece", False),
        ("▁", "piece", False),
    ]
    assert ("<x>", "added", True) in kinds
    assert kinds[-1] == ("<unk>", "unknown", False)
    assert "no piece covers 'é'" in str(explained)
    assert explained.choices[0].word == "▁puns"
    assert explained.choices[-1].next is None
    assert "no other segmentation" in str(explained)


def test_explanation_of_ties_symbols_and_bytes() -> None:
    vocab = [
        ("<unk>", 0.0),
        ("a", -1.0),
        ("aa", -2.0),
        *((f"<0x{n:02X}>", 0.0) for n in range(256)),
    ]
    tok = pw.Tokenizer(models.Unigram(vocab, 0, byte_fallback=True))
    assert "equally likely" in str(tok.explain("aa"))
    assert [piece.kind for piece in tok.explain("é").pieces] == ["byte", "byte"]
    assert {piece.score for piece in tok.explain("é").pieces} == {None}
    symbols = pw.train(WORDS, pw.UnigramTrainer(17, user_defined_symbols=["un"]))
    assert "added" in [piece.kind for piece in symbols.explain("pun").pieces]


def test_explanation_of_likeliest_wordpiece() -> None:
    words = {"hu": 30, "hug": 4, "bugs": 40, "hus": 3, "bus": 5, "rags": 20}
    longest = pw.train(words, pw.WordPieceTrainer(17, special_tokens=["[UNK]"]))
    explained = longest.replace(segmentation="likeliest").explain("hugs")
    assert [piece.token for piece in explained.pieces] == ["hu", "##gs"]
    assert [piece.failed for piece in explained.pieces] == [(), ()]
    assert explained.pieces[0].lineage is not None
    (choice,) = explained.choices
    assert choice.next is not None
    assert choice.next.tokens == ("hug", "##s")
    assert "tried" not in str(explained)
    assert longest.explain("hugs").choices == ()
    assert longest.explain("hugs").pieces[0].score is None


def test_explanation_of_sentencepiece_model(data: Path) -> None:
    import live_unigram

    tok = pw.Tokenizer.from_bytes(live_unigram.shared_model(data, "t5-spiece"))
    for text in ("unbelievable tokenization", "", "  ", "😀😀 x"):
        explained = tok.explain(text)
        assert [piece.id for piece in explained.pieces] == tok.encode_ids(
            text, add_special_tokens=False
        )
        assert all(0 < choice.share <= 1 for choice in explained.choices)


def test_explain_command_prints_scores(tok: pw.Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    tok.save(path)
    call = [sys.executable, "-m", "piecework", "explain", str(path), "hugs"]
    printed = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    assert printed == f"{tok.explain('hugs')}\n"
    data = json.loads(subprocess.run([*call, "--json"], capture_output=True, check=True).stdout)
    assert data["pieces"][0]["score"] == tok.lm.score(["▁hugs"])
    (word,) = data["words"]
    assert word["next"]["tokens"] == ["▁hug", "s"]
    assert isinstance(tok.explain("hugs"), Explanation)
