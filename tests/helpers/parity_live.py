"""BERT tokenizers of `tokenizers` and piecework, and their comparison."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from paths import CASES

tokenizers = pytest.importorskip("tokenizers", reason="the oracle `tokenizers` is not installed")

VOCABULARIES = ("bert-base-uncased", "bert-base-cased", "bert-base-chinese")


def entries(data: Path, name: str) -> list[str]:
    """Returns the entries of one of BERT's vocabularies."""
    path = data / "vocabs" / f"{name}-vocab.txt"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def live(vocab: Iterable[str], **settings: Any) -> Any:
    """Returns a BERT tokenizer of `tokenizers`."""
    return tokenizers.BertWordPieceTokenizer({v: i for i, v in enumerate(vocab)}, **settings)


def ours(data: Path, name: str, **settings: Any) -> pw.Tokenizer:
    """Returns piecework's tokenizer of the same vocabulary."""
    return pw.Tokenizer.from_file(data / "vocabs" / f"{name}-vocab.txt", **settings)


def loaded(text: str) -> Any:
    """Returns the tokenizer that `tokenizers` reads from a tokenizer.json."""
    return tokenizers.Tokenizer.from_str(text)


COLUMNS = ("ids", "tokens", "offsets", "type_ids", "word_ids", "attention_mask")


def compare(theirs: Any, tokenizer: pw.Tokenizer, text: str, pair: str | None = None) -> None:
    """Compares all columns of one text or pair, with and without special tokens."""
    for add in (True, False):
        wanted = theirs.encode(text, pair, add_special_tokens=add)
        found = tokenizer.encode(text, pair, add_special_tokens=add)
        for column in COLUMNS:
            same = getattr(found, column) == getattr(wanted, column)
            assert same, (ascii(text)[:300], column, getattr(found, column)[:50])
        assert found.special_tokens_mask == wanted.special_tokens_mask, ascii(text)[:300]
        assert found.sequence_ids == wanted.sequence_ids
        assert tokenizer.encode_ids(text, pair, add_special_tokens=add) == wanted.ids
    for skip in (True, False):
        wanted_text = theirs.decode(wanted.ids, skip_special_tokens=skip)
        assert tokenizer.decode(found.ids, skip_special_tokens=skip) == wanted_text


def compare_all(theirs: Any, tokenizer: pw.Tokenizer, texts: list[str]) -> None:
    """Compares ids and offsets of many texts, at the speed of batches."""
    wanted = theirs.encode_batch(texts)
    assert tokenizer.encode_batch(texts).to_list() == [encoding.ids for encoding in wanted]
    for text, want in zip(texts, wanted, strict=True):
        found = tokenizer.encode(text)
        assert found.offsets == want.offsets, ascii(text)[:300]
        assert found.word_ids == want.word_ids, ascii(text)[:300]


def case_texts() -> list[str]:
    """Returns the distinct short texts of `spec/cases/encode.json`."""
    path = CASES / "encode.json"
    cases = json.loads(path.read_text(encoding="utf-8"))["cases"]
    texts = (case["text"] for case in cases)
    whole = (t if isinstance(t, str) else t["repeat"][0] * t["repeat"][1] for t in texts)
    return [text for text in dict.fromkeys(whole) if len(text) < 3000]


CONTEXTS = ("{c}", "a{c}b", "a {c} b", "a{c}\u0301b")


def scalars(step: int = 1) -> Iterator[str]:
    """Returns every `step`-th scalar value; for a step over 1 also those around boundaries of classes."""
    chosen = set(range(0, 0x110000, step))
    if step > 1:
        chosen.update(
            range(0x3100)
        )  # all scripts with case, combining marks, punctuation, white space
        for border in (
            (0xA640, 0xAB70),
            (0xAC00, 0xAC20),
            (0xD7A0, 0xDC00),
            (0xE000, 0xE004),
            (0xF8FE, 0xFB50),
            (0xFDF0, 0x10000),
            (0x101FD, 0x10400),
            (0x11000, 0x11C00),
            (0x16AF0, 0x16B40),
            (0x1BC90, 0x1BCB0),
            (0x1D150, 0x1D250),
            (0x1E000, 0x1E960),
            (0x2A6D0, 0x2A710),
            (0x2B730, 0x2B750),
            (0x2B810, 0x2B830),
            (0x2B910, 0x2B930),
            (0x2CEA0, 0x2CEC0),
            (0x2F7F8, 0x2FA28),
            (0xE0000, 0xE0200),
        ):
            chosen.update(range(*border))
    return (chr(code) for code in sorted(chosen) if not 0xD800 <= code < 0xE000)
