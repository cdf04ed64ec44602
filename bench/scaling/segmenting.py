"""Models: Unigram, WordPiece, BPE and WordLevel on long words and with long entries that nearly match."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import piecework as pw
from piecework import models, pre_tokenizers
from piecework._byte_text import byte_characters

if TYPE_CHECKING:
    from collections.abc import Callable

    from scaling.growth import Call, Mechanisms, Prepare

    Make = Callable[[int], tuple[pw.Tokenizer, str]]
    """Returns a tokenizer and a text for a size."""

NESTED = 300
"""The number of entries of nested lengths; a fixed one, since each may start at every position."""


def letters(size: int, alphabet: str = "abcdefghijklmnopqrstuvwxyz") -> str:
    """Returns the same random letters for a size."""
    return "".join(random.Random(1).choices(alphabet, k=size))


def words(size: int) -> str:
    """Returns a text of random words, of about a size."""
    text = letters(size)
    return " ".join(text[start : start + 7] for start in range(0, size, 7))


def _unigram(extra: list[str], text: str, **settings: Any) -> tuple[pw.Tokenizer, str]:
    pieces = [(piece, -2.0 - number / 1000) for number, piece in enumerate(dict.fromkeys(extra))]
    return pw.Tokenizer(models.Unigram([("<unk>", 0.0), *pieces], 0, **settings)), text


def _word_piece(extra: list[str], text: str, **settings: Any) -> tuple[pw.Tokenizer, str]:
    tokens = dict.fromkeys(token for piece in extra for token in (piece, f"##{piece}"))
    model = models.WordPiece(["[UNK]", *tokens], max_input_chars_per_word=None, **settings)
    return pw.Tokenizer(model, pre_tokenizer=pre_tokenizers.WhitespaceSplit()), text


def _likeliest(extra: list[str], text: str) -> tuple[pw.Tokenizer, str]:
    tokens = [token for piece in extra for token in (piece, f"##{piece}")]
    chances = dict.fromkeys(tokens, 1 / len(tokens))
    return _word_piece(extra, text, segmentation="likeliest", probabilities=chances)


def _bpe(
    merges: list[tuple[str, str]], text: str, alphabet: str = "ab", **settings: Any
) -> tuple[pw.Tokenizer, str]:
    vocab = dict.fromkeys(["<unk>", *alphabet, *("".join(pair) for pair in merges)])
    model = models.BPE(list(vocab), merges, unk_token="<unk>", **settings)
    return pw.Tokenizer(model), text


def _doubled(size: int) -> list[tuple[str, str]]:
    """Returns merges of equal halves, up to a token of about a size."""
    return [("a" * 2**power, "a" * 2**power) for power in range(size.bit_length() - 1)]


def _chain(size: int) -> list[tuple[str, str]]:
    """Returns merges that append one letter each; their lengths add up to about a size."""
    return [("a" * length, "a") for length in range(1, int((2 * size) ** 0.5))]


def _byte_level(size: int) -> tuple[pw.Tokenizer, str]:
    alphabet = "".join(byte_characters().values())
    tok, _ = _bpe(_random_merges(1000), "", alphabet)
    return tok.replace(pre_tokenizer=pre_tokenizers.ByteLevel(add_prefix_space=False)), letters(
        size
    )


def _random_merges(number: int) -> list[tuple[str, str]]:
    choice, known = random.Random(2), list("abcdefghijklmnopqrstuvwxyz")
    merges: dict[tuple[str, str], str] = {}
    while len(merges) < number:
        pair = choice.choice(known), choice.choice(known)
        joined = "".join(pair)
        if joined not in known and len(joined) < 9:
            merges[pair] = joined
            known.append(joined)
    return list(merges)


VOCABULARIES: dict[str, Make] = {
    "Unigram, a long piece nearly matches": lambda n: _unigram(["a", "a" * n + "b"], "a" * n),
    "Unigram, a long piece nearly matches, periodic": lambda n: _unigram(
        ["a", "b", "aab" * n + "c"], "aab" * n
    ),
    "Unigram, a piece of n": lambda n: _unigram(["a", "a" * n], "a" * n),
    "Unigram, nested pieces": lambda n: _unigram(["a" * k for k in range(1, NESTED)], "a" * n),
    "Unigram, unknown": lambda n: _unigram(["a"], "é" * n),
    "Unigram, bytes": lambda n: _unigram(
        ["a", *(f"<0x{byte:02X}>" for byte in range(256))], "é" * n, byte_fallback=True
    ),
    "Unigram, float32": lambda n: _unigram(["a", "a" * n + "b"], "a" * n, precision="float32"),
    **{
        f"WordPiece, a long token nearly matches ({unknown})": lambda n, unknown=unknown: (
            _word_piece(["a", "a" * n + "b"], "a" * n, unknown=unknown)
        )
        for unknown in ("word", "run", "char")
    },
    "WordPiece, a long token nearly matches, periodic": lambda n: _word_piece(
        ["a", "b", "aab" * n + "c"], "aab" * n
    ),
    "WordPiece, nested tokens then failure": lambda n: _word_piece(
        ["a" * k for k in range(1, NESTED)] + ["a" * NESTED + "b"], "a" * n + "é"
    ),
    "WordPiece, unknown": lambda n: _word_piece(["a"], "é" * n, unknown="char"),
    "WordPiece, dropout, a long token nearly matches": lambda n: _word_piece(
        ["a", "a" * n + "b"], "a" * n, dropout=0.3
    ),
    "WordPiece, dropout, a token of n": lambda n: _word_piece(["a", "a" * n], "a" * n, dropout=0.3),
    "WordPiece, dropout, nested": lambda n: _word_piece(
        ["a" * k for k in range(1, NESTED)], "a" * n, dropout=0.3
    ),
    "WordPiece, likeliest, a long token nearly matches": lambda n: _likeliest(
        ["a", "a" * n + "b"], "a" * n
    ),
    "WordPiece, likeliest, nested": lambda n: _likeliest(
        ["a" * k for k in range(1, NESTED)], "a" * n
    ),
    "WordPiece, words": lambda n: _word_piece(list("abcdefghijklmnopqrstuvwxyz"), words(n)),
    "BPE, halves": lambda n: _bpe(_doubled(n), "a" * n),
    "BPE, chain": lambda n: _bpe(_chain(n), "a" * n),
    "BPE, chain, letters at random": lambda n: _bpe(_chain(n), letters(n, "aab")),
    "BPE, random merges": lambda n: _bpe(_random_merges(1000), letters(n), letters(999)),
    "BPE, no merge": lambda n: _bpe([], "a" * n),
    "BPE, dropout": lambda n: _bpe(_doubled(n), "a" * n, dropout=0.3),
    "BPE, dropout, chain": lambda n: _bpe(_chain(n), "a" * n, dropout=0.3),
    "BPE, dropout, random merges": lambda n: _bpe(
        _random_merges(1000), letters(n), letters(999), dropout=0.3
    ),
    "BPE, unknown": lambda n: _bpe([], "é" * n, fuse_unk=True),
    "BPE, ignore_merges": lambda n: _bpe(_doubled(n), "a" * n, ignore_merges=True),
    "BPE, bytes": _byte_level,
    "WordLevel": lambda n: (pw.Tokenizer(models.WordLevel(["<unk>", "a"])), "a" * n),
}


def _encode(make: Make, **options: Any) -> Prepare:
    def prepare(size: int) -> Call:
        tok, text = make(size)
        tok.build_tables()
        return lambda: tok.encode(text, cache=False, **options)

    return prepare


def _count(make: Make) -> Prepare:
    def prepare(size: int) -> Call:
        tok, text = make(size)
        tok.build_tables()
        return lambda: tok.count(text, cache=False)

    return prepare


def _truncate(make: Make, side: str) -> Prepare:
    def prepare(size: int) -> Call:
        tok, text = make(size)
        tok.build_tables()
        most = max(1, tok.count(text) // 2)
        return lambda: tok.truncate_text(text, most, side=side)

    return prepare


def _loading(make: Make) -> Prepare:
    def prepare(size: int) -> Call:
        text = make(size)[0].to_str()
        return lambda: pw.Tokenizer.from_str(text)

    return prepare


def _with(*parts: str, without: str = "\0") -> list[tuple[str, Make]]:
    """Returns the vocabularies with one of some parts in their name."""
    return [
        (name, make)
        for name, make in VOCABULARIES.items()
        if any(part in name for part in parts) and without not in name
    ]


LATTICES = _with("Unigram, a long", "Unigram, nested", "Unigram, unknown", "likeliest")
LONG = _with("nearly matches", "random merges", "halves", "unknown", "words", without="dropout")

MECHANISMS: Mechanisms = {
    **{name: _encode(make) for name, make in VOCABULARIES.items()},
    **{f"count: {name}": _count(make) for name, make in LONG},
    **{
        f"truncate_text {side}: {name}": _truncate(make, side)
        for side in ("right", "left")
        for name, make in LONG
        if "likeliest" not in name
    },
    # Up to about 4,000 characters all cuts are tried.
    **{
        f"truncate_text {side}: WordPiece, likeliest, a long token nearly matches, 16 n": _truncate(
            lambda n: _likeliest(["a", "a" * 16 * n + "b"], "a" * 16 * n), side
        )
        for side in ("right", "left")
    },
    **{
        f"loading: {name}": _loading(make)
        for name, make in _with("periodic", "chain", "halves", without="dropout")
    },
    **{
        f"sampling, alpha: {name}": _encode(make, sampling=pw.Sampling(alpha=0.5, seed=1))
        for name, make in LATTICES
    },
    **{
        f"sampling of the 8 best: {name}": _encode(
            make, sampling=pw.Sampling(alpha=0.5, nbest_size=8, seed=1)
        )
        for name, make in LATTICES
    },
    **{
        f"sampling, dropout: {name}": _encode(make, sampling=pw.Sampling(dropout=0.5, seed=1))
        for name, make in _with("BPE, halves", "BPE, bytes", "(char)", without="dropout")
    },
}
