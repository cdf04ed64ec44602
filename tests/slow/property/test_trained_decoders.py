"""Decoders of trained tokenizers return the text, except for parts that the pre-tokenizer drops."""

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

import piecework as pw
import trained
from piecework import pre_tokenizers as p
from piecework.reference.decode.trained_decoder import TokenAffixes, choose_decoder
from profiles import examples

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


@pytest.mark.parametrize(("name", "pipeline"), trained.PAIRS)
def test_decoder_equals_reference_choice(name: str, pipeline: str) -> None:
    tok, chosen = trained.tokenizer(name, pipeline), trained.TRAINERS[name]
    if any(kind in repr(tok.pre_tokenizer) for kind in ("Jieba", "Function")):
        return  # the reference has no such pre-tokenizer
    if isinstance(tok.decoder, pw.decoders.SentencePiece):
        assert name.startswith("Unigram")
        assert "piecework.SentencePiece" in repr(tok.normalizer.to_dict() if tok.normalizer else "")
        return
    written, of_bert = json.loads(tok.to_str()), isinstance(tok.pre_tokenizer, p.BertPreTokenizer)
    marks = TokenAffixes(
        chosen.get("continuing_subword_prefix", ""),
        chosen.get("end_of_word_suffix", ""),
        chosen.get("suffix_style") == "separate",
        chosen.get("byte_fallback", False),
        cleanup=of_bert and name.startswith("WordPiece"),
    )
    decoder: Any = choose_decoder(written["normalizer"], written["pre_tokenizer"], marks)
    if decoder is None and name.startswith("WordPiece"):
        decoder = {"type": "WordPiece", "prefix": "", "cleanup": of_bert}
    assert written["decoder"] == decoder
