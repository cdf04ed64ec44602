"""`truncate_text` returns the longest part that fits: for all model families, components, and real vocabularies."""

import itertools
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tokenizers

import model_families
import naive_truncation
import parts
import piecework as pw
from paths import data_folder, unpacked
from piecework import models as m
from piecework.errors import PieceworkError
from piecework.tokenizer import _tokenizer as encoding
from profiles import scaled

VOCABS = data_folder() / "vocabs"
CONVERTED = {"qwen.tiktoken.zst": "qwen2"}
"""Files whose encoding has another name than the file, with the name of its pattern."""


@pytest.fixture(autouse=True, params=["whole", "parts"])
def sizes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Truncates texts whole, and in parts of a few characters."""
    if request.param == "parts":
        monkeypatch.setattr(encoding, "_SMALLEST_PART", 8)
        monkeypatch.setattr(encoding, "_CHARACTERS_PER_TOKEN", 1)


@pytest.mark.parametrize("models", model_families.entries())
def test_model_families(models: str) -> None:
    tok = model_families.family(models).tokenizer
    own = [token.content for token in tok.added_tokens.values()][:20]
    texts = naive_truncation.draw_texts(3, [*naive_truncation.SPECIAL, *own])
    naive_truncation.check(tok, texts, scaled(60))


def _composed(seed: int) -> Iterator[pw.Tokenizer]:
    """Yields tokenizers of random components."""
    draw = random.Random(seed)
    alphabet = sorted(set("".join(parts.VOCAB)))
    pieces = [
        ("[UNK]", 0.0),
        *((piece, -draw.random() * 9) for piece in dict.fromkeys(parts.VOCAB[2:] + alphabet)),
    ]
    pairs = [
        ("a", "b"),
        ("Ġ", "a"),
        ("ab", "ab"),
        ("中", "文"),
        ("▁", "a"),
        ("1", "2"),
        ("12", "a"),
    ]
    merged = list(dict.fromkeys([*parts.VOCAB, *alphabet, *("".join(pair) for pair in pairs)]))
    choices: list[m.Model] = [
        *parts.MODELS,
        *parts.PIECEWORK_MODELS,
        m.Unigram(dict(pieces).items(), 0),
        m.Unigram(dict(pieces).items(), 0, precision="float32", user_defined=["ab"]),
        m.BPE(merged, pairs, unk_token="[UNK]", fuse_unk=True),
        m.BPE(merged, pairs),
        m.BPE(
            [*merged, "b</w>", "ab</w>"],
            [*pairs, ("a", "b</w>")],
            unk_token="[UNK]",
            end_of_word_suffix="</w>",
        ),
        m.BPE(merged, pairs, unk_token="[UNK]", ignore_merges=True, unused=["12"]),
    ]
    while True:
        try:
            tok = pw.Tokenizer(
                draw.choice(choices),
                normalizer=draw.choice([None, *parts.NORMALIZERS]),
                pre_tokenizer=draw.choice([None, *parts.PRE_TOKENIZERS]),
                post_processor=draw.choice([None, *parts.POST_PROCESSORS]),
            )
        except PieceworkError:
            continue
        yield tok.with_added_tokens(draw.sample(parts.ADDED, draw.randrange(4)))


def test_random_components() -> None:
    texts = naive_truncation.draw_texts(5, [*naive_truncation.SPECIAL, *parts.TEXTS, "Wörd"])
    for number, tok in zip(range(scaled(2000)), _composed(4), strict=False):
        naive_truncation.check(tok, texts, 3, number)


def _longest_by_tokenizers(live: Any, text: str, n: int, side: str) -> str | None:
    """Encodes every part of a text, the longest first; a part that cannot be encoded does not count."""
    for removed in range(len(text) + 1):
        part = text[: len(text) - removed] if side == "right" else text[removed:]
        try:
            if len(live.encode(part)) <= n:
                return part
        except Exception:  # noqa: BLE001  # the library raises no specific class
            pass
    return None


def test_random_components_equal_tokenizers() -> None:
    draw, texts, compared = random.Random(7), naive_truncation.draw_texts(8, parts.TEXTS), 0
    for tok, text in zip(_composed(6), itertools.islice(texts, scaled(300)), strict=False):
        saved = tok.to_str()
        if '"piecework.' in saved:
            continue  # a component that the library does not know
        live = tokenizers.Tokenizer.from_str(saved)
        short, n = text[:20], draw.randrange(12)
        for side in ("left", "right"):
            found = naive_truncation.truncated(tok, short, n, side)
            if found is None or found.is_longest:
                assert found == _longest_by_tokenizers(live, short, n, side), (short, n, side)
                compared += 1
    assert compared > scaled(300) // 4


def _load(path: Path, folder: Path) -> pw.Tokenizer:
    """Loads a real vocabulary, which may be packed."""
    if path.suffix != ".zst":
        return pw.Tokenizer.from_file(path)
    plain = folder / path.stem
    plain.write_bytes(unpacked(path))
    if path.name in CONVERTED:
        pattern = pw.patterns.SPLIT_PATTERNS[CONVERTED[path.name]]
        return pw.Tokenizer.from_tiktoken(plain, pattern=pattern)
    return pw.Tokenizer.from_file(plain)


@pytest.mark.parity
@pytest.mark.parametrize("path", sorted(VOCABS.glob("*")), ids=lambda path: path.name)
def test_real_vocabularies(path: Path, tmp_path: Path) -> None:
    if path.name == "gpt2-vocab.bpe":
        pytest.skip("it is a part of gpt2-encoder.json")
    tok = _load(path, tmp_path)
    own = [token.content for token in itertools.islice(tok.added_tokens.values(), 20)]
    texts = naive_truncation.draw_texts(6, [*naive_truncation.SPECIAL, *own])
    naive_truncation.check(tok, texts, scaled(400))
