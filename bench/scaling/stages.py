"""Normalizers, pre-tokenizers and regular expressions on the texts that are hard for them."""

from __future__ import annotations

import random
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import piecework as pw
from piecework import hf, models, normalizers, pre_tokenizers
from piecework.patterns import SPLIT_PATTERNS
from scaling import growth

if TYPE_CHECKING:
    from collections.abc import Callable

    from scaling.growth import Call, Mechanisms, Prepare

    Text = Callable[[int], str]

TEXTS: dict[str, Text] = {
    "combining characters": lambda n: "a" + "\u0301" * n,
    "combining characters to sort": lambda n: "a" + "\u0315\u0300\u0323" * (n // 3),
    "combining characters in descending order": lambda n: (
        "a" + "\u0345" * (n // 4) + "\u0315" * (n // 4) + "\u0301" * (n // 4) + "\u0323" * (n // 4)
    ),
    "combining characters without a base": lambda n: "\u0323\u0301" * (n // 2),
    "letters that decompose": lambda n: "\u1fa7\ufdfa" * (n // 2),
    "Hangul": lambda n: "\u1100\u1161\u11a8" * (n // 3),
    "blanks": lambda n: " " * n + "x",
}


@cache
def _precompiled(rules: Any) -> normalizers.Precompiled:
    return normalizers.Precompiled.of(rules)


NORMALIZERS: dict[str, Callable[[], Any]] = {
    "NFC": normalizers.NFC,
    "NFD": normalizers.NFD,
    "NFKC": normalizers.NFKC,
    "NFKD": normalizers.NFKD,
    "StripAccents": normalizers.StripAccents,
    "BertNormalizer": normalizers.BertNormalizer,
    "Lowercase": normalizers.Lowercase,
    "Nmt": normalizers.Nmt,
    "Strip": normalizers.Strip,
    "Replace": lambda: normalizers.Replace("\u0301\u0301", "x"),
    "ByteLevel": normalizers.ByteLevel,
    "SentencePiece": normalizers.SentencePiece,
    **{
        f"Precompiled {rules}": lambda rules=rules: _precompiled(rules)
        for rules in ("nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf")
    },
}
EVERY_TEXT = ("NFC", "NFD", "NFKC", "NFKD", "Precompiled nmt_nfkc")
"""The normalizers that get every text; the others get two that are hard."""
TWO_TEXTS = ("combining characters to sort", "blanks")

PATTERNS: dict[str, tuple[str, Text]] = {
    r"\s+$": (r"\s+$", lambda n: " " * n + "x"),
    r"(a+)+$": (r"(a+)+$", lambda n: "a" * n + "b"),
    r"(a|aa)+$": (r"(a|aa)+$", lambda n: "a" * n + "b"),
    "a*b": ("a*b", lambda n: "a" * n),
    "a.*b.*c": ("a.*b.*c", lambda n: "ab" * (n // 2)),
    ".*?b": (".*?b", lambda n: "a" * n),
    "(?m).*?b": ("(?m).*?b", lambda n: "a\n" * (n // 2)),
    r"\s+(?!\S)|\s+, blanks": (r"\s+(?!\S)|\s+", lambda n: " " * n + "x"),
    r"\s+(?!\S)|\s+, words": (r"\s+(?!\S)|\s+", lambda n: "a  " * (n // 3)),
    r"(?<=a)b": (r"(?<=a)b", lambda n: "ab" * (n // 2)),
    "a string": ("a" * 200 + "b", lambda n: "a" * n),
    "a{1,300}b": ("a{1,300}b", lambda n: "a" * n),
    "alternatives": ("|".join("a" * k + "b" for k in range(1, 100)), lambda n: "a" * n),
}
BACKTRACKING: dict[str, tuple[str, Text]] = {
    r"\w+(?=\s)|\s+(?=x), letters": (r"\w+(?=\s)|\s+(?=x)", lambda n: "a" * n + "!"),
    r"\w+(?=\s)|\s+(?=x), blanks": (r"\w+(?=\s)|\s+(?=x)", lambda n: " " * n + "y"),
    r"(?<!a)b+$": (r"(?<!a)b+$", lambda n: "b" * n + "a"),
    r"(?>a+)b": (r"(?>a+)b", lambda n: "a" * n),
    r"a++b": (r"a++b", lambda n: "a" * n),
    r"(a)\1*b": (r"(a)\1*b", lambda n: "a" * n),
    r"\p{L}+(?=\p{N})": (r"\p{L}+(?=\p{N})", lambda n: "a" * n),
}
"""Expressions that only Oniguruma can search for, which reads the text again from each position, within a limit of retries."""
HARD: dict[str, Text] = {
    "blanks": lambda n: " " * n + "x" + " \n" * n + "\t" * n + "x",
    "letters": lambda n: "aA" * n + "a" * n + "A" * n + "\u0301" * n,
    "others": lambda n: "1" * n + "'" * n + "!" * n,
}
"""The texts that are hard for the patterns of well-known models."""


def _staged(stage: str, make: Callable[[], Any], text: Text) -> Prepare:
    """Encodes by a tokenizer with one stage, which is made again for each size."""

    def prepare(size: int) -> Call:
        settings: Any = {stage: make()}
        tok = pw.Tokenizer(models.WordLevel(["<unk>", "x"]), **settings)
        given = text(size)
        tok.encode("x")
        return lambda: tok.encode(given)

    return prepare


_normalized = partial(_staged, "normalizer")
_split = partial(_staged, "pre_tokenizer")


def _pattern(pattern: str, behavior: Any = "isolated") -> Callable[[], Any]:
    return lambda: pre_tokenizers.Split(pw.Regex(pattern), behavior)


def _replaced(pattern: str) -> Callable[[], Any]:
    return lambda: normalizers.Replace(pw.Regex(pattern), "y")


def _decoded(pattern: str, text: Text) -> Prepare:
    def prepare(size: int) -> Call:
        given = text(size)
        tok = pw.Tokenizer(
            models.WordLevel(["<unk>", given]), decoder=pw.decoders.Replace(pw.Regex(pattern), "y")
        )
        return lambda: tok.decode([1])

    return prepare


def _hf_normalized(text: Text) -> Prepare:
    def prepare(size: int) -> Call:
        given = text(size)

        def call() -> object:
            string = hf.NormalizedString(given)
            string.nfkd()
            string.lowercase()
            string.replace(hf.Regex(r"a"), "b")
            return string.split(" ", "isolated")

        return call

    return prepare


def _hf_words(size: int) -> Call:
    string = hf.PreTokenizedString("a " * size)

    def call() -> object:
        string.split(lambda _, part: part.split(" ", "removed"))
        return string.get_splits()

    return call


def han(size: int) -> str:
    """Returns random Han characters without spaces."""
    return "".join(map(chr, random.Random(1).choices(range(0x4E00, 0x6000), k=size)))


def _jieba(text: Text, **settings: Any) -> Prepare:
    return _split(lambda: pre_tokenizers.Jieba(**settings), text)


def _jieba_words(size: int) -> Call:
    text = han(size)
    words = sorted({text[start : start + 4] for start in range(0, size, 4)})
    tok = pw.Tokenizer(
        models.WordLevel(["<unk>"]), pre_tokenizer=pre_tokenizers.Jieba(user_words=words)
    )
    tok.encode("x")
    return lambda: tok.encode(text)


SPLITS: dict[str, Callable[[], Any]] = {
    "BertPreTokenizer": pre_tokenizers.BertPreTokenizer,
    "ByteLevel": pre_tokenizers.ByteLevel,
    "CharDelimiterSplit": lambda: pre_tokenizers.CharDelimiterSplit(" "),
    "Digits": lambda: pre_tokenizers.Digits(individual_digits=True),
    "FixedLength": lambda: pre_tokenizers.FixedLength(5),
    "Function": lambda: pre_tokenizers.Function(str.split),
    "Metaspace": pre_tokenizers.Metaspace,
    "Punctuation": pre_tokenizers.Punctuation,
    "UnicodeScripts": pre_tokenizers.UnicodeScripts,
    "Whitespace": pre_tokenizers.Whitespace,
    "WhitespaceSplit": pre_tokenizers.WhitespaceSplit,
    "Split by a string, contiguous": lambda: pre_tokenizers.Split(" ", "contiguous"),
    "Split by a string, merged": lambda: pre_tokenizers.Split(" ", "merged_with_next"),
}

MECHANISMS: Mechanisms = {
    **{
        f"normalizer {name}: {text}": _normalized(make, TEXTS[text])
        for name, make in NORMALIZERS.items()
        for text in (TEXTS if name in EVERY_TEXT else TWO_TEXTS)
    },
    "normalizer piecework.hf: combining characters to sort": _hf_normalized(
        TEXTS["combining characters to sort"]
    ),
    "normalizer piecework.hf: words": _hf_normalized(lambda n: "a " * n),
    "piecework.hf, PreTokenizedString of n words": _hf_words,
    **{f"Split {name}": _split(_pattern(p), text) for name, (p, text) in PATTERNS.items()},
    **{f"Replace {name}": _normalized(_replaced(p), text) for name, (p, text) in PATTERNS.items()},
    **{
        f"Split {name}{growth.SQUARE}": _split(_pattern(p), text)
        for name, (p, text) in BACKTRACKING.items()
    },
    **{
        f"decoder Replace {name}": _decoded(*PATTERNS[name]) for name in (r"\s+$", r"(a+)+$", "a*b")
    },
    **{
        f"pattern of {name}: {text}": _split(_pattern(pattern), HARD[text])
        for name, pattern in SPLIT_PATTERNS.items()
        if name not in ("r50k", "p50k", "qwen35", "tekken")
        for text in HARD
    },
    **{
        f"pre-tokenizer {name}: blanks and letters": _split(
            make, lambda n: "a " * n + " " * n + "a1中!" * (n // 4)
        )
        for name, make in SPLITS.items()
    },
    "jieba: Han": _jieba(han),
    "jieba: one Han character": _jieba(lambda n: "的" * n),
    "jieba: Han without hmm": _jieba(han, hmm=False),
    "jieba: one letter": _jieba(lambda n: "a" * n),
    "jieba: digits": _jieba(lambda n: "1" * n),
    "jieba: punctuation": _jieba(lambda n: "。." * n),
    "jieba: n words of a user": _jieba_words,
}
