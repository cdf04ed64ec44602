"""The cases of spec/cases/truncate_text.json in the core, and by encoding every part with `tokenizers`."""

import json
from typing import Any

import pytest

import paths
import piecework as pw
from piecework.errors import TruncationError

pytestmark = pytest.mark.smoke

Case = dict[str, Any]
TABLE = json.loads((paths.CASES / "truncate_text.json").read_text(encoding="utf-8"))
PARTS = ("truncation", "padding", "normalizer", "pre_tokenizer", "post_processor", "decoder")
OPTIONS = {"add_special_tokens", "specials"}


def by_core(config: Case, case: Case, side: Any, options: Case) -> str | None:
    tok = pw.Tokenizer.from_str(json.dumps(config))
    try:
        return tok.truncate_text(case["text"], case["n"], side=side, **options)
    except TruncationError:
        return None


def by_tokenizers(config: Case, case: Case, side: Any, options: Case) -> str | None:
    tokenizers = pytest.importorskip("tokenizers", reason="the oracle is not installed")
    live, text = tokenizers.Tokenizer.from_str(json.dumps(config)), case["text"]
    live.encode_special_tokens = options.get("specials") == "text"
    for removed in range(len(text) + 1):
        part = text[: len(text) - removed] if side == "right" else text[removed:]
        ids = live.encode(part, add_special_tokens=options.get("add_special_tokens", True)).ids
        if len(ids) <= case["n"]:
            return str(part)
    return None


@pytest.mark.parametrize("truncate", [by_core, by_tokenizers])
@pytest.mark.parametrize("side", ["right", "left"])
@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: str(case["name"]))
def test_truncation_equals_case(case: Case, side: str, truncate: Any) -> None:
    assert case.keys() - OPTIONS == {"name", "config", "text", "n", "right", "left"}
    config = {"version": "1.0", "added_tokens": []} | dict.fromkeys(PARTS) | case["config"]
    config["model"] = TABLE["models"][config["model"]]
    options = {name: case[name] for name in OPTIONS & case.keys()}
    assert truncate(config, case, side, options) == case[side]
