"""The cases of spec/cases/extend.json in the core and the reference."""

import json
import warnings
from typing import Any

import pytest

import paths
import piecework as pw
from piecework import _core
from piecework.errors import PieceworkWarning
from piecework.reference.learn.extension import ExtensionSettings, extend_bpe, extend_wordpiece
from piecework.reference.learn.unigram_extension import UnigramBase, extend_unigram
from piecework.reference.model.wordpiece import LongestMatchEncoder
from reference_models import bpe_encoder, wordpiece

pytestmark = pytest.mark.smoke

Case = dict[str, Any]
TABLE = json.loads((paths.CASES / "extend.json").read_text(encoding="utf-8"))
COLUMNS = ("left", "right", "token", "score", "pair_count", "left_count", "right_count", "ties")
PARTS = ("truncation", "padding", "normalizer", "pre_tokenizer", "post_processor", "decoder")


def by_core(model: Case, words: dict[str, int], settings: Case) -> Case:
    config = {"version": "1.0", "added_tokens": [], "model": model} | dict.fromkeys(PARTS)
    tok = pw.Tokenizer.from_str(json.dumps(config))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PieceworkWarning)  # fewer new tokens than wanted
        change = pw.extend(tok, words, **settings)
    given = ExtensionSettings(**settings)
    tokens, scores, history = _core.extend(
        tok._core,
        pw.WordCounts(words)._core,
        (given.criterion, given.new_tokens, given.min_frequency, given.max_token_length),
        None,
        lambda *_: None,
        None,
    )
    assert list(change.added) == tokens
    first = len(tok)
    assert [change.tokenizer.token_to_id(token) for token in tokens] == [
        *range(first, first + len(tokens))
    ]
    return {"tokens": tokens, "scores": scores, "history": history}


def by_reference(model: Case, words: dict[str, int], settings: Case) -> Case:
    given = ExtensionSettings(**settings)
    if model["type"] == "Unigram":
        (unknown, _), *pieces = model["vocab"]
        learned = extend_unigram(UnigramBase(dict(pieces), others={unknown}), words, given)
        return {
            "tokens": [piece for piece, _ in learned],
            "scores": [score for _, score in learned],
        }
    if model["type"] == "BPE":
        learned = extend_bpe(bpe_encoder(model), words, model["vocab"], given)
    else:
        encode = wordpiece(model)
        assert isinstance(encode, LongestMatchEncoder)
        learned = extend_wordpiece(encode, words, model["vocab"], given, model["unk_token"])
    return {"tokens": learned.entries, "history": learned.history}


@pytest.mark.parametrize("extend", [by_core, by_reference])
@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: str(case["name"]))
def test_extension_equals_case(case: Case, extend: Any) -> None:
    assert case.keys() == {"name", "model", "words", "settings", "expected"}
    expected = case["expected"]
    assert expected.keys() <= {"tokens", "scores", "history"}
    found = extend(TABLE["models"][case["model"]], dict(case["words"]), case["settings"])
    assert found["tokens"] == expected["tokens"]
    if "scores" in expected:
        assert found["scores"] == pytest.approx(expected["scores"], abs=1e-12)
    if "history" in expected:
        rows = [dict(zip(COLUMNS, row, strict=True)) for row in found["history"]]
        assert [row | wanted for row, wanted in zip(rows, expected["history"], strict=True)] == rows
