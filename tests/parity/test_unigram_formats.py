"""The ids of Unigram over all corpora, the sweep of all characters, and hard cases: as SentencePiece and as `tokenizers` has them."""

from collections.abc import Callable
from pathlib import Path

import pytest

import live_bpe
import live_unigram as live
import piecework as pw
from conftest import unpacked
from converted_unigram import converted
from parity_live import CONTEXTS, scalars

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]

Rows = list[list[int]]
Pair = tuple[pw.Tokenizer, Callable[[list[str]], Rows]]
TRAINED = {
    "bytes": ("en/botchan.txt", {"byte_fallback": True, "user_defined_symbols": ["<sep>", "ab"]}),
    "Japanese": ("multi/ja-wagahai.txt", {"character_coverage": 0.98}),
    "case": ("en/botchan.txt", {"normalization_rule_name": "nmt_nfkc_cf"}),
    "spaces": ("en/botchan.txt", {"remove_extra_whitespaces": False, "add_dummy_prefix": False}),
}
KINDS = (*live.MODELS, *TRAINED, *(f"{name} converted" for name in live.MODELS))
_AT_ONCE = 20_000


def pair(kind: str, data: Path) -> Pair:
    """Gives our tokenizer, and what encodes many texts as its library does."""
    name = kind.removesuffix(" converted")
    if name != kind:
        library = pytest.importorskip("tokenizers", reason="the oracle is not installed")
        live.shared_model(data, name)
        text = converted(data / "vocabs" / f"{name}.model", "T5" if "t5" in name else "Spm")
        theirs = library.Tokenizer.from_str(text)
        return pw.Tokenizer.from_str(text), lambda texts: [
            e.ids for e in theirs.encode_batch(texts)
        ]
    if kind in TRAINED:
        corpus, settings = TRAINED[kind]
        path = (data / "corpora" / corpus).with_suffix(".txt.zst")
        content = unpacked(path) if path.is_file() else path.with_suffix("").read_bytes()
        lines = [line for line in content.decode().splitlines() if line.strip()]
        model = live.trained(lines[:3000], 3000, **settings)
    else:
        model = live.shared_model(data, kind)
    return pw.Tokenizer.from_bytes(model), live.processor(model).encode


def compare(tokenizer: pw.Tokenizer, theirs: Callable[[list[str]], Rows], texts: list[str]) -> None:
    """Compares the ids of texts, at the speed of batches."""
    for start in range(0, len(texts), _AT_ONCE):
        some = texts[start : start + _AT_ONCE]
        # SentencePiece never finds a control symbol in a text, and `tokenizers` does.
        specials = "match" if tokenizer.pre_tokenizer else "text"
        found, wanted = tokenizer.encode_batch(some, specials=specials).to_list(), theirs(some)
        if found != wanted:
            rows = zip(some, found, wanted, strict=True)
            text, ours, other = next(row for row in rows if row[1] != row[2])
            pytest.fail(f"{ascii(text)[:300]}: {ours[:40]}, wanted {other[:40]}")


@pytest.mark.parametrize("folder", ["code", "en", "multi", "nasty", "zh"])
@pytest.mark.parametrize("kind", KINDS)
def test_corpora(kind: str, folder: str, data: Path) -> None:
    tokenizer, theirs = pair(kind, data)
    for lines in live_bpe.corpus_lines(data / "corpora" / folder, unpacked):
        # What has rules in SentencePiece takes NUL for the end of a text.
        compare(tokenizer, theirs, [line for line in lines if "\0" not in line])


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("kind", KINDS)
def test_sweep(kind: str, context: str, data: Path) -> None:
    tokenizer, theirs = pair(kind, data)
    compare(tokenizer, theirs, [context.format(c=c) for c in scalars() if c != "\0"])


@pytest.mark.parametrize("kind", KINDS)
def test_hard_cases(kind: str, data: Path) -> None:
    tokenizer, theirs = pair(kind, data)
    long_ones = [c * 10_000 for c in ("a", "_", " ", "\n", "é", "中")]
    compare(tokenizer, theirs, [t for t in live_bpe.texts() if "\0" not in t] + long_ones)
