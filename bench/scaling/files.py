"""Reading and writing: every format with n entries, or with one entry of length n."""

from __future__ import annotations

import base64
import random
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import piecework as pw
from piecework import models, pre_tokenizers
from piecework._byte_text import byte_characters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from scaling.growth import Call, Mechanisms, Prepare

BYTES = list(byte_characters().values())
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def entries(number: int) -> list[str]:
    """Returns different strings of letters."""
    choice = random.Random(3)
    return list(
        dict.fromkeys(
            "".join(choice.choices(LETTERS, k=choice.randint(3, 12))) for _ in range(number)
        )
    )


def merges(number: int) -> list[tuple[str, str]]:
    """Returns merges of bytes with tokens of at most 12 bytes, which different merges make."""
    choice, known, made = random.Random(4), list(LETTERS), dict.fromkeys(BYTES)
    pairs = []
    while len(pairs) < number:
        pair = choice.choice(known), choice.choice(known)
        token = "".join(pair)
        if token not in made and len(token) <= 12:
            made[token] = None
            pairs.append(pair)
            known.append(token)
    return pairs


def _bpe(pairs: list[tuple[str, str]]) -> pw.Tokenizer:
    vocab = dict.fromkeys([*BYTES, *("".join(pair) for pair in pairs)])
    split = pre_tokenizers.ByteLevel(add_prefix_space=False)
    decoder = pw.decoders.ByteLevel()
    return pw.Tokenizer(models.BPE(list(vocab), pairs), pre_tokenizer=split, decoder=decoder)


def word_piece(number: int) -> pw.Tokenizer:
    """Returns a WordPiece tokenizer with a number of entries."""
    letters = [text for letter in LETTERS for text in (letter, f"##{letter}")]
    tokens = dict.fromkeys(["[UNK]", "[CLS]", "[SEP]", *letters, *entries(number)])
    return pw.Tokenizer.from_str("\n".join(tokens) + "\n")


def bpe(number: int) -> pw.Tokenizer:
    """Returns a byte-level BPE tokenizer with a number of merges."""
    return _bpe(merges(number))


def chain(size: int) -> pw.Tokenizer:
    """Returns a BPE tokenizer whose tokens double in length, up to a size."""
    return _bpe([("a" * 2**power, "a" * 2**power) for power in range(size.bit_length())])


def steps(size: int) -> pw.Tokenizer:
    """Returns a BPE tokenizer whose tokens grow by one letter; their lengths add up to about a size."""
    return _bpe([("a" * length, "a") for length in range(1, int((2 * size) ** 0.5))])


def unigram(number: int) -> pw.Tokenizer:
    """Returns a Unigram tokenizer with a number of pieces."""
    pieces = dict.fromkeys(["▁", *LETTERS, *entries(number)])
    vocab = [("<unk>", 0.0), *((piece, -8.0 - i / 1e6) for i, piece in enumerate(pieces))]
    return pw.Tokenizer(
        models.Unigram(vocab, 0, precision="float32"),
        pre_tokenizer=pre_tokenizers.Metaspace(),
        decoder=pw.decoders.Metaspace(),
    )


def long_piece(size: int) -> pw.Tokenizer:
    """Returns a Unigram tokenizer with a piece of a length."""
    return pw.Tokenizer(
        models.Unigram([("<unk>", 0.0), ("a", -1.0), ("a" * size, -2.0)], 0, precision="float32"),
        pre_tokenizer=pre_tokenizers.Metaspace(),
        decoder=pw.decoders.Metaspace(),
    )


def word_level(number: int) -> pw.Tokenizer:
    """Returns a WordLevel tokenizer with a number of words."""
    return pw.Tokenizer(models.WordLevel(list(dict.fromkeys(["<unk>", *entries(number)]))))


TOKENIZERS: dict[str, Callable[[int], pw.Tokenizer]] = {
    "WordPiece": word_piece,
    "BPE": bpe,
    "BPE, long tokens": chain,
    "BPE, tokens of every length": steps,
    "Unigram": unigram,
    "Unigram, a piece of n": long_piece,
    "WordLevel": word_level,
}
FORMATS: list[tuple[str, str, str]] = [
    *((name, "tokenizer.json", "tokenizer.json") for name in TOKENIZERS),
    ("WordPiece", "vocab.txt", "vocab.txt"),
    ("BPE", "merges.txt", ""),
    ("BPE, long tokens", "merges.txt", ""),
    ("BPE, long tokens", "tiktoken", "gpt2.tiktoken"),
    ("Unigram", "sentencepiece", "spiece.model"),
    ("Unigram, a piece of n", "sentencepiece", "spiece.model"),
]
"""The tokenizers, formats and file names that are written and read."""


def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="piecework-scaling-"))


def _loading(name: str, kind: Any, file: str) -> Prepare:
    def prepare(size: int) -> Call:
        path = _folder() / file
        TOKENIZERS[name](size).save(path, kind, approximate=kind == "sentencepiece")
        if kind == "merges.txt":
            return lambda: pw.Tokenizer.from_file(path / "vocab.json")
        if kind == "tiktoken":
            return lambda: pw.Tokenizer.from_tiktoken(path, "gpt2", special_tokens={})
        return lambda: pw.Tokenizer.from_file(path)

    return prepare


def _saving(name: str, kind: Any, file: str) -> Prepare:
    def prepare(size: int) -> Call:
        path, tok = _folder() / file, TOKENIZERS[name](size)
        return lambda: tok.save(path, kind, approximate=kind == "sentencepiece")

    return prepare


def _ranks(tokens: Callable[[int], Iterable[bytes]]) -> Prepare:
    """Returns the preparation of a load of ranks: those of the bytes, then of some tokens."""

    def prepare(size: int) -> Call:
        path = _folder() / "gpt2.tiktoken"
        every = dict.fromkeys([*(bytes([byte]) for byte in range(256)), *tokens(size)])
        lines = (f"{base64.b64encode(token).decode()} {rank}\n" for rank, token in enumerate(every))
        path.write_text("".join(lines))
        return lambda: pw.Tokenizer.from_tiktoken(path, "gpt2", special_tokens={})

    return prepare


def _noise(size: int) -> list[bytes]:
    return [random.Random(5).randbytes(size)]


def _lengths(size: int) -> list[bytes]:
    return [b"a" * length for length in range(2, int((2 * size) ** 0.5))]


def _pairs(size: int) -> list[bytes]:
    """Returns the beginnings of random words, shorter ones first, so that each is a merge."""
    starts = {text[:length].encode() for text in entries(size) for length in (2, 3, 4)}
    return sorted(starts, key=lambda start: (len(start), start))


def _subword_nmt(size: int) -> Call:
    path = _folder() / "codes"
    pairs = "".join(f"{left} {right}\n" for left, right in merges(size))
    path.write_text(f"#version: 0.2\n{pairs}")
    return lambda: pw.Tokenizer.from_subword_nmt(path)


def _counts(make: Callable[[int], dict[str, int]], is_loading: bool) -> Prepare:
    def prepare(size: int) -> Call:
        counts, path = pw.WordCounts(make(size)), _folder() / "counts"
        if not is_loading:
            return lambda: counts.save(path)
        counts.save(path)
        return lambda: pw.WordCounts.load(path)

    return prepare


MECHANISMS: Mechanisms = {
    **{f"loading {kind}: {name}": _loading(name, kind, file) for name, kind, file in FORMATS},
    **{f"saving {kind}: {name}": _saving(name, kind, file) for name, kind, file in FORMATS},
    "loading tiktoken: n ranks": _ranks(_pairs),
    "loading tiktoken: a rank of n bytes": _ranks(_noise),
    "loading tiktoken: ranks of every length": _ranks(_lengths),
    "loading subword-nmt": _subword_nmt,
    "loading counts: n words": _counts(lambda n: dict.fromkeys(entries(n), 2), True),
    "loading counts: a word of n": _counts(lambda n: {"a" * n: 1}, True),
    "saving counts: n words": _counts(lambda n: dict.fromkeys(entries(n), 2), False),
}
