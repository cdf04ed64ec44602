"""The reference against `tokenizers` with BERT's vocabularies."""

import json
import os
import random
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import paths
from paths import data_folder
from piecework.reference import BertNormalizer, Tokenizer
from piecework.reference.tokenizer import join_wordpiece
from strategies import without_newer_characters

tokenizers = pytest.importorskip("tokenizers", reason="Hugging Face tokenizers is not installed")

DATA = data_folder()
VOCABULARIES = ("bert-base-uncased", "bert-base-cased", "bert-base-chinese")
SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
ROUNDS = int(os.environ.get("PIECEWORK_PARITY_ROUNDS", "1500"))

# Delicate characters of normalization: combining marks of many classes, characters that decompose or are dropped.
DELICATE = (
    "\u0301\u0307\u0323\u0327\u0334\u0344\u0345\u0f71\u0f72\u0f73\u0fb2\u20dd\u3099\u05b0\u0e48"
    "\u1e0b\u1e69\u1ed9\u0130\u1e9e\u03a3\u03c2\u212a\u212b\ufb01\uac00\ud55c\u1100\u1161\u11a8"
    "\u0958\u0929\u0b4b\u0dde\u1025\u1026\u30ac\uf900\U0002f800\U0001d15e\U000110ab\U0001109a"
    "\0\x01\x0b\x85\xad\u200b\u200d\ufeff\ufffd\u2028\u3000\xa0 \t\n.,!'$#[]\u2013\u2e52"
)


def strings(seed: int, words: list[str]) -> Iterator[str]:
    """Iterates over random strings of delicate characters, any characters, entries, and mixtures."""
    rng = random.Random(seed)

    def anything() -> str:
        code = rng.randrange(sys.maxunicode + 1)
        return "x" if 0xD800 <= code < 0xE000 else chr(code)

    sources: tuple[Callable[[], str], ...] = (
        lambda: rng.choice(DELICATE),
        anything,
        lambda: chr(rng.randrange(0x20, 0x800)),
        lambda: chr(rng.randrange(0x300, 0x370)),
        lambda: rng.choice("aeiouAEIOU "),
        lambda: rng.choice(words).removeprefix("##") + rng.choice(["", " "]),
        lambda: rng.choice(SPECIALS),
    )
    for _ in range(ROUNDS):
        some = rng.sample(sources, rng.randrange(1, len(sources)))
        text = "".join(rng.choice(some)() for _ in range(rng.randrange(1, 30)))
        yield without_newer_characters(text)


def case_texts() -> list[str]:
    cases = json.loads((paths.CASES / "encode.json").read_text(encoding="utf-8"))
    texts = (case["text"] for case in cases["cases"])
    whole = (t if isinstance(t, str) else t["repeat"][0] * t["repeat"][1] for t in texts)
    return [t for t in dict.fromkeys(whole) if len(t) < 1000]  # long texts are golden cases


def vocabulary(name: str) -> list[str]:
    path = DATA / "vocabs" / f"{name}-vocab.txt"
    if not path.exists():
        pytest.skip(f"{path.name} is not there: set PIECEWORK_DATA to a folder with vocabs/")
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def pair(name: str, lowercase: bool, strip_accents: bool | None = None) -> tuple[Any, Tokenizer]:
    entries = vocabulary(name)
    live = tokenizers.BertWordPieceTokenizer(
        {entry: i for i, entry in enumerate(entries)},
        lowercase=lowercase,
        strip_accents=strip_accents,
    )
    normalizer = BertNormalizer(lowercase=lowercase, strip_accents=strip_accents)
    return live, Tokenizer(entries, normalizer=normalizer)


def compare(live: Any, ours: Tokenizer, text: str) -> None:
    wanted = live.encode(text, add_special_tokens=False)
    tokens = ours.encode(text)
    assert [t.id for t in tokens] == wanted.ids, ascii(text)
    assert [t.text for t in tokens] == wanted.tokens, ascii(text)
    assert [t.span for t in tokens] == wanted.offsets, ascii(text)
    assert [t.word for t in tokens] == wanted.word_ids, ascii(text)
    for skip in (True, False):
        decoded = live.decode(wanted.ids, skip_special_tokens=skip)
        assert ours.decode(wanted.ids, skip_special_tokens=skip) == decoded, ascii(text)


@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("name", VOCABULARIES)
def test_case_texts_equal_tokenizers(name: str, lowercase: bool) -> None:
    live, ours = pair(name, lowercase)
    for text in map(without_newer_characters, case_texts()):
        compare(live, ours, text)


@pytest.mark.parametrize("strip_accents", [None, True, False])
@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("name", VOCABULARIES)
def test_random_strings_equal_tokenizers(
    name: str, lowercase: bool, strip_accents: bool | None
) -> None:
    live, ours = pair(name, lowercase, strip_accents)
    seed = VOCABULARIES.index(name) * 10 + lowercase * 4 + (strip_accents is not None)
    for text in strings(seed, ours.vocabulary):
        compare(live, ours, text)


@pytest.mark.parametrize("prefix", ["##", "", "_"])
@pytest.mark.parametrize("cleanup", [True, False])
def test_decoding_equals_tokenizers(prefix: str, cleanup: bool) -> None:
    live = tokenizers.decoders.WordPiece(prefix=prefix, cleanup=cleanup)
    rng = random.Random(7)
    parts = ["##", "_", " ", ".", "?", "!", ",", "'", "n't", "'m", " do not", "do", "not", "'s",
             "'ve", "'re", "a", "##b", "_c", " .", " ' "]  # fmt: skip
    for _ in range(ROUNDS):
        tokens = ["".join(rng.choices(parts, k=rng.randrange(1, 4))) for _ in range(6)]
        assert join_wordpiece(tokens, prefix, cleanup=cleanup) == live.decode(tokens), tokens
