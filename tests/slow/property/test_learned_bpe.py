"""BPE training: the core learns the reference's entries, merges and counts."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import piecework as pw
import strategies
from piecework.reference.learn.bpe_train import train_bpe
from piecework.reference.learn.settings import BpeTrainer
from profiles import examples

# Training on characters without an unknown token raises a warning.
pytestmark = pytest.mark.filterwarnings("ignore::piecework.errors.PieceworkWarning")

Outcome = tuple[list[str], list[dict[str, Any]], list[int]]


@st.composite
def trainers(draw: st.DrawFn) -> dict[str, Any]:
    """Draws trainer settings, most of them at their defaults."""
    choices: dict[str, st.SearchStrategy[Any]] = {
        "vocab_size": st.sampled_from([6, 10, 20, 40, 400]),
        "max_merges": st.integers(0, 12),
        "min_frequency": st.integers(1, 4),
        "min_word_frequency": st.integers(1, 3),
        "stop_at_pair_frequency": st.integers(0, 4),
        "ties": st.sampled_from(["lex", "first", "hf", "sentencepiece"]),
        "special_tokens": st.sampled_from([["<s>"], ["a"], ["ab", "b", "</w>"], ["aa", "ba"]]),
        "special_tokens_first": st.booleans(),
        "unk_token": st.sampled_from([None, "<s>", "?", "a", "ab", "aab"]),
        "user_defined_symbols": st.sampled_from([["ab"], ["b", "aab"], ["abc", "é"]]),
        "initial_alphabet": st.sampled_from([["x"], ["a", "#", "a"], [">"]]),
        "limit_alphabet": st.integers(1, 5),
        "continuing_subword_prefix": st.sampled_from(["##", "#", "a"]),
        "end_of_word_suffix": st.sampled_from(["</w>", "b", "#"]),
        "suffix_style": st.sampled_from(["attached", "separate"]),
        "max_token_length": st.integers(1, 5),
    }
    return {name: draw(choice) for name, choice in choices.items() if draw(st.integers(0, 3)) == 0}


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


@given(strategies.tables, trainers())
@examples(500)
@example({"aaaa": 3, "aaa": 2}, {"ties": "hf", "special_tokens": ["aa"]})
@example({"b": 1}, {"special_tokens": ["b"], "end_of_word_suffix": "b", "suffix_style": "separate"})
@example({"a</w>": 1, "a": 1, "ba": 2}, {"end_of_word_suffix": "</w>", "ties": "first"})
def test_core_learns_as_reference(words: dict[str, int], trainer: dict[str, Any]) -> None:
    check_core_equals_reference(words, trainer)


@pytest.mark.fuzz
@given(strategies.tables, trainers())
def test_core_learns_as_reference_fuzz(words: dict[str, int], trainer: dict[str, Any]) -> None:
    check_core_equals_reference(words, trainer)
