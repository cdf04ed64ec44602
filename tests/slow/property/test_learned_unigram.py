"""Unigram training: the core learns the reference's entries, scores and steps, bit for bit."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from hypothesis import example, given

import piecework as pw
import strategies
from piecework import models
from piecework.reference.learn.settings import UnigramTrainer
from piecework.reference.learn.unigram_train import UnigramStep, train_unigram
from profiles import examples

Words = Mapping[str, int]
Lines = Callable[[str], Iterator[str]]
Outcome = tuple[list[tuple[str, float]], list[tuple[int, float | None, list[str]]]]


def core(words: Words, trainer: dict[str, Any], threads: int | None = 1) -> Outcome:
    settings = pw.UnigramTrainer(**trainer)
    tok = pw.train(words, settings, normalizer=None, pre_tokenizer=None, threads=threads)
    assert isinstance(tok.model, models.Unigram)
    steps = [
        (step.pieces, step.log_likelihood, list(step.removed or ())) for step in tok.training.steps
    ]
    return list(tok.model.vocab), steps


def reference(words: Words, trainer: dict[str, Any]) -> Outcome:
    trained = train_unigram(words, UnigramTrainer(**trainer))
    steps = [
        (row.pieces, row.log_likelihood, list(row.dropped))
        if isinstance(row, UnigramStep)
        else (row.pieces, None, list(row.removed))
        for row in trained.history
    ]
    return trained.vocabulary, steps


def check_core_equals_reference(words: Words, trainer: dict[str, Any]) -> None:
    try:
        wanted = reference(words, trainer)
    except (ValueError, OverflowError) as error:
        with pytest.raises(OverflowError if isinstance(error, OverflowError) else ValueError):
            core(words, trainer)
    else:
        assert core(words, trainer) == wanted


@given(strategies.unigram_tables, strategies.unigram_trainers())
@examples(400)
@example({"ab" * 40: 3, "b" * 90: 2}, {"vocab_size": 9, "max_piece_length": 60})
@example({"a" * 700: 1, "b": 2**60}, {"vocab_size": 6, "character_coverage": 1.0})
@example({"abc" * 900 + "ca" * 900: 1, "b": 2**50}, {"vocab_size": 9, "max_piece_length": 3})
def test_core_learns_as_reference(words: Words, trainer: dict[str, Any]) -> None:
    check_core_equals_reference(words, trainer)


@pytest.mark.fuzz
@given(strategies.unigram_tables, strategies.unigram_trainers())
def test_core_learns_as_reference_fuzz(words: Words, trainer: dict[str, Any]) -> None:
    check_core_equals_reference(words, trainer)


@pytest.mark.parametrize(
    ("names", "lines", "trainer"),
    [
        (["en/botchan.txt"], 120, {"vocab_size": 300}),
        (["multi/ja-docs.txt", "code/go-std.txt"], 40, {"vocab_size": 400, "em_steps": 2}),
        (["multi/th-wisesight.txt", "multi/hi-docs.txt"], 30, {"vocab_size": 400}),
        (["multi/ko-nsmc.txt"], 150, {"vocab_size": 900, "split_by_unicode_script": False}),
    ],
)
@pytest.mark.parametrize("is_split", [True, False])
def test_core_learns_as_reference_from_corpora(
    names: list[str], lines: int, trainer: dict[str, Any], is_split: bool, corpus_lines: Lines
) -> None:
    taken = [line for name in names for line in itertools.islice(corpus_lines(name), lines)]
    texts = (line.split() if is_split else [line.replace(" ", "▁")] for line in taken)
    words = Counter(f"▁{text}" for line in texts for text in line)
    trainer = trainer | {"split_by_whitespace": is_split}
    assert core(words, trainer) == reference(words, trainer)


SYLLABLES = ["ka", "lo", "mi", "ren", "sta", "tu", "e", "中", "▁a"]
many = {
    "▁" + "".join(SYLLABLES[number // power % 9] for power in (1, 9, 81)): 1 + number % 17
    for number in range(700)
}


def test_model_does_not_depend_on_threads() -> None:
    long = {word * 300: 1 for word in list(many)[:60]}
    alone = core(many | long, {"vocab_size": 90}, threads=1)
    assert core(many | long, {"vocab_size": 90}, threads=5) == alone
    assert core(many | long, {"vocab_size": 90}, threads=None) == alone
