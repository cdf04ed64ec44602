"""Vocabularies are changed, and versions compared, by files that an engine reads in parts as by the texts themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

import piecework as pw
from piecework.engines import Local

TEXTS = ["low lower lowest", "newer newest", "wide", "slow slower slowest"] * 5
TOK = pw.train(TEXTS, pw.WordPieceTrainer(vocab_size=40))


@pytest.fixture
def corpus(tmp_path: Path) -> pw.Corpus:
    for start in (0, 7):
        path = tmp_path / f"{start}.jsonl"
        lines = (f'{{"text": "{text}"}}\n' for text in TEXTS[start : 7 if not start else None])
        path.write_text("".join(lines))
    return pw.Corpus(tmp_path)


def test_prune(corpus: pw.Corpus) -> None:
    wanted = pw.prune(TOK, list(corpus), vocab_size=30)
    assert pw.prune(TOK, corpus, vocab_size=30, engine=Local(1)) == wanted
    with pytest.raises(TypeError, match="Corpus, whose files `engine` divides"):
        pw.prune(TOK, TEXTS, vocab_size=30, engine=Local(1))


def test_extend(corpus: pw.Corpus) -> None:
    start = pw.prune(TOK, TEXTS, vocab_size=25, force=True).tokenizer
    wanted = pw.extend(start, list(corpus), new_tokens=2)
    for settings in ({"engine": Local(1)}, {"max_memory": "100MB"}):
        assert pw.extend(start, corpus, new_tokens=2, **settings) == wanted  # type: ignore[arg-type]


def test_diff(corpus: pw.Corpus) -> None:
    new = pw.prune(TOK, TEXTS, vocab_size=25, force=True).tokenizer
    wanted = pw.diff(TOK, new, list(corpus))
    for settings in ({}, {"engine": Local(1)}, {"threads": 1}):
        found = pw.diff(TOK, new, corpus, **settings)  # type: ignore[arg-type]
        assert (found.texts_tried, found.texts_changed) == (len(TEXTS), wanted.texts_changed)
        assert [each.text for each in found.texts] == [each.text for each in wanted.texts]
        assert found.texts[-1].place == f"{corpus.files[1]}: line 3"
    with pytest.raises(TypeError, match="Corpus, whose files `engine` divides"):
        pw.diff(TOK, new, TEXTS, engine=Local(1))


def test_a_class_is_no_engine(corpus: pw.Corpus) -> None:
    with pytest.raises(TypeError, match=r"found the class Local; pass Local\(\)"):
        pw.evaluate(TOK, corpus, engine=Local)  # type: ignore[arg-type]
