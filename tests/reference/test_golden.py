"""The reference against the golden values of the notes and of spec/cases."""

import json
import random
from math import fsum
from typing import Any

import pytest

from paths import CASES
from piecework.reference import (
    BertNormalizer,
    Symbol,
    Tokenizer,
    WordPieceTrainer,
    WordPieceTraining,
    count_words,
    log_likelihood,
    merge_counts,
    sort_counts,
    train,
)
from piecework.reference.__main__ import SENTENCES, walk

Case = dict[str, Any]
TRAIN = json.loads((CASES / "train.json").read_text(encoding="utf-8"))["cases"]


# Training; `unit/spec` compares encodings, vocabularies, histories and counts with the cases, in both implementations


def corpus_log_likelihood(training: WordPieceTraining) -> float:
    counts: dict[Symbol, int] = {}
    for run in training.runs:
        for symbol in run.symbols:
            counts[symbol] = counts.get(symbol, 0) + run.weight
    return log_likelihood(counts.values())


@pytest.mark.parametrize(
    "case",
    [case for case in TRAIN if "log_likelihood" in case["expected"]],
    ids=lambda case: str(case["name"]),
)
def test_log_likelihood_of_training_equals_case(case: Case) -> None:
    training = WordPieceTraining(dict(case["words"]), WordPieceTrainer(**case["settings"]))
    wanted, tolerance = case["expected"]["log_likelihood"], case["expected"]["tolerance"]
    assert corpus_log_likelihood(training) == pytest.approx(wanted["before"], abs=tolerance)
    trained = training.finish()
    assert corpus_log_likelihood(training) == pytest.approx(wanted["after"], abs=tolerance)
    gains = fsum(merge.score for merge in trained.history)
    assert gains == pytest.approx(wanted["after"] - wanted["before"], abs=2 * tolerance)


# Properties that tables do not cover


FOUR_SENTENCES = next(case for case in TRAIN if case["name"] == "four sentences")


def test_vocabulary_of_four_sentences_encodes_the_first() -> None:
    tokenizer = Tokenizer(
        FOUR_SENTENCES["expected"]["vocab"], normalizer=BertNormalizer(lowercase=False)
    )
    tokens = " ".join(token.text for token in tokenizer.encode(SENTENCES[0]))
    assert tokens == "Th ##i ##s is th ##e Hugg ##i ##n ##g Fac ##e C ##o ##u ##r ##s ##e ."


def test_walk_through_prints_every_merge() -> None:
    assert list(SENTENCES) == FOUR_SENTENCES["texts"]
    steps = [line.split() for line in walk() if line[:4].strip().isdigit()]
    assert [line[1:4] for line in steps] == [
        [row["left"], row["right"], row["token"]] for row in FOUR_SENTENCES["expected"]["history"]
    ]


@pytest.mark.parametrize("prefix", ["##", ""])
def test_closed_form_equals_the_gain(prefix: str) -> None:
    rng = random.Random(11)
    for _ in range(100):
        words = {"".join(rng.choices("ab", k=rng.randrange(1, 9))): rng.randrange(1, 50)
                 for _ in range(rng.randrange(1, 9))}  # fmt: skip
        options = WordPieceTrainer(200, special_tokens=(), continuing_subword_prefix=prefix)
        training = WordPieceTraining(words, options)
        before = corpus_log_likelihood(training)
        while merge := training.step():
            after = corpus_log_likelihood(training)
            assert merge.score == pytest.approx(after - before, abs=1e-9)
            before = after


def test_criterion_may_be_a_function() -> None:
    words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    named = train(words, WordPieceTrainer(30, criterion="frequency"))
    assert train(words, WordPieceTrainer(30, criterion=lambda n, a, b, total: n)) == named
    least = train(words, WordPieceTrainer(30, criterion=lambda n, a, b, total: -n, max_merges=1))
    assert least.history[0].token == "bu"


def test_counting_is_associative_and_commutative() -> None:
    texts = [*SENTENCES, "Tokens tokens", "is this the end?"]
    whole = count_words(texts)
    parts = [count_words([text], first_document=i) for i, text in enumerate(texts)]
    backwards = merge_counts(parts[-1], merge_counts(parts[3], parts[2]))
    backwards = merge_counts(merge_counts(parts[4], backwards), merge_counts(parts[1], parts[0]))
    assert backwards == whole
    assert list(sort_counts(backwards).items()) == list(sort_counts(whole).items())


def test_lone_surrogates_raise() -> None:
    with pytest.raises(UnicodeEncodeError):
        Tokenizer(["[UNK]"]).encode("a\ud800")
    with pytest.raises(UnicodeEncodeError):
        count_words(["a\ud800"])


def test_log_likelihood_is_finite_or_raises() -> None:
    trained = train({"hug": 10, "pun": 2}, WordPieceTrainer(30))
    tokenizer = Tokenizer(trained.vocabulary, counts=trained.counts)
    expected = -0.1823 - 4 * 36.0437  # ln 10/12, and four times the smallest log-probability
    assert tokenizer.log_likelihood("hug ??? [MASK]") == pytest.approx(expected, abs=1e-3)
    with pytest.raises(ValueError, match="no token counts"):
        Tokenizer(trained.vocabulary).log_likelihood("hug")
