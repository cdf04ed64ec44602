"""Explanations of the likeliest segmentation: scores, shares, and the second best."""

import json
import random
import subprocess
import sys
from math import exp
from pathlib import Path

import pytest

import piecework as pw
from piecework import models
from piecework.reference.model.unigram import UnigramEncoder, UnigramSettings
from piecework.tokenizer._explain.explanation import Explanation, Word
from piecework.tokenizer._explain.steps import SegmentationLattice, WordPieceSteps

WORDS = {"▁hug": 10, "▁pug": 5, "▁pun": 12, "▁bun": 4, "▁hugs": 5}


@pytest.fixture(scope="module")
def tok() -> pw.Tokenizer:
    return pw.train(WORDS, pw.UnigramTrainer(16))


def lattice_of(word: Word) -> SegmentationLattice:
    assert isinstance(word.steps, SegmentationLattice)
    return word.steps


def test_explanation_of_a_word(tok: pw.Tokenizer) -> None:
    explained = tok.explain("hugs")
    (piece,) = explained.pieces
    assert (piece.token, piece.kind, piece.lineage) == ("▁hugs", "piece", None)
    assert piece.score == tok.lm.score(["▁hugs"])
    lattice = lattice_of(explained.words[0])
    best = tok.lm.nbest("hugs", 2)
    assert lattice.next is not None
    assert (lattice.taken.score, lattice.next.score) == (best[0].score, best[1].score)
    assert lattice.next.tokens == tuple(best[1].encoding.tokens)
    assert lattice.taken.share == pytest.approx(
        exp(best[0].score - tok.lm.marginal_log_likelihood("hugs"))
    )
    assert str(explained).splitlines() == [
        "hugs -> ' hugs'",
        "  ' hugs' (id 6, 0-4): score -2.10442",
        "  pieces that begin at each character, with scores; * is taken:",
        "    0: ' ' -4.38203, ' hug' -1.37404, *' hugs' -2.10442",
        "    1: h -4.38203",
        "    2: u -4.38203",
        "    3: g -4.38203",
        "    4: s -4.38203",
        "  total score -2.10442, 97.5% of the word's probability",
        "    next best ' hug' s, score -5.75606, 38.5 times less likely",
        "    next best ' ' h u g s, score -21.9101, e^19.8 times less likely",
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
    assert "no piece covers 'é' (U+00E9)" in str(explained)
    assert explained.pieces[-1].bytes == "é".encode()
    assert explained.words[0].text == "▁puns"
    last = lattice_of(explained.words[-1])
    assert last.next is None
    assert [(edge.symbol, edge.is_taken) for edge in last.edges if edge.symbol is None] == [
        (None, True)
    ]
    assert "no other segmentation" in str(explained)


# The lattice, against the reference and against all segmentations


def random_unigram(rng: random.Random, *, unknown: bool = True) -> dict[str, float]:
    pieces = {c: -rng.randrange(1, 30) / 4 for c in rng.sample("abcd", rng.randrange(1, 5))}
    for _ in range(rng.randrange(12)):
        pieces["".join(rng.choices("abcd", k=rng.randrange(2, 5)))] = -rng.randrange(1, 40) / 4
    return {"<unk>": 0.0, **pieces} if unknown else pieces


def test_lattice_equals_the_reference() -> None:
    rng = random.Random(3)
    for number in range(80):
        precision = "float32" if number % 2 else "float64"
        vocab = random_unigram(rng)
        tok = pw.Tokenizer(models.Unigram(list(vocab.items()), 0, precision=precision))
        theirs = UnigramEncoder(vocab, UnigramSettings(unk_token="<unk>", precision=precision))
        for _ in range(6):
            word = "".join(rng.choices("abcde", k=rng.randrange(1, 12)))
            explained = tok.explain(word, nbest=8)
            ours = lattice_of(explained.words[0])
            edges, scores = theirs._lattice(word)
            found = [
                (edge.span, edge.symbol and edge.symbol.token, edge.score) for edge in ours.edges
            ]
            assert found == [
                ((edge.start, edge.end), edge.entry or None, score)
                for edge, score in zip(edges, scores, strict=True)
            ]
            assert ours.log_probability == theirs.marginal_log_likelihood(word)
            expected = dict[tuple[str, ...], float]()
            for pieces, score in theirs.nbest(word, 19):
                expected.setdefault(tuple(piece.entry or "<unk>" for piece in pieces), score)
            listed = [(each.tokens, each.score) for each in ours.nbest]
            assert listed == list(expected.items())[:8]
            assert [piece.token for piece in explained.pieces] == [
                piece.entry or "<unk>" for piece in theirs(word)
            ]
            _check_path(ours, len(word))


def _check_path(lattice: SegmentationLattice, size: int) -> None:
    """Checks that the taken edges are a path with the score of the best node."""
    position, total = 0, 0.0
    for edge in lattice.edges:
        if edge.is_taken:
            assert edge.span[0] == position
            position, total = edge.span[1], total + edge.score
    assert position == size
    nodes = {node.position: node.score for node in lattice.nodes}
    assert nodes[0] == 0.0
    assert nodes[size] == pytest.approx(total, abs=1e-5)
    assert lattice.taken.score == pytest.approx(total, abs=1e-5)


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
    assert explained.pieces[0].lineage is not None
    lattice = lattice_of(explained.words[0])
    assert lattice.next is not None
    assert lattice.next.tokens == ("hug", "##s")
    _check_path(lattice, 4)
    assert "tried" not in str(explained)
    assert isinstance(longest.explain("hugs").words[0].steps, WordPieceSteps)
    assert longest.explain("hugs").pieces[0].score is None


def test_explanation_of_sentencepiece_model(data: Path) -> None:
    import live_unigram

    tok = pw.Tokenizer.from_bytes(live_unigram.shared_model(data, "t5-spiece"))
    for text in ("unbelievable tokenization", "", "  ", "😀😀 x"):
        explained = tok.explain(text)
        assert [piece.id for piece in explained.pieces] == tok.encode_ids(
            text, add_special_tokens=False
        )
        assert all(0 < lattice_of(word).taken.share <= 1 for word in explained.words)


def test_explain_command_prints_scores(tok: pw.Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    tok.save(path)
    call = [sys.executable, "-m", "piecework", "explain", str(path), "hugs"]
    printed = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    assert printed == f"{tok.explain('hugs')}\n"
    data = json.loads(subprocess.run([*call, "--json"], capture_output=True, check=True).stdout)
    (word,) = data["words"]
    assert word["pieces"][0]["score"] == tok.lm.score(["▁hugs"])
    second = word["steps"]["nbest"][1]["symbols"]
    assert [symbol["token"] for symbol in second] == ["▁hug", "s"]
    assert isinstance(tok.explain("hugs"), Explanation)
