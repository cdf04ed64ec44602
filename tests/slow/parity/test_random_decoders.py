"""Random decoders over random tokens: the core against `tokenizers`.

Inputs on which the library panics (Strip on short tokens, backtracking regexes) must only not crash here.
"""

import json
import os
import random
import sys
from collections.abc import Callable
from typing import Any

import pytest

import piecework as pw
from parity_live import tokenizers
from piecework import decoders as d

ROUNDS = int(os.environ.get("PIECEWORK_PARITY_ROUNDS", "1500"))
LISTS = 4  # lists of tokens for each decoder

PARTS = (
    *(
        "",
        " ",
        "  ",
        "a",
        "b",
        "ab",
        "aa",
        "é",
        "e\u0301",
        "\u0301",
        "中",
        "👩",
        "👩‍👩",
        "\0",
        "\n",
    ),
    *("##", "##a", "</w>", "a</w>", "▁", "▁a", "_", "Ġ", "Ġa", "Ċ", "Ã", "¯", "ä¸Ń", "ń", "ł"),
    *(".", " .", "?", " !", ",", "' ", " ' ", "n't", " n't", "'m", " 'm", "do not", " do not"),
    *("'s", " 's", " 've", "'re", " 're", "<pad>", "|", "[CLS]", "<0x", "<0x61>", "<0xC3>"),
    *("<0xA9>", "<0xE4>", "<0xB8>", "<0xAD>", "<0xF0>", "<0x+5>", "<0xg1>", "<0x00>", "\ufffd"),
)
REGEXES = (
    *("", "a*", "x*", r"\s+", r"\s+(?!\S)|\s+", "^", "$", r"\b", r"\B", r"\z|a", r"(?<=a)b|a"),
    *(r"\p{L}+", r"\w", r"[[:punct:]]", ".", r"\X", r"(a|b)\1", "(?i)É", "a??", "b?", r"\Ga"),
    *(r"[^\s\p{L}\p{N}]+", r"(?>a+)b", "▁", r"\R", "a{,2}", r"(?m:.)", r"\h", "a|ab|$", "(?=a)"),
)


def some_string(rng: random.Random) -> str:
    return rng.choice(PARTS) if rng.random() < 0.8 else "".join(rng.choices(PARTS, k=2))


def some_token(rng: random.Random) -> str:
    draw = rng.random()
    if draw < 0.45:
        return rng.choice(PARTS)
    if draw < 0.8:
        return "".join(rng.choices(PARTS, k=rng.randrange(1, 6)))
    if draw < 0.87:
        return f"<0x{rng.randrange(256):02{rng.choice('xX')}}>"
    if draw < 0.92:
        return "".join(chr(rng.randrange(0x21, 0x180)) for _ in range(rng.randrange(6)))
    if draw < 0.995:
        code = rng.randrange(sys.maxunicode + 1)
        return "x" if 0xD800 <= code < 0xE000 else chr(code)
    return rng.choice(PARTS) * rng.randrange(3000)


def some_tokens(rng: random.Random) -> list[str]:
    tokens = [some_token(rng) for _ in range(rng.randrange(12))]
    return [token for token in tokens for _ in range(rng.choice((1, 1, 1, 2)))]


def some_strip(rng: random.Random) -> d.Decoder:
    return d.Strip(rng.choice("a ▁_é中"), rng.randrange(4), rng.choice((0, 0, 0, 1, 2)))


def some_metaspace(rng: random.Random) -> d.Decoder:
    schemes: tuple[Any, ...] = ("first", "never", "always")
    return d.Metaspace(rng.choice("▁_a👩"), rng.choice(schemes), rng.random() < 0.5)


def some_decoder(rng: random.Random, regexes: tuple[str, ...], depth: int = 3) -> d.Decoder:
    if depth and rng.random() < 0.35:
        inner = [some_decoder(rng, regexes, depth - 1) for _ in range(rng.randrange(5))]
        return d.Sequence(inner)
    flag = rng.random() < 0.5
    kinds: tuple[Callable[[], d.Decoder], ...] = (
        lambda: d.WordPiece(rng.choice(("##", "", "a", some_string(rng))), flag),
        lambda: d.BPEDecoder(rng.choice(("</w>", some_string(rng)))),
        d.ByteLevel,
        d.ByteFallback,
        lambda: some_metaspace(rng),
        d.Fuse,
        lambda: some_strip(rng),
        lambda: d.Replace(some_string(rng), some_string(rng)),
        lambda: d.Replace(pw.Regex(rng.choice(regexes)), some_string(rng)),
        lambda: d.CTC(
            rng.choice(("<pad>", some_string(rng))), rng.choice(("|", some_string(rng))), flag
        ),
    )
    return rng.choice(kinds)()


def theirs(decoder: d.Decoder) -> Any:
    """Returns the decoder of `tokenizers`, loaded from our JSON."""
    model = {"type": "BPE", "vocab": {}, "merges": []}
    whole = {"model": model, "decoder": decoder.to_dict()}
    return tokenizers.Tokenizer.from_str(json.dumps(whole)).decoder


def text_of(live: Any, tokens: list[str]) -> str | None:
    """Returns the library's text, or None if it panics (which is no `Exception`)."""
    try:
        return str(live.decode(tokens))
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        return None


def compare(rng: random.Random) -> None:
    decoder = some_decoder(rng, REGEXES)
    live = theirs(decoder)
    for _ in range(LISTS):
        tokens = some_tokens(rng)
        wanted, found = text_of(live, tokens), decoder.decode(tokens)
        assert wanted in (found, None), (decoder, tokens)


def test_random_decoders_equal_tokenizers() -> None:
    rng = random.Random(3)
    for _ in range(ROUNDS):
        compare(rng)


@pytest.mark.parity
def test_million_random_decodings_equal_tokenizers() -> None:
    rng = random.Random(4)
    for _ in range(1_000_000 // LISTS):
        compare(rng)


def test_decoder_json_equals_tokenizers() -> None:
    rng = random.Random(6)
    for _ in range(ROUNDS):
        decoder = some_decoder(rng, REGEXES)
        saved = json.loads(theirs(decoder).__getstate__())
        assert d.Decoder.from_dict(saved) == decoder
        assert decoder.to_dict() == saved
