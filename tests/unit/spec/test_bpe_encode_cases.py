"""The cases of spec/cases/bpe_encode.json in the core, the reference, and a saved tokenizer.json."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import paths
import piecework as pw
from reference_models import ReferenceTokenizer

pytestmark = pytest.mark.smoke

Case = dict[str, Any]
TABLE = json.loads((paths.CASES / "bpe_encode.json").read_text(encoding="utf-8"))
COLUMNS = ("ids", "tokens", "offsets", "word_ids")
CALL = ("specials", "seed", "number")
KEYS = {"name", "source", "config", "text", "error", *CALL, *COLUMNS}
MEMBERS = ("normalizer", "pre_tokenizer", "post_processor", "decoder", "truncation", "padding")


def config_of(case: Case) -> Case:
    """Returns the complete tokenizer.json of a case."""
    model = TABLE["models"][case["config"]["model"]]
    empty = {"version": "1.0", "added_tokens": [], **dict.fromkeys(MEMBERS)}
    return empty | case["config"] | {"model": model}


def by_reference(case: Case, **call: Any) -> Any:
    return ReferenceTokenizer(config_of(case)).encode(case["text"], **call)


def encoded(
    tokenizer: pw.Tokenizer, text: str, number: int = 0, seed: int | None = None, **call: Any
) -> Any:
    """Encodes a text as input `number` of a batch."""
    if seed is not None:
        call["sampling"] = pw.Sampling(seed=seed)
    if number == 0:
        return tokenizer.encode(text, **call)
    return tokenizer.encode_batch([text] * (number + 1), **call)[number]


def by_core(case: Case, **call: Any) -> Any:
    tokenizer = pw.Tokenizer.from_str(json.dumps(config_of(case)))
    return encoded(tokenizer, case["text"], **call)


def by_saved_core(case: Case, **call: Any) -> Any:
    first = pw.Tokenizer.from_str(json.dumps(config_of(case)))
    return encoded(pw.Tokenizer.from_str(first.to_str()), case["text"], **call)


def name_of(case: Case) -> str:
    return str(case["name"])


def check(encode: Callable[..., Any], case: Case, columns: Sequence[str]) -> None:
    call = {name: case[name] for name in CALL if name in case}
    if "error" in case:
        with pytest.raises(ValueError):  # noqa: PT011  # each implementation has its own message
            encode(case, **call)
        return
    encoding = encode(case, **call)
    for name in columns:
        column = json.loads(json.dumps(getattr(encoding, name)))
        assert column == case.get(name, column), name


def marked(case: Case) -> Any:
    """Returns a parameter, marked `slow` if the case takes the reference seconds."""
    marks = [pytest.mark.slow] if len(case["text"]) >= 100 else []
    return pytest.param(case, marks=marks, id=name_of(case))


@pytest.mark.parametrize("case", [marked(case) for case in TABLE["cases"]])
def test_reference_equals_case(case: Case) -> None:
    """Spans of normalized texts are those of `tokenizers` alone; the reference begins at the words."""
    pytest.importorskip("tokenizers", reason="it splits texts into words for the reference")
    spans = "normalizer" not in case["config"]
    check(by_reference, case, [name for name in COLUMNS if spans or name != "offsets"])


@pytest.mark.parametrize("encode", [by_core, by_saved_core])
@pytest.mark.parametrize("case", TABLE["cases"], ids=name_of)
def test_core_equals_case(encode: Callable[..., Any], case: Case) -> None:
    check(encode, case, COLUMNS)


def test_case_keys_are_known_and_names_unique() -> None:
    names = [case["name"] for case in TABLE["cases"]]
    assert len(set(names)) == len(names)
    for case in TABLE["cases"]:
        assert case.keys() <= KEYS
