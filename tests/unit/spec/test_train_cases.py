"""The cases of spec/cases/train.json in the core, the reference, and a saved tokenizer.json."""

import json
from math import fsum
from typing import Any

import pytest

import impls
import paths
import piecework as pw
from impls import Impl

pytestmark = pytest.mark.smoke

Case = dict[str, Any]
CASES: list[Case] = json.loads((paths.CASES / "train.json").read_text(encoding="utf-8"))["cases"]
KEYS = {"name", "source", "words", "texts", "pipeline", "settings", "expected"}
EXPECTED = {
    "initial_vocab",
    "vocab",
    "history",
    "tolerance",
    "counts",
    "log_likelihood",
    "error",
    "contains",
}
ERRORS = {"value": ValueError, "overflow": OverflowError}


@pytest.fixture(params=impls.EVERY_IMPL, ids=lambda impl: impl.name)
def impl(request: pytest.FixtureRequest) -> Impl:
    found: Impl = request.param
    return found


def name_of(case: Case) -> str:
    return str(case["name"])


def words_of(impl: Impl, case: Case) -> dict[str, int]:
    if "words" in case:
        return dict(case["words"])
    return impl.count(case["texts"], case["pipeline"])


def check_history(rows: list[Case], wanted: list[Case], tolerance: float) -> None:
    assert len(rows) == len(wanted)
    for row, want in zip(rows, wanted, strict=True):
        score = want.get("score", row["score"])
        assert abs(row["score"] - score) <= tolerance
        assert row | want | {"score": row["score"]} == row


def test_case_keys_are_known() -> None:
    assert len({name_of(case) for case in CASES}) == len(CASES)
    for case in CASES:
        assert case.keys() <= KEYS
        assert case["expected"].keys() <= EXPECTED


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_implementation_equals_case(impl: Impl, case: Case) -> None:
    expected, words = case["expected"], words_of(impl, case)
    if "error" in expected:
        with pytest.raises(ERRORS[expected["error"]]) as caught:
            impl.train(words, case["settings"])
        assert expected["contains"] in str(caught.value)
        return
    trained = impl.train(words, case["settings"])
    assert trained.vocab == expected.get("vocab", trained.vocab)
    assert trained.counts == expected.get("counts", trained.counts)
    tolerance = expected.get("tolerance", 0)
    check_history(trained.history, expected.get("history", trained.history), tolerance)
    if "initial_vocab" in expected:
        before = impl.train(words, case["settings"] | {"max_merges": 0})
        assert before.vocab == expected["initial_vocab"]
    if "log_likelihood" in expected:
        gain = expected["log_likelihood"]["after"] - expected["log_likelihood"]["before"]
        scores = [row["score"] for row in trained.history]
        assert fsum(scores) == pytest.approx(gain, abs=2 * tolerance)


@pytest.mark.parametrize("case", [c for c in CASES if "texts" in c], ids=name_of)
def test_training_from_texts_in_one_call_equals_case(case: Case) -> None:
    settings = impls.DEFAULTS | case["pipeline"]
    tokenizer = pw.train(
        case["texts"],
        pw.WordPieceTrainer(**case["settings"]),
        normalizer=impls.core_normalizer(settings),
        pre_tokenizer=impls.core_pre_tokenizer(settings),
    )
    assert list(tokenizer.vocab) == case["expected"].get("vocab", list(tokenizer.vocab))


def test_vocabulary_of_four_sentences_encodes_the_first() -> None:
    case = next(case for case in CASES if case["name"] == "four sentences")
    tokenizer = pw.train(
        case["texts"],
        pw.WordPieceTrainer(**case["settings"]),
        normalizer=pw.normalizers.BertNormalizer(lowercase=False),
    )
    tokens = "Th ##i ##s is th ##e Hugg ##i ##n ##g Fac ##e C ##o ##u ##r ##s ##e ."
    assert " ".join(tokenizer.tokenize(case["texts"][0])) == tokens
