"""The cases of spec/cases/bpe_train.json in the reference."""

import json
from typing import Any

import pytest

from paths import CASES
from piecework.reference.learn.bpe_train import BpeTraining
from piecework.reference.learn.settings import BpeTrainer

Case = dict[str, Any]
TRAIN = json.loads((CASES / "bpe_train.json").read_text(encoding="utf-8"))["cases"]
ERRORS = {"value": ValueError, "overflow": OverflowError}


def name_of(case: Case) -> str:
    return str(case["name"])


def state_of(training: BpeTraining) -> Case:
    """Returns the current counts of symbols and pairs by name."""
    how = training.trainer.continuing_subword_prefix, training.trainer.end_of_word_suffix
    now = training.count()
    return {
        "symbols": {symbol.render(*how): n for symbol, n in now.symbols.items()},
        "pairs": {" ".join(s.render(*how) for s in pair): n for pair, n in now.pairs.items()},
    }


@pytest.mark.parametrize("case", TRAIN, ids=name_of)
def test_training_equals_case(case: Case) -> None:
    expected, words = case["expected"], dict(case["words"])
    if "error" in expected:
        with pytest.raises(ERRORS[expected["error"]]) as caught:
            BpeTraining(words, BpeTrainer(**case["settings"]))
        assert expected["contains"] in str(caught.value)
        return
    training = BpeTraining(words, BpeTrainer(**case["settings"]))
    assert training.vocabulary == expected.get("initial_vocab", training.vocabulary)
    for state in expected.get("states", []):
        now = state_of(training)
        assert now | state == now
        training.step()
    trained = training.finish()
    assert trained.vocabulary == expected.get("vocab", trained.vocabulary)
    assert trained.counts == expected.get("counts", trained.counts)
    rows = [merge._asdict() for merge in trained.history]
    for row, wanted in zip(rows, expected.get("history", rows), strict=True):
        assert row | wanted == row


def test_case_names_are_unique() -> None:
    assert len({name_of(case) for case in TRAIN}) == len(TRAIN)
