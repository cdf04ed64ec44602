"""Decoding to bytes: the bytes that tokens stand for, and those of `tokenizers` where they are a text."""

import random
from contextlib import suppress

import pytest

import piecework as pw
from piecework import decoders as d, models

pytestmark = pytest.mark.smoke

TOKENS = ["a", "b", "▁a", "▁", " ", "Ġa", "ä", "¸", "Ń", "Ã", "<0xE4>", "<0xB8>", "<0xAD>", "<0xFF>",
          "<0x61>", "中", "##a"]  # fmt: skip
BYTES_OF_LLAMA = d.Sequence([d.Replace("▁", " "), d.ByteFallback(), d.Fuse(), d.Strip(" ", left=1)])
DECODERS: list[d.Decoder | None] = [
    None,
    d.ByteLevel(),
    d.ByteFallback(),
    d.WordPiece(),
    d.Metaspace(),
    BYTES_OF_LLAMA,
    d.Sequence([d.ByteFallback(), d.WordPiece()]),
]


@pytest.mark.parametrize(
    ("decoder", "tokens", "expected"),
    [
        (None, ["ä", "<0xE4>"], "ä <0xE4>".encode()),
        (d.ByteLevel(), ["ä", "¸", "Ń"], "中".encode()),
        (d.ByteLevel(), ["Ġa", "Ã", "Ã"], b" a\xc3\xc3"),
        (d.ByteLevel(), ["中", "ä", "a"], "中".encode() + b"\xe4a"),
        (d.ByteFallback(), ["<0xE4>", "<0xB8>", "<0xAD>"], "中".encode()),
        (d.ByteFallback(), ["<0xE4>", "<0xB8>", "a", "<0xFF>"], b"\xe4\xb8a\xff"),
        (d.WordPiece(), ["a", "##a", "<0xFF>"], b"aa <0xFF>"),
        (d.Metaspace(), ["▁a", "▁", "<0xE4>"], b"a <0xE4>"),
        (BYTES_OF_LLAMA, ["▁a", "<0xB8>", "▁"], b"a\xb8 "),
        (BYTES_OF_LLAMA, ["<0xFF>", "▁a"], b"\xff a"),
        (d.Sequence([d.ByteLevel(), d.Strip("a", 1, 1)]), ["a", "Ã", "a"], b"\xc3"),
        (d.Sequence([d.ByteFallback(), d.WordPiece()]), ["a", "<0xFF>", "##a"], b"a \xffa"),
    ],
)
def test_bytes_are_kept(decoder: d.Decoder | None, tokens: list[str], expected: bytes) -> None:
    tok = pw.Tokenizer(models.WordLevel(TOKENS, unk_token="a"), decoder=decoder)
    ids = [TOKENS.index(token) for token in tokens]
    assert tok.decode_bytes(ids) == expected
    assert b"".join(tok.decode_bytes_stream().pieces(ids)) == expected


@pytest.mark.parametrize("decoder", DECODERS, ids=repr)
def test_bytes_that_are_utf8_are_the_text_of_tokenizers(decoder: d.Decoder | None) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="the oracle is not installed")
    tok = pw.Tokenizer(models.WordLevel(TOKENS, unk_token="a"), decoder=decoder)
    live, rng, compared = tokenizers.Tokenizer.from_str(tok.to_str()), random.Random(2), 0
    for _ in range(500):
        ids = rng.choices(range(len(TOKENS)), k=rng.randrange(10))
        found = tok.decode_bytes(ids)
        assert b"".join(tok.decode_bytes_stream().pieces(ids)) == found, ids
        with suppress(UnicodeDecodeError):
            assert found.decode() == live.decode(ids), ids
            compared += 1
    assert compared > 50
