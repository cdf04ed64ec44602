"""Unigram training in the reference: the rules of spec/unigram.md on small tables."""

import random
from collections import Counter
from itertools import pairwise
from math import isclose
from typing import Any

import pytest

from piecework.reference.learn.settings import UnigramTrainer
from piecework.reference.learn.unigram_seeds import (
    build_corpus,
    is_allowed,
    select_seed_pieces,
    split_at_symbols,
)
from piecework.reference.learn.unigram_train import (
    UnigramPruning,
    UnigramStep,
    UnigramTraining,
    train_unigram,
)
from piecework.reference.model import lattice
from piecework.reference.model.unigram import UnigramEncoder, UnigramSettings
from piecework.reference.numbers import floats
from piecework.reference.numbers.floats import UNIT, WideFloat, exp, exp_digamma, ln

HUGS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
CHANCE = random.Random(3)
SYLLABLES = ["ka", "lo", "mi", "ren", "sta", "tu", "e"]
WORDS = Counter(
    "▁" + "".join(CHANCE.choices(SYLLABLES, k=CHANCE.randint(1, 4))) for _ in range(150)
)


# Arithmetic


@pytest.mark.parametrize(
    ("x", "digits", "exponent"),
    [
        (1.0, "0x1.5bf0a8b14576ap-1", 2),
        (-0.3, "0x1.7b4c869c37c05p-1", 0),
        (-700.5, "0x1.4ff475c68ca02p-1", -1010),
        (1e-9, "0x1.000000044b830p-1", 1),
    ],
)
def test_exp_equals_pinned_values(x: float, digits: str, exponent: int) -> None:
    assert exp(x) == WideFloat(float.fromhex(digits), exponent)


@pytest.mark.parametrize(
    ("digits", "exponent", "wanted"),
    [
        ("0x1.0000000000000p-1", 1, "0x0.0p+0"),
        ("0x1.999999999999ap-1", -2, "-0x1.9c041f7ed8d33p+0"),
    ],
)
def test_ln_equals_pinned_values(digits: str, exponent: int, wanted: str) -> None:
    assert ln(WideFloat(float.fromhex(digits), exponent)).hex() == wanted


def test_wide_arithmetic_equals_float_arithmetic() -> None:
    chance = random.Random(1)
    for _ in range(2000):
        a, b = (chance.uniform(0, 1) * 10 ** chance.randint(-90, 90) for _ in range(2))
        assert float(WideFloat.of(a) * WideFloat.of(b)) == a * b
        assert float(WideFloat.of(a) / WideFloat.of(b)) == a / b
        assert float(WideFloat.of(a) + WideFloat.of(b)) == a + b
        assert (WideFloat.of(a) < WideFloat.of(b)) == (a < b)


def test_exp_digamma_is_monotone_and_has_known_values() -> None:
    values = [float(exp_digamma(0.5 + n / 16)) for n in range(400)]
    assert all(first < second for first, second in pairwise(values))
    euler = 0.5772156649015329
    assert isclose(float(exp_digamma(1.0)), float(exp(-euler)), rel_tol=1e-9)
    assert isclose(float(exp_digamma(1e6)), 1e6 - 0.5, rel_tol=1e-12)


# Training data


@pytest.mark.parametrize(
    ("settings", "words", "wanted"),
    [
        ({"min_word_frequency": 2}, {"ab": 2, "c": 1}, {"ab": 2}),
        ({"user_defined_symbols": ["bc", "bcd"]}, {"abcde": 1, "bc": 9}, {"a": 1, "e": 1}),
        ({"character_coverage": 0.9}, {"aaaab": 9, "abca": 2}, {"aaaab": 9, "ab": 2, "a": 2}),
        ({"character_coverage": 0.5, "required_chars": "c"}, {"abc": 1}, {"a": 1, "c": 1}),
        ({"special_tokens": ["b"], "unk_token": None}, {"abba": 1, "a": 1}, {"a": 3}),
        ({}, {"▁a▁▁b": 2, "▁a": 1}, {"▁a": 3, "▁": 2, "▁b": 2}),
        ({"allow_whitespace_only_pieces": True}, {"▁a▁▁b": 2}, {"▁a": 2, "▁▁b": 2}),
        ({"split_by_whitespace": False}, {"▁a▁b": 2}, {"▁a▁b": 2}),
        ({"treat_whitespace_as_suffix": True}, {"a▁▁b▁": 2}, {"a▁": 2, "▁": 2, "b▁": 2}),
        (
            {"treat_whitespace_as_suffix": True, "allow_whitespace_only_pieces": True},
            {"a▁▁b▁": 2},
            {"a▁▁": 2, "b▁": 2},
        ),
    ],
    ids="rare symbols coverage required special spaces runs no-spaces suffix suffix-runs".split(),
)
def test_words_are_cut_into_segments(
    settings: dict[str, Any], words: dict[str, int], wanted: dict[str, int]
) -> None:
    assert build_corpus(words, UnigramTrainer(99, **settings)).segments == wanted


def test_symbols_are_removed_leftmost_longest() -> None:
    assert list(split_at_symbols("xababcx", ["ab", "abc", "ba"])) == ["x", "x"]
    assert list(split_at_symbols("ababa", ["aba"])) == ["ba"]


@pytest.mark.parametrize(
    ("text", "settings", "allowed"),
    [
        ("a" * 16, {}, True),
        ("a" * 17, {}, False),
        ("▁the", {}, True),
        ("the▁", {}, False),
        ("a▁b", {}, False),
        ("a▁b", {"split_by_whitespace": False}, True),
        ("a▁", {"split_by_whitespace": False}, False),
        ("a▁", {"treat_whitespace_as_suffix": True}, True),
        ("▁a", {"treat_whitespace_as_suffix": True}, False),
        ("a▁b", {"treat_whitespace_as_suffix": True, "split_by_whitespace": False}, True),
        ("▁a", {"treat_whitespace_as_suffix": True, "split_by_whitespace": False}, False),
        ("▁▁", {}, False),
        ("▁▁", {"allow_whitespace_only_pieces": True}, True),
        ("aб", {}, False),
        ("aб", {"split_by_unicode_script": False}, True),
        ("カナ漢字ー", {}, True),
        ("e\u0301", {}, True),
        ("a1", {}, False),
        ("a1", {"split_by_number": False}, True),
        ("a１", {"split_by_number": False}, True),
        ("1.", {}, True),
        ("12", {"split_digits": True}, False),
        ("a.", {"split_by_number": False}, False),
    ],
)
def test_allowed_pieces(text: str, settings: dict[str, Any], allowed: bool) -> None:
    assert is_allowed(text, UnigramTrainer(99, **settings)) == allowed


def test_seed_pieces_are_weighted_by_counts() -> None:
    trainer = UnigramTrainer(99)
    assert select_seed_pieces(build_corpus(HUGS, trainer), trainer) == {
        "u": 36,
        "g": 20,
        "p": 17,
        "n": 16,
        "h": 15,
        "s": 5,
        "b": 4,
        "hug": 45,
        "ug": 40,
        "pun": 36,
        "pu": 34,
        "un": 32,
        "hugs": 20,
        "pug": 15,
        "bun": 12,
    }


def test_word_of_a_single_table_row_is_a_seed_piece() -> None:
    trainer = UnigramTrainer(99)
    seeds = select_seed_pieces(build_corpus({"▁hello": 7, "▁xyz": 1}, trainer), trainer)
    assert [seed for seed in seeds if len(seed) > 1] == ["▁hello"]


def test_long_word_has_seed_pieces_of_maximal_length() -> None:
    trainer = UnigramTrainer(99, max_piece_length=3)
    seeds = select_seed_pieces(build_corpus({"abcde": 2}, trainer), trainer)
    assert [seed for seed in seeds if len(seed) > 1] == ["abc", "bcd", "cde"]


def test_equal_seed_values_are_ordered_by_bytes() -> None:
    trainer = UnigramTrainer(99, seed_size=2)
    seeds = select_seed_pieces(build_corpus({"zz": 5, "éé": 5, "aa": 5}, trainer), trainer)
    assert list(seeds)[-2:] == ["aa", "zz"]


def test_special_tokens_are_no_seed_pieces() -> None:
    trainer = UnigramTrainer(99, special_tokens=["<unk>", "hug"])
    assert build_corpus({"hug": 5, "hugs": 2}, trainer).segments == {"s": 2}
    uncut = build_corpus({"hug": 5}, trainer, cut_at=())
    assert "hug" not in select_seed_pieces(uncut, trainer)


# The steps


def test_worked_example_of_the_specification() -> None:
    trained = train_unigram(HUGS, UnigramTrainer(13))
    assert [
        (piece, round(score, 4)) for piece, score in trained.vocabulary if score
    ] == [
        ("hug", -1.2532), ("pun", -1.4765), ("u", -2.3496), ("g", -2.3506), ("p", -2.3506),
        ("s", -2.3515), ("bun", -2.5748), ("b", -4.6541), ("h", -4.6541), ("n", -4.6541),
    ]  # fmt: skip
    first, *_ = trained.history
    assert isinstance(first, UnigramStep)
    assert round(first.log_likelihood, 4) == -88.1444
    prunings = [row for row in trained.history if isinstance(row, UnigramPruning)]
    assert prunings == [
        UnigramPruning(15, ("un", "pu", "ug", "pug")),
        UnigramPruning(11, ("hugs",)),
    ]
    encode = UnigramEncoder(dict(trained.vocabulary), UnigramSettings())
    assert [([p.entry for p in row], round(s, 4)) for row, s in encode.nbest("hugs", 9)] == [
        (["hug", "s"], -3.6048),
        (["h", "u", "g", "s"], -11.706),
    ]


def test_training_does_not_depend_on_word_order() -> None:
    words = list(WORDS.items())
    random.Random(2).shuffle(words)
    trainer = UnigramTrainer(60)
    assert train_unigram(dict(words), trainer) == train_unigram(WORDS, trainer)


def test_expected_counts_cover_the_words() -> None:
    training = UnigramTraining(WORDS, UnigramTrainer(60))
    for _ in range(3):
        training.step()
        length = sum(n * len(piece) for piece, n in training._expected.items())
        places = sum(len(word) * count for word, count in WORDS.items())
        assert isclose(length / UNIT, places, rel_tol=1e-6)


def test_plain_steps_do_not_lower_the_log_likelihood() -> None:
    training = UnigramTraining(WORDS, UnigramTrainer(60))
    values = [training.step(without_prior=True).log_likelihood for _ in range(8)]
    assert all(second >= first - 0.5 for first, second in pairwise(values))
    assert isclose(sum(training.pieces.values()), 1, rel_tol=1e-12)


def test_long_word_does_not_underflow() -> None:
    training = UnigramTraining({"abcdefghij" * 500: 2}, UnigramTrainer(14, max_piece_length=2))
    assert -1e6 < training.step().log_likelihood < -1e3
    assert len(training.finish().vocabulary) == 14


def test_every_possible_vocab_size_is_reached() -> None:
    largest = 3 + len(UnigramTraining(WORDS, UnigramTrainer(40)).pieces)
    least = 3 + len(build_corpus(WORDS, UnigramTrainer(40)).alphabet)
    for size in range(least, largest + 1, 5):
        trained = train_unigram(WORDS, UnigramTrainer(size))
        assert len(dict(trained.vocabulary)) == size
    for size, named in ((least - 1, least), (largest + 1, largest)):
        with pytest.raises(ValueError, match=rf"\b{named}\b"):
            UnigramTraining(WORDS, UnigramTrainer(size))


def test_history_lists_removed_pieces() -> None:
    training = UnigramTraining(WORDS, UnigramTrainer(50))
    pieces = set(training.pieces)
    trained = training.finish()
    for row in trained.history:
        assert row.pieces == len(pieces)
        pieces -= set(row.dropped if isinstance(row, UnigramStep) else row.removed)
    assert pieces == {entry for entry, _ in trained.vocabulary[3:]}


def test_order_of_entries() -> None:
    settings: dict[str, Any] = {
        "byte_fallback": True,
        "user_defined_symbols": ["<mask>"],
        "special_tokens_first": False,
    }
    vocabulary = train_unigram(WORDS, UnigramTrainer(310, **settings)).vocabulary
    names = [entry for entry, _ in vocabulary]
    assert names[:2] + names[256:257] == ["<mask>", "<0x00>", "<0xFF>"]
    assert names[-3:] == ["<unk>", "<s>", "</s>"]
    learned = vocabulary[257:-3]
    assert learned == sorted(learned, key=lambda row: (-row[1], row[0].encode()))


@pytest.mark.parametrize(
    ("words", "settings", "error", "message"),
    [
        ({}, {}, ValueError, "nothing to learn"),
        ({"a": 1}, {"min_word_frequency": 2}, ValueError, "nothing to learn"),
        ({"ab": 2**63}, {}, OverflowError, "64 bits"),
        ({"a": 1}, {"shrinking_factor": 1.0}, ValueError, "shrinking_factor"),
        ({"a": 1}, {"character_coverage": 2}, ValueError, "character_coverage"),
        ({"a": 1}, {"em_steps": 0}, ValueError, "em_steps"),
        ({"a": 1}, {"unk_token": "?"}, ValueError, "unk_token"),
        ({"a": 1}, {"user_defined_symbols": ["<s>"]}, ValueError, "twice"),
        ({"a": 1}, {"required_chars": ["ab"]}, ValueError, "required_chars"),
    ],
)
def test_impossible_trainings_raise(
    words: dict[str, int], settings: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        UnigramTraining(words, UnigramTrainer(9, **settings))


def test_floats_are_rounded_to_units() -> None:
    assert [floats.to_units(x) for x in (0.0, 0.4 / UNIT, 0.6 / UNIT, 2.0**40)] == [0, 0, 1, 2**72]


def test_float_and_wide_expected_counts_agree() -> None:
    training = UnigramTraining(WORDS, UnigramTrainer(60))
    pieces = dict(training.pieces)
    training.step()
    for text, count in [("▁karen", 3), ("▁lomistatu", 1), ("▁e", 10**15)]:
        edges = list(lattice.find_edges(text, pieces, 16))
        sums = [1.0] + [0.0] * len(text)
        for edge in edges:
            sums[edge.end] += sums[edge.start] * pieces[edge.entry]
        counts = [0.0] * len(text) + [float(count)]
        weights = [WideFloat.of(pieces[edge.entry]) for edge in edges]
        wide = lattice.forward_sums(len(text), edges, weights)
        assert [float(each) for each in wide] == sums
        for edge, share in lattice.expected_counts(
            edges, weights, wide, WideFloat.of(float(count))
        ):
            own = sums[edge.start] * pieces[edge.entry] * (counts[edge.end] / sums[edge.end])
            counts[edge.start] += own
            assert float(share) == own
