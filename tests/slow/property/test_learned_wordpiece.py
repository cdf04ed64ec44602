"""WordPiece training: the core learns the reference's entries, merges and counts."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import example, given

import impls
import strategies
from profiles import examples

CORE, REFERENCE = impls.Core(), impls.Reference()


LIKELIHOOD = {"vocab_size": 60, "criterion": "likelihood"}


def outcome(
    impl: impls.Impl, words: Mapping[str, int], trainer: dict[str, Any]
) -> impls.Trained | type:
    """Returns the result of training, or the class of its error."""
    try:
        return impl.train(words, trainer)
    except OverflowError:
        return OverflowError
    except ValueError:
        return ValueError


def check_core_equals_reference(words: Mapping[str, int], trainer: dict[str, Any]) -> None:
    assert outcome(CORE, words, trainer) == outcome(REFERENCE, words, trainer)


@given(strategies.tables, strategies.trainers())
@examples(300)
@example({"ﬁ": 2, "\u2060": 1, "\u180e": 2, "hello": 5, "\x7f": 5}, LIKELIHOOD | {"ties": "first"})
@example({"aaaa": 3, "aaa": 2}, {"vocab_size": 60, "criterion": "sum", "prune_unused": True})
@example({"a##b": 1, "ab": 1}, {"vocab_size": 60, "criterion": "pmi", "ties": "hf"})
def test_core_trains_as_reference(words: dict[str, int], trainer: dict[str, Any]) -> None:
    check_core_equals_reference(words, trainer)


@given(strategies.tied_tables, strategies.tied_trainers)
@examples(300)
def test_core_breaks_ties_as_reference(words: dict[str, int], trainer: dict[str, Any]) -> None:
    check_core_equals_reference(words, trainer)


@pytest.mark.fuzz
@given(
    strategies.tables | strategies.tied_tables,
    strategies.trainers() | strategies.tied_trainers,
)
def test_core_trains_as_reference_fuzz(words: dict[str, int], trainer: dict[str, Any]) -> None:
    check_core_equals_reference(words, trainer)


@given(strategies.tables, strategies.trainers())
@examples(300)
def test_vocabulary_never_exceeds_vocab_size(
    words: dict[str, int], trainer: dict[str, Any]
) -> None:
    trained = outcome(CORE, words, trainer)
    if not isinstance(trained, type):
        assert len(trained.vocab) <= int(trainer["vocab_size"])
        assert len(set(trained.vocab)) == len(trained.vocab) == len(trained.counts)


@given(strategies.tables, strategies.trainers())
@examples(300)
def test_smallest_vocab_size_in_error_message_suffices(
    words: dict[str, int], trainer: dict[str, Any]
) -> None:
    trainer = trainer | {"vocab_size": 1, "max_merges": 0}
    try:
        CORE.train(words, trainer)
    except ValueError as error:
        if "vocab_size" not in str(error):
            return
        smallest = max(int(number) for number in re.findall(r"\d+", str(error)))
        assert len(CORE.train(words, trainer | {"vocab_size": smallest}).vocab) == smallest
        if smallest > 1:
            with pytest.raises(ValueError, match="vocab_size"):
                CORE.train(words, trainer | {"vocab_size": smallest - 1})
