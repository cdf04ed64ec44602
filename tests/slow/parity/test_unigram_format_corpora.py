"""Unigram ids against SentencePiece and `tokenizers`: corpora, all characters, hard cases."""

import random
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import live_bpe
import live_unigram as live
import piecework as pw
from converted_unigram import converted
from parity.unigram_models import pieces_of_words, written
from parity_live import CONTEXTS, scalars
from paths import unpacked

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]

Pair = tuple[pw.Tokenizer, Any]
TRAINED = {
    "bytes": ("en/botchan.txt", {"byte_fallback": True, "user_defined_symbols": ["<sep>", "ab"]}),
    "Japanese": ("multi/ja-wagahai.txt", {"character_coverage": 0.98}),
    "case": ("en/botchan.txt", {"normalization_rule_name": "nmt_nfkc_cf"}),
    "spaces": ("en/botchan.txt", {"remove_extra_whitespaces": False, "add_dummy_prefix": False}),
}
LARGE, URLS = "250,000 pieces", "URLs"
CONVERTED = (*live.MODELS, LARGE, URLS)
KINDS = (*live.MODELS, *TRAINED, LARGE, URLS, *(f"{name} converted" for name in CONVERTED))
_AT_ONCE = 20_000
_CLOSE_COMPARISON_STEP = 97
"""One in this number of texts is compared closely."""


def lines_of(data: Path, corpus: str) -> list[str]:
    """Returns the non-blank lines of a corpus."""
    path = (data / "corpora" / corpus).with_suffix(".txt.zst")
    content = unpacked(path) if path.is_file() else path.with_suffix("").read_bytes()
    return [line for line in content.decode().splitlines() if line.strip()]


def urls() -> list[str]:
    """Returns URLs, long texts without white space."""
    rng = random.Random(5)
    words = (
        "news shop img api v2 index user cart 2024 11 p ref utm_source id q search en-US".split()
    )
    hosts = ("www.example.com", "a.b.co.uk", "xn--bcher-kva.example", "127.0.0.1:8080", "例え.jp")
    parts = ("/", "/", "-", "?", "&", "=", "%20", "%E4%BD%A0", ".html", "#", "~", "+")
    return [
        f"http{rng.choice(('', 's'))}://{rng.choice(hosts)}"
        + "".join(rng.choice(parts) + rng.choice(words) for _ in range(rng.randrange(1, 30)))
        for _ in range(4000)
    ]


@cache
def model_of(kind: str, data: Path) -> bytes:
    """Returns a shared model, a trained one, or one as large as XLM-R's."""
    if kind == URLS:
        return live.trained(urls()[:3000], 900, split_by_number=False, byte_fallback=True)
    if kind == LARGE:
        corpora = ("en/gcide-a.txt", "multi/ru-docs.txt", "multi/ja-docs.txt", "zh/laws-a.txt")
        words = (word for name in corpora for line in lines_of(data, name) for word in line.split())
        return written(pieces_of_words((word[:12] for word in words), 250_000), rules="nmt_nfkc")
    if kind in TRAINED:
        corpus, settings = TRAINED[kind]
        return live.trained(lines_of(data, corpus)[:3000], 3000, **settings)
    return live.shared_model(data, kind)


def pair(kind: str, data: Path) -> Pair:
    """Returns our tokenizer and that of the library."""
    model = model_of(kind.removesuffix(" converted"), data)
    if not kind.endswith(" converted"):
        return pw.Tokenizer.from_bytes(model), live.processor(model)
    library = pytest.importorskip("tokenizers", reason="the oracle is not installed")
    converter = "T5" if "t5" in kind else "XLMRoberta" if LARGE in kind else "Spm"
    with tempfile.NamedTemporaryFile(suffix=".model") as file:
        Path(file.name).write_bytes(model)
        text = converted(Path(file.name), converter)
    return pw.Tokenizer.from_str(text), library.Tokenizer.from_str(text)


def compare(tokenizer: pw.Tokenizer, theirs: Any, texts: list[str]) -> None:
    """Compares the ids of texts in batches, and all columns of some texts."""
    is_converted = tokenizer.pre_tokenizer is not None
    for text in texts[::_CLOSE_COMPARISON_STEP]:
        compare_closely(tokenizer, theirs, text, is_converted=is_converted)
    for start in range(0, len(texts), _AT_ONCE):
        some = texts[start : start + _AT_ONCE]
        if is_converted:
            found = tokenizer.encode_batch(some).to_list()
            wanted = [encoding.ids for encoding in theirs.encode_batch(some)]
        else:  # SentencePiece never matches a control symbol in a text
            found = tokenizer.encode_batch(some, specials="text").to_list()
            wanted = theirs.encode(some)
        if found != wanted:
            rows = zip(some, found, wanted, strict=True)
            text, ours, other = next(row for row in rows if row[1] != row[2])
            pytest.fail(f"{ascii(text)[:300]}: {ours[:40]}, wanted {other[:40]}")


def compare_closely(tokenizer: pw.Tokenizer, theirs: Any, text: str, *, is_converted: bool) -> None:
    """Compares tokens, spans and decoded text."""
    if is_converted:
        wanted, found = theirs.encode(text), tokenizer.encode(text)
        assert (found.tokens, found.offsets) == (wanted.tokens, wanted.offsets), ascii(text)[:300]
    else:
        found = tokenizer.encode(text, specials="text")
        assert found.tokens == theirs.encode(text, out_type=str), ascii(text)[:300]
    assert tokenizer.decode(found.ids) == theirs.decode(found.ids), ascii(text)[:300]


@pytest.mark.parametrize("folder", ["code", "en", "multi", "nasty", "zh"])
@pytest.mark.parametrize("kind", KINDS)
def test_corpora_equal_library(kind: str, folder: str, data: Path) -> None:
    tokenizer, theirs = pair(kind, data)
    for lines in live_bpe.corpus_lines(data / "corpora" / folder, unpacked):
        compare(tokenizer, theirs, lines)


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("kind", KINDS)
def test_all_characters_equal_library(kind: str, context: str, data: Path) -> None:
    tokenizer, theirs = pair(kind, data)
    compare(tokenizer, theirs, [context.format(c=c) for c in scalars()])


@pytest.mark.parametrize("kind", KINDS)
def test_hard_cases_equal_library(kind: str, data: Path) -> None:
    tokenizer, theirs = pair(kind, data)
    long_ones = [c * 10_000 for c in ("a", "_", " ", "\n", "é", "中")]
    compare(tokenizer, theirs, [*live_bpe.texts(), *urls(), *long_ones])


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "converted" not in kind])
def test_million_characters_without_space_equal_library(kind: str, data: Path) -> None:
    tokenizer, theirs = pair(kind, data)
    for text in ("a" * 10**6, "".join(random.Random(3).choices("abcdeé中", k=10**6))):
        assert tokenizer.encode_ids(text, specials="text") == theirs.encode(text)


def test_rounded_sums_that_reach_the_restart_limit_early() -> None:
    """32-bit sums whose rounding errors add up reach −100,000, where sums restart, long before exact sums do."""
    rng = random.Random(1)
    letters = {chr(ord("b") + place): -rng.uniform(0.1, 0.3) for place in range(25)}
    pairs = {
        a + b: letters[a] + letters[b]
        for a, b in zip(letters, rng.sample([*letters], 25), strict=True)
    }
    nearby = {pair: score + rng.uniform(-0.003, 0.003) for pair, score in pairs.items()}
    scores = {"▁": -0.2, "▁a": -1.51 / 128} | letters | nearby
    model = live.model_of(
        [
            ("<unk>", 0.0, live.UNKNOWN),
            *((text, score, live.NORMAL) for text, score in scores.items()),
        ]
    )
    words = ("".join(rng.choices([*letters], k=rng.randrange(2, 9))) for _ in range(5000))
    text = " " + "a " * 7_900_000 + " ".join(words)
    assert pw.Tokenizer.from_bytes(model).encode_ids(text) == live.processor(model).encode(text)
