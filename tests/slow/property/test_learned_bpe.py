"""BPE training: the core learns the reference's entries, merges and counts."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import example, given

import piecework as pw
import strategies
from piecework.reference.learn.bpe_train import train_bpe
from piecework.reference.learn.settings import BpeTrainer
from profiles import examples

# Training on characters without an unknown token raises a warning.
pytestmark = pytest.mark.filterwarnings("ignore::piecework.errors.PieceworkWarning")

Outcome = tuple[list[str], list[dict[str, Any]], list[int]]


def core(words: Mapping[str, int], trainer: dict[str, Any]) -> Outcome:
    tokenizer = pw.train(words, pw.BpeTrainer(**trainer), normalizer=None, pre_tokenizer=None)
    history = [
        {name: getattr(merge, name) for name in merge.__dataclass_fields__}
        for merge in tokenizer.history
    ]
    return list(tokenizer.vocab), history, list(tokenizer.training.token_counts.values())


def reference(words: Mapping[str, int], trainer: dict[str, Any]) -> Outcome:
    trained = train_bpe(words, BpeTrainer(**trainer))
    return trained.vocabulary, [merge._asdict() for merge in trained.history], trained.counts


def check_core_equals_reference(words: dict[str, int], trainer: dict[str, Any]) -> None:
    try:
        wanted = reference(words, trainer)
    except (ValueError, OverflowError):
        with pytest.raises((ValueError, OverflowError)):
            core(words, trainer)
    else:
        assert core(words, trainer) == wanted


@given(strategies.tables, strategies.bpe_trainers())
@examples(500)
@example({"aaaa": 3, "aaa": 2}, {"ties": "hf", "special_tokens": ["aa"]})
@example({"b": 1}, {"special_tokens": ["b"], "end_of_word_suffix": "b", "suffix_style": "separate"})
@example({"a</w>": 1, "a": 1, "ba": 2}, {"end_of_word_suffix": "</w>", "ties": "first"})
def test_core_learns_as_reference(words: dict[str, int], trainer: dict[str, Any]) -> None:
    check_core_equals_reference(words, trainer)


@pytest.mark.fuzz
@given(strategies.tables, strategies.bpe_trainers())
def test_core_learns_as_reference_fuzz(words: dict[str, int], trainer: dict[str, Any]) -> None:
    check_core_equals_reference(words, trainer)
