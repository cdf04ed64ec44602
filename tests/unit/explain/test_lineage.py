"""The lineage of tokens: the tree of merges, and counts at birth and at the end."""

from __future__ import annotations

import json
from typing import Any

import pytest

import piecework as pw
from piecework import models
from piecework.tokenizer._explain.lineage import Lineage

pytestmark = pytest.mark.smoke

WORDS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
ENDINGS = {"low": 5, "lower": 2, "newest": 6, "widest": 3}


def births(tok: pw.Tokenizer) -> dict[str, int | None]:
    return {merge.token: tok.lineage(merge.token).birth_count for merge in tok.history}


def test_counts_of_the_notes() -> None:
    trainer = pw.WordPieceTrainer(40, criterion="frequency", max_merges=6, ties="first")
    assert births(pw.train(WORDS, trainer)) == {
        "##ug": 20,
        "##un": 16,
        "hug": 15,
        "pun": 12,
        "pug": 5,
        "hugs": 5,
    }
    suffix = {"end_of_word_suffix": "</w>", "suffix_style": "separate"}
    bpe = pw.train(ENDINGS, pw.BpeTrainer(99, max_merges=10, ties="first", **suffix))  # type: ignore[arg-type]
    assert births(bpe) == {
        "es": 9,
        "est": 9,
        "est</w>": 9,
        "lo": 7,
        "low": 7,
        "ne": 6,
        "new": 6,
        "newest</w>": 6,
        "low</w>": 5,
        "wi": 3,
    }


@pytest.mark.parametrize("criterion", ["frequency", "pmi", "sum", "likelihood"])
def test_birth_counts_are_those_of_the_history(criterion: Any) -> None:
    tok = pw.train(WORDS, pw.WordPieceTrainer(40, criterion=criterion, max_merges=6))
    counts = tok.training.token_counts
    assert counts is not None
    for number, merge in enumerate(tok.history, 1):
        found = tok.lineage(merge.token)
        assert (found.step, found.merge, found.birth_count) == (number, merge, merge.pair_count)
        assert found.final_count == counts[merge.token]
        assert {node.token for _, node, _, _ in found.nodes()} <= {m.token for m in tok.history}


def test_lineage_as_text_and_json() -> None:
    tok = pw.train(WORDS, pw.WordPieceTrainer(40, criterion="frequency", max_merges=6))
    found = tok.lineage("hugs")
    assert str(found).splitlines() == [
        "hugs = hug + ##s (merge 5), count 5 at birth, count 5 at the end",
        "  hug = h + ##ug (merge 3), count 15 at birth, count 10 at the end",
        "    h, count 0 at the end",
        "    ##ug = ##u + ##g (merge 1), count 20 at birth, count 0 at the end",
        "      ##u, count 0 at the end",
        "      ##g, count 0 at the end",
        "  ##s, count 0 at the end",
    ]
    saved = json.loads(json.dumps(found.to_dict()))
    assert (saved["token"], saved["step"], saved["birth_count"], saved["final_count"]) == (
        "hugs",
        5,
        5,
        5,
    )
    assert [merge["token"] for merge in saved["merges"]] == ["##ug", "hug", "hugs"]
    assert [merge["final_count"] for merge in saved["merges"]] == [0, 10, 5]


def test_tokens_without_merges() -> None:
    unigram = pw.train({f"▁{word}": n for word, n in WORDS.items()}, pw.UnigramTrainer(16))
    trained = pw.train(WORDS, pw.WordPieceTrainer(40, max_merges=2))
    for tok, token, count in [
        (unigram, "▁hug", 10),
        (trained, "h", 15),
        (trained, "[UNK]", 0),
        (trained.with_added_tokens(["<x>"]), "<x>", None),
    ]:
        found = tok.lineage(token)
        assert (found.step, found.merge, found.left, found.birth_count) == (None,) * 4
        assert found.final_count == count
        assert "no merge created it" in str(found)
        assert found.to_dict()["merges"] == []
        assert found.to_dict()["merges_known"] is True


def test_tokens_of_a_vocabulary_without_history() -> None:
    read = pw.Tokenizer.from_str("[UNK]\nhug\n").with_added_tokens(["<x>"])
    trained = pw.train(WORDS, pw.WordPieceTrainer(40, max_merges=2))
    extended = pw.extend(trained, ["puns puns"] * 9, new_tokens=1).tokenizer
    for tok, token in [(read, "hug"), (extended, "##ug"), (extended, "##uns")]:
        found = tok.lineage(token)
        assert str(found) == f"{token}, its merges are unknown"
        assert (found.step, found.left, found.to_dict()["merges_known"]) == (None, None, False)
    assert "hug (id 1, 0-3): its merges are unknown" in str(read.explain("hug"))
    for token in ("[UNK]", "<x>"):
        assert str(read.lineage(token)) == f"{token}, no merge created it"


def test_unknown_tokens_are_errors() -> None:
    tok = pw.train(WORDS, pw.WordPieceTrainer(40, max_merges=2))
    with pytest.raises(pw.errors.VocabularyError, match="'ug' is not in the vocabulary"):
        tok.lineage("ug")
    with pytest.raises(pw.errors.VocabularyError, match="did you mean '##s'"):
        tok.lineage("s")
    spaced = pw.train(["hug hug"], pw.BpeTrainer(260, alphabet="byte"))
    with pytest.raises(pw.errors.VocabularyError, match="did you mean 'Ġ'"):
        spaced.lineage(" ")
    with pytest.raises(TypeError, match="token"):
        tok.lineage(3)  # type: ignore[arg-type]


def test_merges_of_a_model_without_history() -> None:
    model = models.BPE(["a", "b", "c", "bc", "abc"], [("b", "c"), ("a", "bc")])
    found = pw.Tokenizer(model).lineage("abc")
    assert str(found).splitlines() == [
        "abc = a + bc (merge 2)",
        "  a",
        "  bc = b + c (merge 1)",
        "    b",
        "    c",
    ]
    assert (found.birth_count, found.final_count) == (None, None)


def test_repeated_parts_do_not_explode() -> None:
    """A token of 2**40 letters would have a tree with as many leaves."""
    letters = [Lineage("a", "a")]
    for step in range(1, 41):
        part = letters[-1]
        letters.append(Lineage(f"t{step}", f"t{step}", step, None, None, part, part))
    root = letters[-1]
    assert len(root.to_dicts()) == 40
    assert str(root).splitlines()[-1] == "…"
    assert len(str(root).splitlines()) == 2001
