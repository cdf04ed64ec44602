"""Large and unusual inputs of explaining, counting and encoding."""

from __future__ import annotations

import os
import pickle
import threading
from typing import TYPE_CHECKING

import pytest

import piecework as pw
from piecework.tokenizer._explain.steps import WordPieceSteps

if TYPE_CHECKING:
    from pathlib import Path


def test_explanation_of_long_word_is_bounded() -> None:
    text = "[UNK]\na\n##a\n" + "a" * 100_000 + "\n"
    limits = pw.Limits(entry_bytes=100_000)
    tok = pw.Tokenizer.from_str(text, max_input_chars_per_word=None, limits=limits)
    explanation = tok.explain("a" * 2_000)
    assert len(explanation.pieces) == 2_000
    steps = explanation.words[0].steps
    assert isinstance(steps, WordPieceSteps)
    assert all(len(match.tried) <= 64 for match in steps.matches)
    assert [match.tried_count for match in steps.matches] == list(range(1999, -1, -1))


def test_deep_lineage_prints_and_hashes() -> None:
    word = "abcdefghij" * 60
    tok = pw.train(
        {word: 1}, pw.WordPieceTrainer(700, criterion="frequency", special_tokens=["[UNK]"])
    )
    explanation = tok.explain(word)
    assert repr(explanation).startswith("Explanation(abc")
    assert explanation == tok.explain(word)
    assert hash(explanation.pieces[0].lineage) is not None
    assert len(str(explanation)) < 2_000_000


def test_batch_errors_name_the_text() -> None:
    tok = pw.Tokenizer.from_str("[UNK]\na\n[CLS]\n")
    with pytest.raises(pw.errors.SpecialTokenError, match=r"text 2: .*character 1"):
        tok.encode_batch(["a", "a", "é[CLS]"], specials="error")
    many = ["a" * 1000] * 500
    many[333] = "[CLS]"
    with pytest.raises(pw.errors.SpecialTokenError, match="text 333: "):
        tok.encode_batch(many, specials="error", threads=2)


def test_specials_may_be_an_iterator() -> None:
    tok = pw.Tokenizer.from_str("[UNK]\na\n[CLS]\n")
    batch = tok.encode_batch(["[CLS]"], specials=iter(["[CLS]"]))
    assert batch[0].ids == batch.ids.tolist() == [2]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are a feature of POSIX")
def test_words_of_a_pipe_are_counted(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"a b\na\n",))
    writer.start()
    counts = pw.WordCounts.from_texts(pw.Corpus(pipe))
    writer.join()
    assert dict(counts.items()) == {"a": 2, "b": 1}


def test_numpy_integers_are_accepted() -> None:
    np = pytest.importorskip("numpy", reason="numpy is required at run time")
    trainer = pw.WordPieceTrainer(np.int64(30), max_merges=np.int32(3))
    assert trainer == pw.WordPieceTrainer(30, max_merges=3)
    assert pickle.loads(pickle.dumps(trainer)) == trainer


def test_more_threads_than_texts() -> None:
    assert pw.WordCounts.from_texts(["a a"] * 10, threads=200)["a"] == 20
