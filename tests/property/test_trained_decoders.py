"""What is trained decodes to the text, but for what its pre-tokenizer loses: for all pairs of trainer and pre-tokenizer."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import piecework as pw
import trained
from piecework import pre_tokenizers as p
from piecework.reference.inverse import TokenMarks, decoder_for

TEXTS = st.text(trained.ALPHABET, max_size=14) | st.lists(
    st.sampled_from(["low", "tell", "to tell", " ", "  ", ",", "'", "\n", "it's", "中", "1"]),
    max_size=5,
).map("".join)


def without_white_space(text: str) -> str:
    return "".join(text.split())


def check(name: str, pipeline: str, text: str) -> None:
    tok, parts = trained.tokenizer(name, pipeline), trained.PIPELINES[pipeline]
    ids = tok.encode_ids(text)
    decoded, expected = tok.decode(ids), parts.expected(text)
    assert not trained.FOREIGN.intersection(decoded)
    # Cleaning up takes spaces away that splitting put there.
    cleans = name.startswith("WordPiece") and isinstance(parts.pre_tokenizer, p.BertPreTokenizer)
    # SentencePiece takes the space that it put behind a text for one before it.
    trails = name.startswith("Unigram") and parts.normalizer == trained.AFTER_SPACES
    if trails and text:
        assert decoded == trained.without_space(f"{text} ")
    elif (parts.exact or trained.marks_words(name)) and not cleans:
        assert decoded == expected
    else:
        assert without_white_space(decoded) == without_white_space(expected)
    assert "".join(tok.decode_stream().pieces(ids)) == decoded


@pytest.mark.parametrize(("name", "pipeline"), trained.PAIRS)
def test_texts_that_were_trained_on_come_back(name: str, pipeline: str) -> None:
    for text in trained.TRAINING_TEXTS:
        check(name, pipeline, text)


@given(st.sampled_from(trained.PAIRS), TEXTS)
@settings(max_examples=4000)
def test_other_texts_come_back(pair: tuple[str, str], text: str) -> None:
    check(*pair, text)


@pytest.mark.parametrize(("name", "pipeline"), trained.PAIRS)
def test_the_reference_chooses_the_same_decoder(name: str, pipeline: str) -> None:
    tok, chosen = trained.tokenizer(name, pipeline), trained.TRAINERS[name]
    if any(kind in repr(tok.pre_tokenizer) for kind in ("Jieba", "Function")):
        return  # the reference has neither
    if isinstance(tok.decoder, pw.decoders.SentencePiece):
        assert name.startswith("Unigram")
        assert "piecework.SentencePiece" in repr(tok.normalizer.to_dict() if tok.normalizer else "")
        return
    written, of_bert = json.loads(tok.to_str()), isinstance(tok.pre_tokenizer, p.BertPreTokenizer)
    marks = TokenMarks(
        chosen.get("continuing_subword_prefix", ""),
        chosen.get("end_of_word_suffix", ""),
        chosen.get("suffix_style") == "separate",
        chosen.get("byte_fallback", False),
        cleanup=of_bert and name.startswith("WordPiece"),
    )
    decoder: Any = decoder_for(written["normalizer"], written["pre_tokenizer"], marks)
    if decoder is None and name.startswith("WordPiece"):
        decoder = {"type": "WordPiece", "prefix": "", "cleanup": of_bert}
    assert written["decoder"] == decoder
