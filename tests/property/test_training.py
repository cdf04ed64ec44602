"""The core trains as the reference does: every entry, every merge, every count."""

import re
from collections.abc import Mapping
from math import isclose
from typing import Any

import pytest
from hypothesis import example, given, settings

import impls
import strategies
from piecework import reference
from piecework.reference.table import tally
from piecework.reference.train import PRUNING_ROUNDS

CORE, REFERENCE = impls.Core(), impls.Reference()

# Two logarithms may differ in their last digits: steps this close are no difference.
CLOSE = 1e-12


def outcome(
    impl: impls.Impl, words: Mapping[str, int], trainer: dict[str, Any]
) -> impls.Trained | type:
    """Gives what training gives, or the kind of error it fails with."""
    try:
        return impl.train(words, trainer)
    except OverflowError:
        return OverflowError
    except ValueError:
        return ValueError


def hangs_on_a_digit(words: Mapping[str, int], trainer: dict[str, Any]) -> bool:
    """Says whether two best gains, or a gain and 0, come so close that either may be the best.

    Gains of equal counts are equal to the last digit everywhere; those of other counts may be or not.
    """
    training = reference.Training(words, reference.WordPieceTrainer(**trainer))
    rounds = PRUNING_ROUNDS if trainer.get("prune_unused") else 0
    while True:
        now = tally(training.runs, merges=True)
        gains = {counts_of(c.pair, now): c.value for c in training.candidates()}
        best, *others = sorted(gains.values(), reverse=True) or [1.0]
        if others and isclose(best, others[0], rel_tol=CLOSE):
            return True
        if abs(best) < CLOSE:
            return True
        if training.step() is None:
            rounds -= 1
            if rounds < 0 or not training.prune():
                return False


def counts_of(pair: Any, now: Any) -> tuple[Any, ...]:
    """The counts that a gain is computed from."""
    return now.pairs[pair], *sorted(now.symbols[symbol] for symbol in pair), pair[0] == pair[1]


def agree(one: impls.Trained, other: impls.Trained) -> bool:
    """Says whether two trainings are one, scores up to the last digits of a logarithm."""
    scores = [
        isclose(a["score"], b["score"], rel_tol=CLOSE, abs_tol=1e-9)
        for a, b in zip(one.history, other.history, strict=False)
    ]
    without = [[row | {"score": 0} for row in trained.history] for trained in (one, other)]
    return (
        all(scores)
        and without[0] == without[1]
        and one.vocab == other.vocab
        and one.counts == other.counts
    )


def check(words: Mapping[str, int], trainer: dict[str, Any]) -> None:
    found, wanted = outcome(CORE, words, trainer), outcome(REFERENCE, words, trainer)
    if isinstance(found, type) or isinstance(wanted, type):
        assert found == wanted
    elif trainer["criterion"] != "likelihood":
        assert found == wanted  # these scores are exact
    else:
        assert agree(found, wanted) or hangs_on_a_digit(words, trainer)


@given(strategies.tables, strategies.trainers())
@settings(max_examples=2000)
@example({"aaaa": 3, "aaa": 2}, {"vocab_size": 60, "criterion": "sum", "prune_unused": True})
@example({"a##b": 1, "ab": 1}, {"vocab_size": 60, "criterion": "pmi", "ties": "hf"})
def test_core_and_reference_train_alike(words: dict[str, int], trainer: dict[str, Any]) -> None:
    check(words, trainer)


@pytest.mark.fuzz
@given(strategies.tables, strategies.trainers())
def test_core_and_reference_train_alike_for_long(
    words: dict[str, int], trainer: dict[str, Any]
) -> None:
    check(words, trainer)


@given(strategies.tables, strategies.trainers())
@settings(max_examples=300)
def test_a_vocabulary_is_never_larger_than_asked(
    words: dict[str, int], trainer: dict[str, Any]
) -> None:
    trained = outcome(CORE, words, trainer)
    if not isinstance(trained, type):
        assert len(trained.vocab) <= int(trainer["vocab_size"])
        assert len(set(trained.vocab)) == len(trained.vocab) == len(trained.counts)


@given(strategies.tables, strategies.trainers())
@settings(max_examples=300)
def test_the_least_size_that_an_error_names_is_enough(
    words: dict[str, int], trainer: dict[str, Any]
) -> None:
    trainer = trainer | {"vocab_size": 1, "max_merges": 0}
    try:
        CORE.train(words, trainer)
    except ValueError as error:
        if "vocab_size" not in str(error):
            return
        least = max(int(number) for number in re.findall(r"\d+", str(error)))
        assert len(CORE.train(words, trainer | {"vocab_size": least}).vocab) == least
        if least > 1:
            with pytest.raises(ValueError, match="vocab_size"):
                CORE.train(words, trainer | {"vocab_size": least - 1})
