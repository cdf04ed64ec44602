"""Evaluations against a naive computation, on tokenizers of every family and random texts."""

import dataclasses
import math
import random
from typing import Any

import pytest
from hypothesis import given, strategies as st

import piecework as pw
import strategies
from model_families import entries, family
from naive_evaluation import FLOOR, naive_gini, naive_metrics, naive_sums
from piecework.analysis._evaluation.result import gini
from profiles import examples

FAMILIES = sorted(entries())
DIFFICULT = [
    "",
    " ",
    "low lower lowest",
    "Don't stop,  now .\n",
    "\u202eabc\u202c a\u0301\u0323b",
    "中文 和 日本語\u3000です",
    "<script>alert(1)</script> <0x41> ▁a \ufffd",
    "[CLS] </s> <|endoftext|> [UNK]",
    "naïve ½ ① ﬁ 🙂👩‍👩‍👧 " * 3,
    "x" * 300 + " \u00a0\u2003y",
]


def sums_of(tok: pw.Tokenizer, texts: list[str], **settings: Any) -> dict[str, Any]:
    sums = pw.evaluate(tok, texts, **settings).tokenizers[0].total.sums
    names = ("texts", "bytes", "characters", "words", "tokens", "whole_words", "changed_texts")
    counts = dict(zip(sums.ids.tolist(), sums.counts.tolist(), strict=True))
    by_tokens = {place: count for place, count in enumerate(sums.words_by_tokens.tolist()) if count}
    return {
        **{name: getattr(sums, name) for name in names},
        "counts": counts,
        "words_by_tokens": by_tokens,
    }


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_agrees_on_difficult_texts(name: str) -> None:
    tok = family(name).tokenizer
    for text in DIFFICULT:
        assert sums_of(tok, [text]) == naive_sums(tok, [text]), text
    assert sums_of(tok, DIFFICULT) == naive_sums(tok, DIFFICULT)


@examples(200)
@given(st.sampled_from(FAMILIES), strategies.corpora, st.sampled_from([0.5, 1, 2, 2.5, 3]))
def test_metrics_of_random_texts(name: str, texts: list[str], power: float) -> None:
    tok = family(name).tokenizer
    assert sums_of(tok, texts) == naive_sums(tok, texts)
    metrics = pw.evaluate(tok, texts, renyi_power=power).tokenizers[0].metrics
    naive = naive_metrics(tok, texts, power)
    # The probabilities of a model have their own tests.
    assert naive.keys() == metrics.keys() - {"log_likelihood", "model_bits_per_byte"}
    for metric, wanted in naive.items():
        found = metrics[metric]
        if wanted is None or found is None:
            assert found is wanted is None, metric
        else:
            assert math.isclose(found, wanted, rel_tol=1e-9, abs_tol=1e-12), metric


@examples(60)
@given(strategies.corpora, st.data())
def test_random_trained_tokenizers(texts: list[str], data: st.DataObject) -> None:
    trainer = data.draw(
        st.sampled_from(
            [
                pw.WordPieceTrainer(999, max_merges=9),
                pw.WordPieceTrainer(999, max_merges=20, criterion="frequency"),
                pw.BpeTrainer(max_merges=20),
                pw.UnigramTrainer(23),
            ]
        )
    )
    learned = ["ab aab ba abba", "un able unable", "the 中文 of é"]
    # The number of pieces of Unigram is limited by its texts.
    is_unigram = isinstance(trainer, pw.UnigramTrainer)
    tok = pw.train(learned if is_unigram else [*learned, *texts], trainer)
    assert sums_of(tok, texts) == naive_sums(tok, texts)
    halves = texts[: len(texts) // 2], texts[len(texts) // 2 :]
    whole = pw.evaluate(tok, {"one": halves[0], "two": halves[1]}).tokenizers[0]
    assert whole.metrics == pw.evaluate(tok, texts).tokenizers[0].metrics


def test_threads_batches_and_columns_give_one_result() -> None:
    import pyarrow as pa

    tok = family(FAMILIES[0]).tokenizer
    draw = random.Random(1)
    texts = ["".join(draw.choices("ab cé中\n ", k=draw.randrange(200))) for _ in range(9000)]
    wanted = pw.evaluate(tok, texts, threads=1).to_dict()
    assert pw.evaluate(tok, iter(texts)).to_dict() == wanted
    assert pw.evaluate(tok, texts, threads=7).to_dict() == wanted
    assert pw.evaluate(tok, pa.chunked_array([texts[:10], texts[10:]])).to_dict() == wanted
    assert sums_of(tok, texts[:1500]) == naive_sums(tok, texts[:1500])


def test_lengths_of_tokens_and_texts() -> None:
    tok = pw.Tokenizer.from_str("[UNK]\nlow\n##er\n中\n")
    sums = pw.evaluate(tok, ["low lower", "中", "", "x" * 50]).tokenizers[0].total.sums
    by_bytes = {place: count for place, count in enumerate(sums.tokens_by_bytes) if count}
    assert by_bytes == {2: 1, 3: 3, 32: 1}
    assert sums.texts_by_tokens[:4].tolist() == [1, 2, 1, 0]


def test_the_likelihood_is_that_of_the_language_model() -> None:
    texts = ["the cat sat", "a xylophone", "", "the the"]
    for trainer in (pw.WordPieceTrainer(60), pw.BpeTrainer(60)):
        tok = pw.train(["the cat sat on the mat"] * 9, trainer)
        metrics = pw.evaluate(tok, texts).tokenizers[0].metrics
        likelihood = sum(tok.lm.log_likelihood(text) for text in texts)
        assert metrics["log_likelihood"] == pytest.approx(likelihood)
        size = len("".join(texts).encode())
        assert metrics["model_bits_per_byte"] == pytest.approx(-likelihood / math.log(2) / size)
    tok = pw.train(["the cat sat on the mat"] * 9, pw.UnigramTrainer(18))
    score = sum(tok.lm.score(tok.encode(text, add_special_tokens=False)) for text in texts)
    found = pw.evaluate(tok, texts)
    assert found["log_likelihood"] == pytest.approx(score)
    given_ones = pw.train({"a": 3, "b": 1}, pw.WordPieceTrainer(7)).replace(
        segmentation="likeliest", probabilities={"a": 0.25, "b": 0.5}
    )
    wanted = math.log(0.25) + math.log(0.5) + math.log(FLOOR)
    assert pw.evaluate(given_ones, ["a b x"])["log_likelihood"] == pytest.approx(wanted)
    assert pw.evaluate(pw.Tokenizer.from_str("[UNK]\na\n"), ["a"])["log_likelihood"] is None


def test_dropout_is_off() -> None:
    tok = pw.train(["abababab abab"] * 20, pw.BpeTrainer(60))
    random_one = pw.Tokenizer(
        dataclasses.replace(tok.model, dropout=0.9), pre_tokenizer=tok.pre_tokenizer
    )
    assert pw.evaluate(random_one, ["abab abab"])["fertility"] == 1
    assert random_one.encode("abab abab") != random_one.encode("abab abab", sampling=None)


@examples(200)
@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=12).filter(any))
def test_gini_by_its_definition(values: list[int]) -> None:
    assert gini(values) == pytest.approx(naive_gini(values), rel=1e-12, abs=1e-15)
