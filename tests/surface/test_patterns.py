"""The split patterns of well-known models, against tiktoken itself."""

import random
from collections.abc import Callable
from itertools import pairwise

import pytest

import piecework as pw
from piecework import pre_tokenizers
from piecework.patterns import SPLIT_PATTERNS, from_tiktoken
from piecework.reference import regex

tiktoken = pytest.importorskip("tiktoken")

openai = pytest.importorskip("tiktoken_ext.openai_public")
TIKTOKEN = {
    "r50k": openai.r50k_pat_str,
    "cl100k": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
        r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ),
    "gpt2": SPLIT_PATTERNS["gpt2"],
    "llama3": SPLIT_PATTERNS["llama3"],
    "qwen2": SPLIT_PATTERNS["qwen2"],
    "o200k": SPLIT_PATTERNS["o200k"],
}
TRAPS = [
    *(
        " Japón",
        "'re've",
        "y'all'd've",
        "'ſ",
        "it'ſ",
        "I'LL'S",
        "\r\n\r\n",
        "  \n  x",
        "a  ",
        "a \n ",
        "x\u0085y",
    ),
    *(
        "a\u180eb",
        "12345 67",
        "²³½1234",
        "!!\n\n  x",
        ";\n//\n/x",
        "❤\ufe0fx",
        "中文ABC 中文Abc",
        "e\u0301A",
        "ǅa",
    ),
    *(
        "HTTPServer",
        "camelCase",
        "\t\tif x:\n",
        "\u3000\u3000中",
        "،سلام",
        "हिन्दी",
        "a\u00a0\u00a0b",
        "'",
        "''s",
        " 's",
    ),
]


def pieces(name: str, text: str) -> list[str]:
    """The pieces of a text by one of our patterns."""
    split = pre_tokenizers.Split(pw.Regex(SPLIT_PATTERNS[name]), "isolated")
    return [piece for piece, _ in split.pre_tokenize_str(text)]


def check(name: str, texts: list[str]) -> None:
    """See that tiktoken has the same pieces.

    Every piece is a token, and so is what two neighbours are together: another division would be other tokens, since
    tiktoken looks a whole piece up before it merges.
    """
    expected = [[piece.encode() for piece in pieces(name, text)] for text in texts]
    tokens = dict.fromkeys(bytes([byte]) for byte in range(256))
    tokens |= dict.fromkeys(piece for row in expected for piece in row)
    tokens |= dict.fromkeys(left + right for row in expected for left, right in pairwise(row))
    ranks = {token: rank for rank, token in enumerate(tokens)}
    theirs = tiktoken.Encoding(
        "t", pat_str=TIKTOKEN[name], mergeable_ranks=ranks, special_tokens={}
    )
    for text, row in zip(texts, expected, strict=True):
        assert theirs.encode_ordinary(text) == [ranks[piece] for piece in row], text


@pytest.mark.parametrize("name", TIKTOKEN)
def test_the_pieces_are_those_of_tiktoken(name: str) -> None:
    dice = random.Random(5)
    parts = [*TRAPS, *" \n\r\t'/!aAsSé中1²\u0301\u3000", "\r\n", "'s", "'LL", "  "]
    mixed = ["".join(dice.choices(parts, k=dice.randrange(1, 12))) for _ in range(3000)]
    check(name, [*TRAPS, *mixed])


@pytest.mark.parity
@pytest.mark.parametrize("name", TIKTOKEN)
def test_every_character_is_of_the_kind_that_it_is_to_tiktoken(name: str) -> None:
    codes = (code for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    texts = [f"{chr(c)}a{chr(c)}1{chr(c)}! {chr(c)}A{chr(c)}'{chr(c)}" for c in codes]
    for start in range(0, len(texts), 1 << 16):
        check(name, texts[start : start + (1 << 16)])


@pytest.mark.parametrize(
    "corpus", ["en/botchan.txt", "zh/cmrc2018-a.txt", "code/go-std.txt", "nasty/blns.txt"]
)
def test_the_pieces_of_real_text_are_those_of_tiktoken(
    corpus_bytes: Callable[[str], bytes], corpus: str
) -> None:
    text = corpus_bytes(corpus)[:300_000].decode("utf-8", "ignore")
    for name in TIKTOKEN:
        check(name, [text[start : start + 2000] for start in range(0, len(text), 2000)])


@pytest.mark.parametrize("name", SPLIT_PATTERNS)
def test_the_core_has_a_grammar_and_the_reference_the_same_pieces(name: str) -> None:
    tok = pw.Tokenizer.from_str("[UNK]\na\n")
    split = pre_tokenizers.Split(pw.Regex(SPLIT_PATTERNS[name]), "isolated")
    grammar = {"r50k": "gpt2", "p50k": "gpt2"}.get(name, name)
    assert tok.with_parts(pre_tokenizer=split).split_backends == (f"grammar {grammar}",)
    pattern = regex.compiled(SPLIT_PATTERNS[name])
    only = pre_tokenizers.Split(pw.Regex(SPLIT_PATTERNS[name]), "removed", invert=True)
    for text in TRAPS:
        found = [text[start:end] for start, end in regex.find(pattern, text)]
        assert found == [piece for piece, _ in only.pre_tokenize_str(text)], text


def test_patterns_of_tiktoken_are_translated() -> None:
    assert {name: from_tiktoken(TIKTOKEN[name]) for name in TIKTOKEN} == {
        name: SPLIT_PATTERNS[name] for name in TIKTOKEN
    }
    assert from_tiktoken(SPLIT_PATTERNS["clip"] + "|x") is None


def test_a_pattern_of_its_own_is_for_the_engine() -> None:
    tok = pw.Tokenizer.from_str("[UNK]\na\n")
    parts = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(pw.Regex(r"\d"), "isolated"), pre_tokenizers.ByteLevel()]
    )
    assert tok.with_parts(pre_tokenizer=parts).split_backends == ("Oniguruma", "grammar gpt2")
    assert tok.split_backends == ()
