"""Decoding to bytes: the core against the reference."""

import random

import pytest

import piecework as pw
from piecework import decoders as d, models
from piecework.reference.decode.decoders import decode_bytes

pytestmark = pytest.mark.smoke

TOKENS = [
    "a",
    "b",
    "▁a",
    "▁",
    " ",
    "Ġa",
    "ä",
    "¸",
    "Ń",
    "Ã",
    "<0xE4>",
    "<0xB8>",
    "<0xAD>",
    "<0xFF>",
    "<0x61>",
    "中",
    "##a",
]
DECODERS: list[d.Decoder | None] = [
    None,
    d.ByteLevel(),
    d.ByteFallback(),
    d.WordPiece(),
    d.Metaspace(),
    d.Sequence([d.Replace("▁", " "), d.ByteFallback(), d.Fuse(), d.Strip(" ", left=1)]),
    d.Sequence([d.ByteLevel(), d.Strip("a", 1, 1)]),
    d.Sequence([d.ByteFallback(), d.WordPiece()]),
]


@pytest.mark.parametrize("decoder", DECODERS, ids=repr)
def test_decoded_bytes_equal_reference(decoder: d.Decoder | None) -> None:
    tok = pw.Tokenizer(models.WordLevel(TOKENS, unk_token="a"), decoder=decoder)
    settings = decoder and decoder.to_dict()
    rng = random.Random(2)
    for _ in range(500):
        ids = rng.choices(range(len(TOKENS)), k=rng.randrange(10))
        wanted = decode_bytes([TOKENS[i] for i in ids], settings)
        assert tok.decode_bytes(ids) == wanted, ids
        assert b"".join(tok.decode_bytes_stream().pieces(ids)) == wanted, ids
