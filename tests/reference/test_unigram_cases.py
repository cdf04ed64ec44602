"""The cases of spec/cases/unigram_encode.json and unigram_train.json in the reference."""

import json
from typing import Any

import pytest

from paths import CASES
from piecework.reference.learn.settings import UnigramTrainer
from piecework.reference.learn.unigram_seeds import build_corpus, select_seed_pieces
from piecework.reference.learn.unigram_train import UnigramStep, train_unigram
from piecework.reference.numbers import floats
from reference_models import ReferenceTokenizer, unigram

Case = dict[str, Any]
ENCODE = json.loads((CASES / "unigram_encode.json").read_text(encoding="utf-8"))
TABLE = json.loads((CASES / "unigram_train.json").read_text(encoding="utf-8"))
TRAIN = TABLE["cases"]
ERRORS = {"value": ValueError, "overflow": OverflowError}
COLUMNS = ("ids", "tokens", "offsets", "word_ids")
CALL = ("specials", "seed", "number")
CHANCE = ("alpha", "nbest_size")
LISTS = ("nbest", "paths", "log_probability", *CHANCE)
KEYS = {"name", "source", "config", "text", "error", *CALL, *COLUMNS, *LISTS}


def name_of(case: Case) -> str:
    return str(case["name"])


def model_of(case: Case) -> Case:
    """Returns the model of a case, and its source of random numbers."""
    model: Case = ENCODE["models"][case["config"]["model"]]
    if "alpha" not in case:
        return model
    chance = {name: case[name] for name in CHANCE if name in case}
    ours = {**model.get("piecework", {}), **chance}
    return {**model, "type": "piecework.Unigram", "piecework": ours}


@pytest.mark.parametrize("case", ENCODE["cases"], ids=name_of)
def test_encoding_equals_case(case: Case) -> None:
    assert case.keys() <= KEYS
    if case.keys() & {"log_probability", "paths"}:
        check_lattice(case)
    if case.keys() & {"ids", "error"}:
        check_columns(case)


def check_lattice(case: Case) -> None:
    text, encoder = case["text"], unigram(model_of(case))
    if "log_probability" in case:
        assert encoder.marginal_log_likelihood(text) == case["log_probability"]
    if "paths" in case and text:
        found = encoder.nbest(text, case["nbest"])
        rows = [([p.entry or text[p.start : p.end] for p in row], score) for row, score in found]
        assert rows == [(path["tokens"], path["score"]) for path in case["paths"]]


def check_columns(case: Case) -> None:
    made = ReferenceTokenizer(case["config"] | {"model": model_of(case)})
    call = {name: case[name] for name in CALL if name in case}
    if "error" in case:
        with pytest.raises(ERRORS[case["error"]]):
            made.encode(case["text"], **call)
        return
    encoding = made.encode(case["text"], **call)
    spans = not case["config"].keys() & {"normalizer", "pre_tokenizer"}
    for name in COLUMNS if spans else ("ids", "tokens", "word_ids"):
        column = json.loads(json.dumps(getattr(encoding, name)))
        assert column == case.get(name, column), name


FUNCTIONS = {
    "exp": lambda x: float(floats.exp(x)),
    "ln": lambda x: floats.ln(floats.WideFloat.of(x)),
    "exp_digamma": lambda x: float(floats.exp_digamma(x)),
}


@pytest.mark.parametrize(("name", "x", "wanted"), TABLE["arithmetic"])
def test_arithmetic_equals_case(name: str, x: float, wanted: float) -> None:
    assert FUNCTIONS[name](x) == wanted


@pytest.mark.parametrize("case", TRAIN, ids=name_of)
def test_training_equals_case(case: Case) -> None:
    expected, words = case["expected"], dict(case["words"])
    trainer = UnigramTrainer(**case["settings"])
    if "error" in expected:
        with pytest.raises(ERRORS[expected["error"]]) as caught:
            train_unigram(words, trainer)
        assert expected["contains"] in str(caught.value)
        return
    assert select_seed_pieces(build_corpus(words, trainer), trainer) == dict(expected["seeds"])
    trained = train_unigram(words, trainer)
    assert [[*entry] for entry in trained.vocabulary] == expected["vocab"]
    kinds = ["step" if isinstance(row, UnigramStep) else "pruning" for row in trained.history]
    history = [{"kind": k} | r._asdict() for k, r in zip(kinds, trained.history, strict=True)]
    assert json.loads(json.dumps(history)) == expected["history"]


@pytest.mark.parametrize("cases", [ENCODE["cases"], TRAIN], ids=["encode", "train"])
def test_case_names_are_unique(cases: list[Case]) -> None:
    assert len({name_of(case) for case in cases}) == len(cases)
