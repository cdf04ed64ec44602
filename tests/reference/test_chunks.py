"""Safe split points of texts: spec/cases/chunks.json, and that chunks give the tokens of the text."""

import itertools
import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

import paths
import strategies
from piecework.reference.pipeline import pipeline
from piecework.reference.pipeline.chunks import Chunker
from profiles import examples

Json = dict[str, Any]
CASES = json.loads((paths.CASES / "chunks.json").read_text(encoding="utf-8"))
BERT = [
    {"type": "BertNormalizer", **dict(zip(("clean_text", "lowercase"), flags, strict=True))}
    | {"handle_chinese_chars": flags[0] == flags[1], "strip_accents": None}
    for flags in itertools.product((True, False), repeat=2)
]
NORMALIZERS: list[Json | None] = [
    None,
    *BERT,
    {"type": "NFD"},
    {"type": "Sequence", "normalizers": [{"type": "StripAccents"}, {"type": "Lowercase"}, BERT[1]]},
]
SPLITTERS: list[Json] = [
    {"type": "BertPreTokenizer"},
    {"type": "Whitespace"},
    {"type": "WhitespaceSplit"},
    {
        "type": "Sequence",
        "pretokenizers": [
            {"type": "Digits", "individual_digits": False},
            {"type": "Punctuation", "behavior": "Isolated"},
            {"type": "WhitespaceSplit"},
        ],
    },
]
MODEL = {
    "type": "WordPiece",
    "unk_token": "[UNK]",
    "continuing_subword_prefix": "##",
    "max_input_chars_per_word": 20,
    "vocab": {
        piece: number
        for number, piece in enumerate(
            dict.fromkeys(
                ["[UNK]", "un", "##able", *"abeé中.,!1", *(f"##{c}" for c in "abeé1\u0301")]
            )
        )
    },
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_chunks_equal_case(case: Json) -> None:
    assert case.keys() <= {"name", "normalizer", "pre_tokenizer", "text", "chunks"}
    chunker = Chunker.from_stages(case["normalizer"], case["pre_tokenizer"])
    if case["chunks"] is None:
        assert chunker is None
        return
    assert chunker is not None
    text = case["text"]
    assert [text[start:end] for start, end in chunker.chunks(text)] == case["chunks"]


@given(st.sampled_from(NORMALIZERS), st.sampled_from(SPLITTERS), strategies.texts)
@examples(600)
def test_tokens_of_chunks_equal_tokens_of_the_text(
    normalizer: Json | None, pre_tokenizer: Json, text: str
) -> None:
    chunker = Chunker.from_stages(normalizer, pre_tokenizer)
    assert chunker is not None
    stages = {"normalizer": normalizer, "pre_tokenizer": pre_tokenizer, "model": MODEL}
    encode = pipeline.from_dict(stages).encode
    ids, spans, words = [], [], []
    for start, end in chunker.chunks(text):
        part = encode(text[start:end])
        before = words[-1] + 1 if words else 0
        ids += part.ids
        spans += [(start + first, start + last) for first, last in part.offsets]
        words += [before + word for word in part.word_ids if word is not None]
    whole = encode(text)
    assert (ids, spans, words) == (whole.ids, whole.offsets, whole.word_ids)
