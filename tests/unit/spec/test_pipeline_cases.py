"""The cases of spec/cases/pipeline.json through the Python API, before and after saving."""

import json
from typing import Any

import pytest

import piecework as pw
from paths import CASES

Case = dict[str, Any]
TABLE = json.loads((CASES / "pipeline.json").read_text(encoding="utf-8"))
KEYS = {"name", "source", "config", "text", "pair", "add_special_tokens", "specials", "control_symbols",
        "error"}  # fmt: skip
COLUMNS = {
    *("ids", "tokens", "offsets", "word_ids", "type_ids", "special_tokens_mask"),
    *("attention_mask", "sequence_ids", "overflowing"),
}
ASKED = ("add_special_tokens", "specials")


def check(encoding: Any, wanted: Case, *, is_part: bool = False) -> None:
    """Compares all columns of a live case, or the listed columns of a case written by hand."""
    size = len(wanted["ids"])
    silent = {"type_ids": [0] * size, "special_tokens_mask": [0] * size,
              "attention_mask": [1] * size, "sequence_ids": [0] * size}  # fmt: skip
    for name in COLUMNS & (wanted.keys() | silent.keys()) - {"overflowing"}:
        column = json.loads(json.dumps(getattr(encoding, name)))
        assert column == wanted.get(name, silent.get(name)), name
    if is_part:
        return  # overflowing parts of overflowing parts are not in the table; the parity harness compares them
    for part, like in zip(encoding.overflowing, wanted.get("overflowing", []), strict=True):
        check(part, like, is_part=True)


def encoded(case: Case) -> Any:
    config = {**case["config"], "model": TABLE["models"][case["config"].get("model", "pieces")]}
    asked: Case = {name: case[name] for name in ASKED if name in case}
    texts = [case["text"], *([case["pair"]] if "pair" in case else [])]
    made = pw.Tokenizer.from_str(json.dumps({"version": "1.0", **config}))
    made = pw.Tokenizer.from_str(made.to_str())._with_controls(case.get("control_symbols", ()))
    return made.encode(*texts, is_pretokenized=isinstance(texts[0], list), **asked)


@pytest.mark.filterwarnings("ignore:post_processor. it inserts")
@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: case["name"])
def test_encoding_equals_case(case: Case) -> None:
    assert case.keys() <= KEYS | COLUMNS
    if "error" in case:
        with pytest.raises(ValueError):  # noqa: PT011  # each implementation has its own message
            encoded(case)
        return
    check(encoded(case), case)
