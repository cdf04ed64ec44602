"""Special tokens beyond the model's vocabulary, files without an unknown token, byte order marks."""

from __future__ import annotations

import json
from typing import Any

import pytest

import piecework as pw

FLAGS = {
    "single_word": False,
    "lstrip": False,
    "rstrip": False,
    "normalized": False,
    "special": True,
}


SUBWORDS = {"ab": [1, 3], "B": [0], "a b": [1, 3], "a ##b": [1, 2], "ba": [3, 1], "A##B": [0]}
"""The ids of texts, with `##b` and `b` as added tokens."""


def tokenizer_json(vocab: dict[str, int], added: dict[str, int], **model: Any) -> str:
    """Returns a tokenizer.json that lowercases and splits at white space."""
    return json.dumps(
        {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": [{"id": i, "content": c} | FLAGS for c, i in added.items()],
            "normalizer": pw.normalizers.BertNormalizer().to_dict(),
            "pre_tokenizer": {"type": "WhitespaceSplit"},
            "post_processor": None,
            "decoder": None,
            "model": {
                "type": "WordPiece",
                "unk_token": "[UNK]",
                "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 100,
                "vocab": vocab,
            }
            | model,
        }
    )


def test_added_token_outside_vocabulary_is_no_subword() -> None:
    tok = pw.Tokenizer.from_str(
        tokenizer_json({"[UNK]": 0, "a": 1}, {"[UNK]": 0, "##b": 2, "b": 3})
    )
    assert tok.vocab == {"[UNK]": 0, "a": 1, "##b": 2, "b": 3}
    reloaded = pw.Tokenizer.from_str(tok.to_str())
    for text, ids in SUBWORDS.items():
        assert tok.encode_ids(text) == ids, text
        assert reloaded.encode_ids(text) == ids, text


def test_added_token_with_impossible_id_raises() -> None:
    with pytest.raises(pw.errors.FormatError, match=r"\$\.added_tokens\[0\].*id 6.*is 2"):
        pw.Tokenizer.from_str(tokenizer_json({"[UNK]": 0, "a": 5}, {"<s>": 6}))


def test_unk_token_none_means_no_unknown_token() -> None:
    tok = pw.Tokenizer.from_str("[UNK]\na\n", unk_token=None)
    assert tok.unk_token is None
    with pytest.raises(pw.errors.UnknownTokenError, match=r"\"b\""):
        tok.encode("b")
    reloaded = pw.Tokenizer.from_str(tok.to_str())
    assert reloaded == tok
    assert reloaded.unk_token is None
    assert tok.replace(unk_token="a").tokenize("b") == ["a"]
    assert pw.Tokenizer.from_str("[UNK]\na\n").replace(unk_token=None).unk_token is None
    with pytest.raises(pw.errors.VocabularyError):
        pw.Tokenizer.from_str("[UNK]\na\n", unk_token="")


def test_byte_order_mark_raises() -> None:
    with pytest.raises(pw.errors.FormatError, match="byte order mark"):
        pw.Tokenizer.from_bytes(b"\xef\xbb\xbf[PAD]\n[UNK]\n")
