"""Untrusted texts with the vocabularies of known models, which are in the shared data."""

from __future__ import annotations

import functools
import random
import unicodedata
from pathlib import Path

import pytest

import piecework as pw
from paths import data_folder, unpacked

VOCABS = data_folder() / "vocabs"
CHAT = ["<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>", "<think>", "</think>", "  "]
"""Tokens of Qwen's chat models, which its tiktoken file lacks."""
FILES = {
    "deepseek": "deepseek-tokenizer.json.zst",
    "llama3": "llama3-tokenizer.json.zst",
    "starcoder": "starcoder-tokenizer.json.zst",
    "llama2": "llama2-tokenizer.model",
    "mistral": "mistral-tokenizer.model.v3",
    "t5": "t5-spiece.model",
    "qwen": "qwen.tiktoken.zst",
}


@functools.cache
def loaded(name: str) -> pw.Tokenizer:
    """Returns the tokenizer of a known model; skips the test where its file is missing."""
    path = VOCABS / FILES[name]
    if not path.exists():
        pytest.skip(f"the vocabulary is missing: {path}")
    data = unpacked(path) if path.suffix == ".zst" else path.read_bytes()
    if name != "qwen":
        return pw.Tokenizer.from_bytes(data)
    return with_chat_tokens(data)


def with_chat_tokens(data: bytes) -> pw.Tokenizer:
    """Returns Qwen's ranks with chat tokens that are not special."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "qwen.tiktoken")
        path.write_bytes(data)
        special = {"<|endoftext|>": 151643}
        pattern = pw.patterns.SPLIT_PATTERNS["qwen2"]
        tok = pw.Tokenizer.from_tiktoken(path, pattern=pattern, special_tokens=special)
    return tok.with_added_tokens([pw.AddedToken(token, normalized=False) for token in CHAT])


def texts(tok: pw.Tokenizer, count: int) -> list[str]:
    """Returns random texts of words, white space, and whole and cut added tokens."""
    draw = random.Random(7)
    added = [token.content for token in tok.added_tokens.values()]
    words = ["the", " cat", "  ", "\n\n", "中文", "é", "\t", "<", ">", "|", "[", " x", "   "]
    made = []
    for _ in range(count):
        parts = [draw.choice(draw.choice((added, words))) for _ in range(draw.randrange(1, 9))]
        cut = [
            part[: draw.randrange(len(part) + 1)] if draw.random() < 0.2 else part for part in parts
        ]
        made.append("".join(cut))
    return made


def untrusted_ids(tok: pw.Tokenizer) -> set[int]:
    """Returns the ids that no untrusted text is encoded to: neither white space nor single characters."""
    return {
        number
        for number, token in tok.added_tokens.items()
        if token.special or (not token.content.isspace() and len(token.content) > 1)
    }


@pytest.mark.parametrize("name", FILES)
def test_no_added_token_of_a_known_model_is_spelled(name: str) -> None:
    tok = loaded(name)
    view, forbidden = tok.untrusted(), untrusted_ids(tok)
    some = texts(tok, 400)
    batch = view.encode_batch(some, add_special_tokens=False)
    assert not forbidden.intersection(batch.ids.tolist())
    assert any(
        forbidden.intersection(ids) for ids in tok.encode_batch(some, specials="match").to_list()
    )
    rows = [[(text, False)] for text in some]
    assert tok.encode_segments_batch(rows, add_special_tokens=False) == batch
    for text, ids in zip(some, batch.to_list(), strict=True):
        assert view.encode_ids(text, add_special_tokens=False) == ids
        options = view._new_options({"add_special_tokens": False}, path="generic")
        assert view._core.encode_ids(text, None, False, options, False) == ids


@pytest.mark.parametrize("name", FILES)
def test_texts_of_a_known_model_without_added_tokens_are_encoded_as_ever(name: str) -> None:
    tok = loaded(name)
    text = unicodedata.normalize("NFC", Path(__file__).read_text(encoding="utf-8"))
    parts = text.splitlines(keepends=True)
    contents = [token.content for token in tok.added_tokens.values() if not token.content.isspace()]
    plain = [part for part in parts if not any(content in part for content in contents)]
    assert len(plain) > len(parts) / 2
    assert tok.untrusted().encode_batch(plain) == tok.encode_batch(plain)
    assert tok.untrusted(refuse=True).encode_batch(plain) == tok.encode_batch(plain)


def test_markers_that_are_not_special() -> None:
    tok = loaded("deepseek")
    assert tok.encode_ids("</think>", specials="error", add_special_tokens=False) == [
        tok.token_to_id("</think>")
    ]
    for marker in ("</think>", "<｜User｜>", "<｜tool▁call▁begin｜>"):
        assert len(tok.untrusted().tokenize(marker)) > 1
        with pytest.raises(pw.errors.SpecialTokenError, match="added token"):
            tok.untrusted(refuse=True).encode(marker)
    found = {each.token for each in pw.lint(tok, select=["unflagged-marker"]).findings}
    assert {"</think>", "<｜User｜>", "<｜tool▁call▁begin｜>"} <= found


@pytest.mark.parametrize("name", ["llama3", "starcoder", "llama2", "t5"])
def test_files_whose_markers_are_special_have_no_finding(name: str) -> None:
    assert not pw.lint(loaded(name), select=["unflagged-marker"])
