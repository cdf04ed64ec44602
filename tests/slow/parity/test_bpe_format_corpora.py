"""BPE ids of every format against its library: corpora, all characters, hard cases."""

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import live_bpe
import piecework as pw
from parity_live import CONTEXTS, scalars
from paths import unpacked

pytestmark = pytest.mark.parity

Rows = list[list[int]]
Pair = tuple[pw.Tokenizer, Callable[[list[str]], Rows]]
KINDS = ("tiktoken", "gpt2", "clip", "llama2", "sentencepiece")
_AT_ONCE = 20_000


def pair(kind: str, data: Path) -> Pair:
    """Returns our tokenizer of a format and a batch encoder of its library."""
    if kind == "tiktoken":
        path = live_bpe.vocab_file(data, "cl100k_base.tiktoken")
        ranks = live_bpe.tiktoken_cl100k(path)
        return pw.Tokenizer.from_file(path), lambda texts: [ranks.encode_ordinary(t) for t in texts]
    if kind == "gpt2":
        vocab = live_bpe.vocab_file(data, "gpt2-encoder.json")
        merges = live_bpe.vocab_file(data, "gpt2-vocab.bpe")
        theirs = live_bpe.hugging_face_gpt2(vocab, merges)
        theirs.encode_special_tokens = True
        return pw.Tokenizer.from_file(vocab), lambda texts: [
            e.ids for e in theirs.encode_batch(texts)
        ]
    if kind == "clip":
        path = live_bpe.vocab_file(data, "clip-bpe_simple_vocab_16e6.txt.gz")
        clip = live_bpe.hugging_face_clip(gzip.decompress(path.read_bytes()).decode())
        clip.encode_special_tokens = True
        return pw.Tokenizer.from_file(path), lambda texts: [e.ids for e in clip.encode_batch(texts)]
    if kind == "llama2":
        path = live_bpe.vocab_file(data, "llama2-tokenizer.model")
        return pw.Tokenizer.from_file(path), live_bpe.sentencepiece(path.read_bytes()).encode
    lines = unpacked(data / "corpora" / "en" / "botchan.txt.zst").decode().splitlines()
    settings = {
        "normalization_rule_name": "nmt_nfkc",
        "user_defined_symbols": ["<sep>", "ab", "\u0301b"],
    }
    model = live_bpe.trained_sentencepiece(lines, 2000, **settings)
    return pw.Tokenizer.from_bytes(model), live_bpe.sentencepiece(model).encode


def compare(tokenizer: pw.Tokenizer, theirs: Callable[[list[str]], Rows], texts: list[str]) -> None:
    """Compares the ids of texts in batches."""
    for start in range(0, len(texts), _AT_ONCE):
        some = texts[start : start + _AT_ONCE]
        found, wanted = tokenizer.encode_batch(some, specials="text").to_list(), theirs(some)
        if found != wanted:
            rows = zip(some, found, wanted, strict=True)
            text, ours, other = next(row for row in rows if row[1] != row[2])
            pytest.fail(f"{ascii(text)[:300]}: {ours[:40]}, wanted {other[:40]}")


@pytest.mark.parametrize("folder", ["code", "en", "multi", "nasty", "zh"])
@pytest.mark.parametrize("kind", KINDS)
def test_corpora_equal_library(kind: str, folder: str, data: Path) -> None:
    tokenizer, theirs = pair(kind, data)
    for lines in live_bpe.corpus_lines(data / "corpora" / folder, unpacked):
        # With normalization rules, SentencePiece takes NUL for the end of a text.
        compare(tokenizer, theirs, [line for line in lines if "\0" not in line])


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("kind", KINDS)
def test_all_characters_equal_library(kind: str, context: str, data: Path) -> None:
    tokenizer, theirs = pair(kind, data)
    compare(tokenizer, theirs, [context.format(c=c) for c in scalars() if c != "\0"])


@pytest.mark.parametrize("kind", KINDS)
def test_hard_cases_equal_library(kind: str, data: Path) -> None:
    tokenizer, theirs = pair(kind, data)
    long_ones = [c * 10_000 for c in ("a", "_", " ", "\n", "é", "中")]
    compare(tokenizer, theirs, [text for text in live_bpe.texts() if "\0" not in text] + long_ones)


def some_lines(data: Path) -> Iterator[str]:
    """Iterates over lines of every corpus that are short enough for a quadratic library."""
    for lines in live_bpe.corpus_lines(data / "corpora", unpacked):
        yield from (line for line in lines[::50] if len(line) < 2000)


def test_codes_equal_subword_nmt(data: Path) -> None:
    path = live_bpe.vocab_file(data, "subword-nmt-bpe.ref.codes")
    theirs, ours = live_bpe.subword_nmt(path.read_bytes()), pw.Tokenizer.from_file(path)
    for line in some_lines(data):
        assert live_bpe.segmented(ours, line) == theirs.segment(line), ascii(line)[:300]
    for context in CONTEXTS:
        for c in scalars(17):
            text = context.format(c=c)
            if "\n" not in text:
                assert live_bpe.segmented(ours, text) == theirs.segment(text), ascii(text)
