"""The cases of spec/cases/encode.json in the core, the reference, and a saved tokenizer.json."""

import json
from typing import Any

import pytest

import impls
import paths
from impls import Encoder, Impl

Case = dict[str, Any]
TABLE = json.loads((paths.CASES / "encode.json").read_text(encoding="utf-8"))
KEYS = {"name", "vocab", "text", "source", "settings", "tokens", "ids", "offsets", "error"}
# Their categories differ between the Unicode of `tokenizers`, which the core has, and that of Python.
NEWER_CHARACTERS = "\u1ac1\u2e52\u166d"
# A vectorized implementation may err at multiples of 16.
SHIFTS = (15, 16, 17, 31, 32, 33, 63, 64, 65)


def name_of(case: Case) -> str:
    return str(case["name"])


def text_of(case: Case) -> str:
    text = case["text"]
    return text if isinstance(text, str) else text["repeat"][0] * text["repeat"][1]


def settings_of(case: Case) -> Case:
    settings: Case = TABLE["defaults"] | case["settings"]
    return settings


def is_for(impl: Impl, case: Case) -> bool:
    return impl.name != "reference" or not set(NEWER_CHARACTERS) & set(text_of(case))


def encoder_of(impl: Impl, case: Case) -> Encoder:
    return impl.encoder(TABLE["vocabs"][case["vocab"]], settings_of(case))


SHIFTED = [
    case
    for case in TABLE["cases"]
    if "tokens" in case and isinstance(case["text"], str) and settings_of(case)["pre_tokenizer"]
]


@pytest.fixture(params=impls.EVERY_IMPL, ids=lambda impl: impl.name)
def impl(request: pytest.FixtureRequest) -> Impl:
    found: Impl = request.param
    return found


def test_case_keys_are_known() -> None:
    assert TABLE["defaults"] == impls.DEFAULTS
    assert len({name_of(case) for case in TABLE["cases"]}) == len(TABLE["cases"])
    for case in TABLE["cases"]:
        assert case.keys() <= KEYS
        assert case["settings"].keys() <= impls.DEFAULTS.keys()


def marked(case: Case) -> Any:
    """Returns a parameter with the mark `smoke`, or `slow` for cases that take the reference seconds."""
    mark = pytest.mark.smoke if isinstance(case["text"], str) else pytest.mark.slow
    return pytest.param(case, marks=mark, id=name_of(case))


@pytest.mark.parametrize("case", [marked(case) for case in TABLE["cases"]])
def test_implementation_equals_case(impl: Impl, case: Case) -> None:
    if not is_for(impl, case):
        pytest.skip("the reference has the Unicode of Python")
    encoder, specials = encoder_of(impl, case), settings_of(case)["specials"]
    if "error" in case:
        with pytest.raises(ValueError):  # noqa: PT011  # each implementation has its own message
            encoder.encode(text_of(case), specials)
        return
    tokens = encoder.encode(text_of(case), specials)
    assert [token.text for token in tokens] == case["tokens"]
    assert [token.id for token in tokens] == case["ids"]
    assert [list(token.span) for token in tokens] == case["offsets"]


def test_implementation_equals_shifted_cases(impl: Impl) -> None:
    for case in (case for case in SHIFTED if is_for(impl, case)):
        encoder, specials = encoder_of(impl, case), settings_of(case)["specials"]
        for shift in SHIFTS:
            tokens = encoder.encode(" " * shift + case["text"], specials)
            assert [token.id for token in tokens] == case["ids"], (case["name"], shift)
            spans = [[start - shift, end - shift] for _, _, (start, end), _ in tokens]
            assert spans == case["offsets"], (case["name"], shift)
