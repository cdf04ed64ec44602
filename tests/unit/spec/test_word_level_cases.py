"""The cases of spec/cases/word_level_train.json in the core, the reference, and a saved tokenizer.json."""

import json
from typing import Any

import pytest

import paths
import piecework as pw
from piecework.reference.learn.settings import WordLevelTrainer
from piecework.reference.learn.word_level_train import train_word_level

pytestmark = pytest.mark.smoke

Case = dict[str, Any]
TABLE = (paths.CASES / "word_level_train.json").read_text(encoding="utf-8")
CASES: list[Case] = json.loads(TABLE)["cases"]


def by_core(words: dict[str, int], settings: Case) -> tuple[list[str], list[int]]:
    tok = pw.train(words, pw.WordLevelTrainer(**settings), pre_tokenizer=None)
    again = pw.Tokenizer.from_str(tok.to_str())
    assert again == tok
    assert again.training.trainer == tok.training.trainer
    counts = again.training.token_counts
    assert counts is not None
    return list(tok.vocab), list(counts.values())


def by_reference(words: dict[str, int], settings: Case) -> tuple[list[str], list[int]]:
    return tuple(train_word_level(words, WordLevelTrainer(**settings)))


@pytest.mark.filterwarnings("ignore:.*normalizer and pre-tokenizer change words")
@pytest.mark.parametrize("train", [by_core, by_reference])
@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_training_equals_case(case: Case, train: Any) -> None:
    expected, words, settings = case["expected"], dict(case["words"]), case["settings"]
    if train is by_core and settings.get("min_frequency") == 0:
        settings = settings | {"min_frequency": 1}  # the settings of the core begin at 1
    if "error" in expected:
        with pytest.raises(ValueError, match=expected["contains"]):
            train(words, settings)
        return
    assert train(words, settings) == (expected["vocab"], expected["token_counts"])


def test_the_decoder_joins_words() -> None:
    tok = pw.train(["to be or not to be"], pw.WordLevelTrainer(100))
    assert tok.decode(tok.encode_ids("to be not")) == "to be not"
    assert tok.encode("to see").tokens == ["to", "[UNK]"]
