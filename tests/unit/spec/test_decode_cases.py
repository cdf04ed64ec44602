"""The cases of spec/cases/decode.json in the core."""

import json
from typing import Any

import pytest

import paths
import piecework as pw

pytestmark = pytest.mark.smoke

Case = dict[str, Any]
TABLE = json.loads((paths.CASES / "decode.json").read_text(encoding="utf-8"))
CASES: list[Case] = TABLE["cases"]
WITH_DECODER = [case for case in CASES if case["decoder"] is not None]


def name_of(case: Case) -> str:
    return str(case["name"])


def test_case_keys_are_known() -> None:
    assert TABLE.keys() == {"cases"}
    assert all(case.keys() == {"name", "source", "decoder", "tokens", "text"} for case in CASES)
    assert len({name_of(case) for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", WITH_DECODER, ids=name_of)
def test_core_equals_case(case: Case) -> None:
    decoder = pw.decoders.Decoder.from_dict(case["decoder"])
    assert decoder.decode(case["tokens"]) == case["text"]
    assert decoder.to_dict() == case["decoder"]


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_core_stream_equals_case(case: Case) -> None:
    vocab = list(dict.fromkeys(["[UNK]", *case["tokens"]]))
    decoder = case["decoder"] and pw.decoders.Decoder.from_dict(case["decoder"])
    tok = pw.Tokenizer(pw.models.WordLevel(vocab, unk_token="[UNK]"), decoder=decoder)
    ids = [vocab.index(token) for token in case["tokens"]]
    assert "".join(tok.decode_stream().pieces(ids)) == case["text"]
    assert (
        tok.decode_bytes(ids).decode("utf-8", "replace") == tok.decode(ids)
        or "\ufffd" in case["text"]
    )
