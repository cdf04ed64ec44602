"""Decoders of trained tokenizers return the text, except for parts that the pre-tokenizer drops."""

import json

import pytest
from hypothesis import given, strategies as st

import paths
import trained
from piecework import pre_tokenizers as p
from profiles import examples

TABLE = json.loads((paths.CASES / "trained_decoders.json").read_text(encoding="utf-8"))
TEXTS = st.text(trained.ALPHABET, max_size=14) | st.lists(
    st.sampled_from(["low", "call", "to call", " ", "  ", ",", "'", "\n", "it's", "中", "1"]),
    max_size=5,
).map("".join)


def without_white_space(text: str) -> str:
    return "".join(text.split())


def check_round_trip(name: str, pipeline: str, text: str) -> None:
    tok, parts = trained.tokenizer(name, pipeline), trained.PIPELINES[pipeline]
    ids = tok.encode_ids(text)
    decoded, expected = tok.decode(ids), parts.expected(text)
    assert not trained.FOREIGN.intersection(decoded)
    # The clean-up removes spaces that splitting inserted.
    removes_spaces = name.startswith("WordPiece") and isinstance(
        parts.pre_tokenizer, p.BertPreTokenizer
    )
    # SentencePiece takes the space that it appends to a text for a leading one.
    has_trailing_space = name.startswith("Unigram") and parts.normalizer == trained.SUFFIX_SPACES
    if has_trailing_space and text:
        assert decoded == trained.without_space(f"{text} ")
    elif (parts.exact or trained.shows_word_boundaries(name)) and not removes_spaces:
        assert decoded == expected
    else:
        assert without_white_space(decoded) == without_white_space(expected)
    assert "".join(tok.decode_stream().pieces(ids)) == decoded


@pytest.mark.parametrize(("name", "pipeline"), trained.PAIRS)
def test_training_texts_round_trip(name: str, pipeline: str) -> None:
    for text in trained.TRAINING_TEXTS:
        check_round_trip(name, pipeline, text)


@given(st.sampled_from(trained.PAIRS), TEXTS)
@examples(1500)
def test_other_texts_round_trip(pair: tuple[str, str], text: str) -> None:
    check_round_trip(*pair, text)


@pytest.mark.parametrize("name", trained.TRAINERS)
def test_chosen_decoders_equal_cases(name: str) -> None:
    pipelines: dict[str, int] = TABLE["cases"][name]
    assert [*pipelines] == [pipeline for trainer, pipeline in trained.PAIRS if trainer == name]
    for pipeline, number in pipelines.items():
        decoder = trained.tokenizer(name, pipeline).decoder
        assert (decoder and decoder.to_dict()) == TABLE["decoders"][number], pipeline
