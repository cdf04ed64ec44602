"""SentencePiece's normalization and added tokens: normalized texts are those of SentencePiece with the same settings."""

from typing import Any

import pytest
from hypothesis import given, strategies as st

import live_unigram as live
import piecework as pw
from piecework import models, normalizers

pytest.importorskip("sentencepiece", reason="the oracle sentencepiece is not installed")

PAIRS = {"ﬁ": "fi", "½": " 1/2", "\t": " ", "\u200b": "", "ab": "x", "abc": "y ", "é": "e\u0301"}
CHARSMAP = normalizers.SentencePiece.of(PAIRS).precompiled_charsmap
ALPHABET = "abc ▁\tﬁ½é\u200b<>"
SYMBOLS = ("ab", "<a b>", "▁▁", "<")
FLAGS = {
    "add_dummy_prefix": 3,
    "remove_extra_whitespaces": 4,
    "escape_whitespaces": 5,
}
"""The fields of the normalizer in a .model file."""

flags = st.fixed_dictionaries({name: st.booleans() for name in FLAGS})
symbols = st.lists(st.sampled_from(SYMBOLS), unique=True)


def processor(
    flags: dict[str, bool], symbols: list[str], *, has_rules: bool = True, suffix: bool = False
) -> Any:
    """Returns SentencePiece's processor with some settings of normalization."""
    pieces = [("<unk>", 0.0, live.UNKNOWN), *((c, -1.0, live.NORMAL) for c in [*ALPHABET, "x"])]
    pieces += [(symbol, 0.0, live.USER_DEFINED) for symbol in symbols if len(symbol) > 1]
    taken = {symbol for symbol in symbols if len(symbol) == 1}
    pieces = [
        (name, score, live.USER_DEFINED if name in taken else kind) for name, score, kind in pieces
    ]
    listed = (
        live.message(1, live.message(1, name.encode()) + live.flag(3, kind))
        for name, _, kind in pieces
    )
    trainer = live.flag(3, 1) + live.flag(24, suffix)
    normalizer = live.message(2, CHARSMAP or b"") if has_rules else b""
    normalizer += b"".join(live.flag(FLAGS[name], value) for name, value in flags.items())
    return live.processor(b"".join(listed) + live.message(2, trainer) + live.message(3, normalizer))


@given(flags, st.booleans(), st.booleans(), symbols, st.text(ALPHABET, max_size=20))
def test_normalized_texts_equal_sentencepiece(
    flags: dict[str, bool], has_rules: bool, suffix: bool, symbols: list[str], text: str
) -> None:
    ours = normalizers.SentencePiece(
        CHARSMAP if has_rules else None,
        **flags,
        treat_whitespace_as_suffix=suffix,
        user_defined_symbols=symbols,
    )
    theirs = processor(flags, symbols, has_rules=has_rules, suffix=suffix)
    assert ours.normalize_str(text) == theirs.normalize(text)


@given(flags, symbols, st.sampled_from([*SYMBOLS, "a b", " a ", "ﬁ"]))
def test_added_tokens_match_in_normalized_form(
    flags: dict[str, bool], symbols: list[str], token: str
) -> None:
    """A symbol stays; of other tokens no space is removed, and none is put before them."""
    settings = normalizers.SentencePiece(CHARSMAP, **flags, user_defined_symbols=symbols)
    kept = dict.fromkeys(FLAGS, False) | {"escape_whitespaces": flags["escape_whitespaces"]}
    form = token if token in symbols else processor(kept, symbols).normalize(token)
    vocab = dict.fromkeys([*ALPHABET, *"xyfie/12\u0301"])
    tok = pw.Tokenizer(models.BPE(list(vocab)), normalizer=settings, added_tokens=[token])
    text = f"c{token}c"
    found = tok.token_to_id(token) in tok.encode_ids(text)
    assert found == (bool(form) and form in settings.normalize_str(text))


ROWS: list[tuple[dict[str, Any], str, str, list[tuple[int, int]]]] = [
    ({}, " a  ﬁ ", "▁a▁fi", [(1, 2), (1, 2), (2, 3), (4, 5), (4, 5)]),
    ({}, "½\tabcab", "▁1/2▁y▁x", [(0, 1), (0, 1), (0, 1), (0, 1), (1, 2), (2, 5), (2, 5), (5, 7)]),
    ({"add_dummy_prefix": False}, "é\u200bc", "éc", [(0, 1), (0, 1), (2, 3)]),
    (
        {"remove_extra_whitespaces": False},
        " a  b ",
        "▁▁a▁▁b▁",
        [(0, 1), (0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6)],
    ),
    (
        {"treat_whitespace_as_suffix": True},
        "a ﬁ",
        "a▁fi▁",
        [(0, 1), (1, 2), (2, 3), (2, 3), (2, 3)],
    ),
    (
        {"user_defined_symbols": ["<a b>", "ab"]},
        "ab<a b>c",
        "▁ab<a▁b>c",
        [(0, 2), (0, 2), (0, 2), (2, 7), (2, 7), (2, 7), (2, 7), (2, 7), (7, 8)],
    ),
    ({"escape_whitespaces": False}, "a ▁b", " a ▁b", [(0, 1), (0, 1), (1, 2), (2, 3), (3, 4)]),
    ({}, "\u200b \t", "", []),
]


@pytest.mark.parametrize(("settings", "text", "normalized", "spans"), ROWS)
def test_spans_of_normalized_characters(
    settings: dict[str, Any], text: str, normalized: str, spans: list[tuple[int, int]]
) -> None:
    """Characters that replace others have the span of all of them (P59)."""
    ours = normalizers.SentencePiece(CHARSMAP, **settings)
    assert ours.normalize_str(text) == normalized
    vocab = dict.fromkeys([*ALPHABET, *"xyfie/12\u0301"])
    tok = pw.Tokenizer(models.BPE(list(vocab)), normalizer=ours)
    assert tok.encode(text).offsets == spans
