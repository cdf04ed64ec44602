"""Split patterns of well-known models against tiktoken."""

import random
from collections.abc import Callable
from itertools import pairwise

import pytest

import piecework as pw
from piecework import pre_tokenizers
from piecework.patterns import SPLIT_PATTERNS, from_tiktoken

tiktoken = pytest.importorskip("tiktoken")
tokenizers = pytest.importorskip("tokenizers")

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
    "kimi": SPLIT_PATTERNS["kimi"],
}
HARD_TEXTS = [
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
        "〇⼀々か中12〇 中\u0301，⼀。\n/",
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


def pre_tokens(name: str, text: str) -> list[str]:
    """Returns the pre-tokens of a text by one of our patterns."""
    split = pre_tokenizers.Split(pw.Regex(SPLIT_PATTERNS[name]), "isolated")
    return [pre_token for pre_token, _ in split.pre_tokenize_str(text)]


def check_against_tiktoken(name: str, texts: list[str]) -> None:
    """Checks that tiktoken has the same pre-tokens.

    Every pre-token is a token, and so is each pair of neighbours: another split would give other tokens, since
    tiktoken looks up a whole pre-token before it merges.
    """
    expected = [[pre_token.encode() for pre_token in pre_tokens(name, text)] for text in texts]
    tokens = dict.fromkeys(bytes([byte]) for byte in range(256))
    tokens |= dict.fromkeys(pre_token for row in expected for pre_token in row)
    tokens |= dict.fromkeys(left + right for row in expected for left, right in pairwise(row))
    ranks = {token: rank for rank, token in enumerate(tokens)}
    theirs = tiktoken.Encoding(
        "t", pat_str=TIKTOKEN[name], mergeable_ranks=ranks, special_tokens={}
    )
    for text, row in zip(texts, expected, strict=True):
        assert theirs.encode_ordinary(text) == [ranks[pre_token] for pre_token in row], text


@pytest.mark.parametrize("name", TIKTOKEN)
def test_pre_tokens_equal_tiktoken(name: str) -> None:
    dice = random.Random(5)
    parts = [*HARD_TEXTS, *" \n\r\t'/!aAsSé中1²\u0301\u3000", "\r\n", "'s", "'LL", "  "]
    mixed = ["".join(dice.choices(parts, k=dice.randrange(1, 12))) for _ in range(3000)]
    check_against_tiktoken(name, [*HARD_TEXTS, *mixed])


@pytest.mark.parity
@pytest.mark.parametrize("name", TIKTOKEN)
def test_character_classes_equal_tiktoken(name: str) -> None:
    codes = (code for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    texts = [f"{chr(c)}a{chr(c)}1{chr(c)}! {chr(c)}A{chr(c)}'{chr(c)}" for c in codes]
    for start in range(0, len(texts), 1 << 16):
        check_against_tiktoken(name, texts[start : start + (1 << 16)])


@pytest.mark.parametrize(
    "corpus", ["en/botchan.txt", "zh/cmrc2018-a.txt", "code/go-std.txt", "nasty/blns.txt"]
)
def test_pre_tokens_of_corpora_equal_tiktoken(
    corpus_bytes: Callable[[str], bytes], corpus: str
) -> None:
    text = corpus_bytes(corpus)[:300_000].decode("utf-8", "ignore")
    for name in TIKTOKEN:
        check_against_tiktoken(
            name, [text[start : start + 2000] for start in range(0, len(text), 2000)]
        )


@pytest.mark.parametrize("name", SPLIT_PATTERNS)
def test_named_patterns_use_a_grammar_that_equals_oniguruma(name: str) -> None:
    tok = pw.Tokenizer.from_str("[UNK]\na\n")
    split = pre_tokenizers.Split(pw.Regex(SPLIT_PATTERNS[name]), "isolated")
    grammar = {"r50k": "gpt2", "p50k": "gpt2"}.get(name, name)
    assert tok.replace(pre_tokenizer=split).split_backends == (f"grammar {grammar}",)
    pattern = tokenizers.Regex(SPLIT_PATTERNS[name])
    live = tokenizers.pre_tokenizers.Split(pattern, "removed", invert=True)
    only = pre_tokenizers.Split(pw.Regex(SPLIT_PATTERNS[name]), "removed", invert=True)
    for text in HARD_TEXTS:
        assert only.pre_tokenize_str(text) == live.pre_tokenize_str(text), text


def test_tiktoken_patterns_are_translated() -> None:
    assert {name: from_tiktoken(TIKTOKEN[name]) for name in TIKTOKEN} == {
        name: SPLIT_PATTERNS[name] for name in TIKTOKEN
    }
    assert from_tiktoken(SPLIT_PATTERNS["clip"] + "|x") is None


def test_other_patterns_use_automata_or_oniguruma() -> None:
    tok = pw.Tokenizer.from_str("[UNK]\na\n")
    splits = [pre_tokenizers.Split(pw.Regex(regex), "isolated") for regex in (r"\d", r"\d(?=a)")]
    parts = pre_tokenizers.Sequence([*splits, pre_tokenizers.ByteLevel()])
    backends = tok.replace(pre_tokenizer=parts).split_backends
    assert backends == ("automaton", "Oniguruma", "grammar gpt2")
    assert tok.split_backends == ()
