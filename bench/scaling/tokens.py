"""Strings of a set that are found in texts: added tokens, phrases and user-defined symbols."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import piecework as pw
from piecework import hf, models, normalizers, pre_tokenizers

if TYPE_CHECKING:
    from collections.abc import Callable

    from scaling.growth import Call, Mechanisms, Prepare

    Strings = Callable[[int], tuple[list[str], str]]
    """Returns strings and a text for a size."""
    Encode = Callable[[list[str], str], Call]
    """Returns the call that encodes a text, with some of such strings."""


def lengths(size: int) -> range:
    """Returns lengths from 1 on whose sum is about a size."""
    return range(1, math.isqrt(2 * size) + 1)


STRINGS: dict[str, Strings] = {
    "one of length n": lambda n: (["x" * n], "x" * n),
    "n of them": lambda n: (
        [f"tok{number}" for number in range(n)],
        " ".join(f"tok{number}" for number in range(n)),
    ),
    "a long one nearly matches": lambda n: (["x" * n + "y"], "x" * n),
    "a long one nearly matches, in words": lambda n: (["x " * n + "y"], "x " * n),
    "a long one nearly matches, periodic": lambda n: (["xxy" * n + "z"], "xxy" * n),
    "a short one in a long one": lambda n: (["x", "x" * n + "y"], "x" * n),
    "a short one in the middle of a long one": lambda n: (["y", "xxy" * n + "z"], "xxy" * n),
    "a short word in a long one": lambda n: (["x", "x " * n + "y"], "x " * n),
    "every length nearly matches": lambda n: (
        ["x" * length + "y" for length in lengths(n)],
        "x" * n,
    ),
    "every length matches": lambda n: (["x" * length for length in lengths(n)], "x" * n),
}
"""The hard cases of a search for strings of a set."""


def _words(added: list[str]) -> pw.Tokenizer:
    model = models.WordLevel(["<unk>", "x", "y"])
    split = pre_tokenizers.WhitespaceSplit()
    return pw.Tokenizer(model, pre_tokenizer=split).with_added_tokens(added)


def _native(added: list[str], text: str) -> Call:
    tok = _words(added)
    return lambda: tok.encode(text)


def _loaded(added: list[str], text: str) -> Call:
    tok = pw.Tokenizer.from_str(_words(added).to_str())
    return lambda: tok.encode(text)


def _hf(added: list[str], text: str) -> Call:
    tok = hf.Tokenizer(hf.models.WordLevel({"<unk>": 0, "x": 1}, unk_token="<unk>"))
    tok.pre_tokenizer = hf.pre_tokenizers.WhitespaceSplit()
    tok.add_tokens(added)
    tok.encode("x")
    return lambda: tok.encode(text)


def _flagged(normalizer: bool = False, **flags: bool) -> Encode:
    def encode(added: list[str], text: str) -> Call:
        tok = _words([]).with_added_tokens([pw.AddedToken(each, **flags) for each in added])
        if normalizer:
            tok = tok.replace(normalizer=normalizers.NFKC())
        return lambda: tok.encode(text)

    return encode


def _as_text(added: list[str], text: str) -> Call:
    tok = _words([]).with_added_tokens(added, special=True)
    return lambda: tok.encode(text, specials="text-all")


def _untrusted(added: list[str], text: str) -> Call:
    tok = _words([]).with_added_tokens(added, special=True).untrusted()
    return lambda: tok.encode(text)


def _truncated(side: str) -> Encode:
    def encode(added: list[str], text: str) -> Call:
        tok = _words(added)
        return lambda: tok.truncate_text(text, max(1, len(text) // 3), side=side)

    return encode


def _segments(added: list[str], text: str) -> Call:
    tok, half = _words(added), len(text) // 2
    segments = [(text[:half], True), (text[half:], False)]
    return lambda: tok.encode_segments(segments)


def _phrases(single_word: bool) -> Encode:
    def encode(phrases: list[str], text: str) -> Call:
        found = pre_tokenizers.Dictionary(phrases, single_word=single_word)
        split = pre_tokenizers.Sequence([found, pre_tokenizers.WhitespaceSplit()])
        tok = pw.Tokenizer(models.WordLevel(["<unk>", "x", "y"]), pre_tokenizer=split)
        return lambda: tok.encode(text)

    return encode


LONGEST_USER_WORD = 256
"""The length that a longer word of a user is refused for."""


def _user_words(words: list[str], text: str) -> Call:
    short = [word for word in words if len(word) < LONGEST_USER_WORD]
    split = pre_tokenizers.Jieba(user_words=short)
    tok = pw.Tokenizer(models.WordLevel(["<unk>", "x", "y"]), pre_tokenizer=split)
    tok.encode("x")
    return lambda: tok.encode(text)


def _normalizer_symbols(symbols: list[str], text: str) -> Call:
    normalizer = normalizers.SentencePiece(user_defined_symbols=symbols)
    tok = pw.Tokenizer(models.Unigram([("<unk>", 0.0), ("x", -1.0)], 0), normalizer=normalizer)
    return lambda: tok.encode(text)


def _unigram_symbols(symbols: list[str], text: str) -> Call:
    known = [symbol for symbol in symbols if symbol != "x"]
    vocab = [("<unk>", 0.0), ("x", -1.0), *((symbol, -2.0) for symbol in known)]
    tok = pw.Tokenizer(models.Unigram(vocab, 0, user_defined=known))
    return lambda: tok.encode(text)


def _trained(trainer: Callable[[list[str]], pw.trainers.Trainer]) -> Encode:
    def train(symbols: list[str], text: str) -> Call:
        made = trainer(symbols)
        return lambda: pw.train([text, "a b c"], made)

    return train


WAYS: dict[str, Encode] = {
    "added tokens": _native,
    "added tokens of a file": _loaded,
    "added tokens of piecework.hf": _hf,
    "added tokens, single_word": _flagged(single_word=True),
    "added tokens, normalized": _flagged(normalizer=True, normalized=True),
    "added tokens, stripped": _flagged(lstrip=True, rstrip=True),
    "added tokens as text": _as_text,
    "added tokens, untrusted": _untrusted,
    "added tokens, segments": _segments,
    "added tokens, truncate_text": _truncated("right"),
    "added tokens, truncate_text left": _truncated("left"),
    "phrases": _phrases(False),
    "phrases, single_word": _phrases(True),
    "words of a user for jieba": _user_words,
    "symbols of a SentencePiece normalizer": _normalizer_symbols,
    "symbols of Unigram": _unigram_symbols,
    "symbols of a WordPiece training": _trained(
        lambda symbols: pw.WordPieceTrainer(50 + len(symbols), user_defined_symbols=symbols)
    ),
    "symbols of a BPE training": _trained(
        lambda symbols: pw.BpeTrainer(50 + len(symbols), user_defined_symbols=symbols)
    ),
}
"""The ways to give such strings."""


EVERY_CASE = ("added tokens", "phrases", "phrases, single_word", "symbols of Unigram")
HARDEST = (
    "n of them",
    "a long one nearly matches, periodic",
    "a short one in a long one",
    "every length matches",
)
"""The ways that get every case, and the cases that the other ways get."""
LATTICES = ("symbols of Unigram", "words of a user for jieba")
"""The ways in which all strings at a place are compared, so that their number counts: no strings of every length."""


def _adding(way: Callable[[list[str]], object]) -> Prepare:
    def prepare(size: int) -> Call:
        tokens = [f"tok{number}" for number in range(size)]
        return lambda: way(tokens)

    return prepare


def _blanks(size: int) -> Call:
    tok = _words([]).with_added_tokens([pw.AddedToken("<a>", lstrip=True, rstrip=True)])
    text = " " * size + "<a>" + " " * size + "<a" + " " * size
    return lambda: tok.encode(text)


def _many_blanks(size: int) -> Call:
    tok = _words([]).with_added_tokens([pw.AddedToken("<a>", lstrip=True, rstrip=True)])
    text = "<a> " * size
    return lambda: tok.encode(text)


def _hf_add(tokens: list[str]) -> object:
    tok = hf.Tokenizer(hf.models.WordLevel({"<unk>": 0, "x": 1}, unk_token="<unk>"))
    tok.add_tokens(tokens)
    return tok.encode("x")


def _hf_add_one_by_one(tokens: list[str]) -> object:
    tok = hf.Tokenizer(hf.models.WordLevel({"<unk>": 0, "x": 1}, unk_token="<unk>"))
    for token in tokens:
        tok.add_tokens([token])
    return tok.encode("x")


MECHANISMS: Mechanisms = {
    **{
        f"{way}: {case}": lambda size, encode=encode, strings=strings: encode(*strings(size))
        for way, encode in WAYS.items()
        for case, strings in STRINGS.items()
        if (way in EVERY_CASE or case in HARDEST)
        and not (way in LATTICES and case == "every length matches")
    },
    "adding n tokens": _adding(_words),
    "adding n tokens, piecework.hf": _adding(_hf_add),
    "adding n tokens one by one, piecework.hf": _adding(_hf_add_one_by_one),
    "making n phrases": _adding(
        lambda tokens: pre_tokenizers.Dictionary(tokens).pre_tokenize_str("x")
    ),
    "added token that strips n blanks": _blanks,
    "n added tokens that strip a blank": _many_blanks,
}
