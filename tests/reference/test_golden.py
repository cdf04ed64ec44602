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
from piecework.reference.text import bert

Case = dict[str, Any]
ENCODE = json.loads((CASES / "encode.json").read_text(encoding="utf-8"))
TRAIN = json.loads((CASES / "train.json").read_text(encoding="utf-8"))["cases"]
PRE_TOKENIZERS = {
    "bert": bert.split_bert,
    "whitespace": bert.split_whitespace,
    None: bert.whole_text,
}
FLAGS = ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase")
ERRORS = {"value": ValueError, "overflow": OverflowError}


def normalizer_of(settings: Case) -> BertNormalizer | None:
    if settings["normalizer"] is None:
        return None
    return BertNormalizer(**{flag: settings[flag] for flag in FLAGS})


def name_of(case: Case) -> str:
    return str(case["name"])


# Encoding


def tokenizer_of(case: Case) -> tuple[Tokenizer, str | list[str]]:
    settings = ENCODE["defaults"] | case["settings"]
    tokenizer = Tokenizer(
        ENCODE["vocabs"][case["vocab"]],
        normalizer=normalizer_of(settings),
        pre_tokenizer=PRE_TOKENIZERS[settings["pre_tokenizer"]],
        unknown=settings["unknown"],
        prefix=settings["prefix"],
        max_input_chars_per_word=settings["max_input_chars_per_word"],
    )
    return tokenizer, settings["specials"]


def text_of(case: Case) -> str:
    text = case["text"]
    return text if isinstance(text, str) else text["repeat"][0] * text["repeat"][1]


# `unit/spec/test_encode_cases.py` compares tokens, in both implementations.
@pytest.mark.parametrize("case", [case for case in ENCODE["cases"] if "error" in case], ids=name_of)
def test_encoding_error_has_its_class(case: Case) -> None:
    tokenizer, specials = tokenizer_of(case)
    with pytest.raises(ERRORS[case["error"]]):
        tokenizer.encode(text_of(case), specials)


def test_case_names_are_unique() -> None:
    for cases in (ENCODE["cases"], TRAIN):
        assert len({case["name"] for case in cases}) == len(cases)


# WordPieceTraining


def words_of(case: Case) -> dict[str, int]:
    if "words" in case:
        return dict(case["words"])
    settings = ENCODE["defaults"] | case["pipeline"]
    splitter = PRE_TOKENIZERS[settings["pre_tokenizer"]]
    normalize = normalizer_of(settings) or bert.align
    return sort_counts(count_words(case["texts"], normalizer=normalize, pre_tokenizer=splitter))


def corpus_log_likelihood(training: WordPieceTraining) -> float:
    counts: dict[Symbol, int] = {}
    for run in training.runs:
        for symbol in run.symbols:
            counts[symbol] = counts.get(symbol, 0) + run.weight
    return log_likelihood(counts.values())


@pytest.mark.parametrize("case", TRAIN, ids=name_of)
def test_training_equals_case(case: Case) -> None:
    expected = case["expected"]
    if "error" in expected:
        with pytest.raises(ERRORS[expected["error"]]) as caught:
            train(words_of(case), WordPieceTrainer(**case["settings"]))
        assert expected["contains"] in str(caught.value)
        return
    training = WordPieceTraining(words_of(case), WordPieceTrainer(**case["settings"]))
    assert training.vocabulary == expected.get("initial_vocab", training.vocabulary)
    before = corpus_log_likelihood(training)
    trained = training.finish()
    assert trained.vocabulary == expected.get("vocab", trained.vocabulary)
    assert trained.counts == expected.get("counts", trained.counts)
    tolerance = expected.get("tolerance", 0)
    if "history" in expected:
        rows = [merge._asdict() for merge in trained.history]
        assert len(rows) == len(expected["history"])
        for row, wanted in zip(rows, expected["history"], strict=True):
            score = wanted.get("score", row["score"])
            assert abs(row["score"] - score) <= tolerance
            assert row | wanted | {"score": row["score"]} == row
    if "log_likelihood" in expected:
        wanted = expected["log_likelihood"]
        after = corpus_log_likelihood(training)
        assert before == pytest.approx(wanted["before"], abs=tolerance)
        assert after == pytest.approx(wanted["after"], abs=tolerance)
        gains = fsum(merge.score for merge in trained.history)
        assert gains == pytest.approx(after - before, abs=1e-9)


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
