"""Speed of representative pipelines, compared with `tokenizers`, one thread each: ids alone, and with offsets and masks."""

from __future__ import annotations

import os
import statistics
from itertools import chain
from typing import TYPE_CHECKING, Any

import corpus
import documents
import numpy as np
from timing import best

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus import Row

os.environ["TOKENIZERS_PARALLELISM"] = "false"  # read when `tokenizers` first encodes
os.environ["RAYON_NUM_THREADS"] = "1"

BYTES = int(os.environ.get("PIPELINE_BYTES", "600000"))
GOAL = "1 time in the worst, 3 in the middle"
KINDS = ", ".join(documents.TEXTS)


def measure() -> Iterator[Row]:
    """Compares ids and offsets first, then CPU time over documents of about 2.4 KB."""
    if not corpus.is_there():
        yield corpus.skipped("pipelines")
        return
    alone: dict[str, list[float]] = {}
    full: dict[str, list[float]] = {}
    for name, text in documents.pipelines().items():
        ours, theirs = loaded(text)
        alone[name] = [ids_alone(ours, theirs, kind) for kind in documents.TEXTS]
        yield f"{name}, ids", _times(alone[name]), KINDS
        full[name] = [with_columns(ours, theirs, kind) for kind in documents.TEXTS]
        yield f"{name}, offsets and masks", _times(full[name]), KINDS
    for what, ratios in (("ids", alone), ("offsets and masks", full)):
        yield f"pipelines, {what}", summary(ratios), GOAL


def loaded(text: str) -> tuple[Any, Any]:
    """Loads a document on both sides."""
    from tokenizers import Tokenizer

    import piecework as pw

    return pw.Tokenizer.from_str(text), Tokenizer.from_str(text)


def ids_alone(ours: Any, theirs: Any, kind: str) -> float:
    """Returns the speed ratio for ids alone, for a kind of text."""
    texts = documents.documents(kind, BYTES)
    fast, ids = best(lambda: our_ids(ours, texts), 5)
    slow, encodings = best(lambda: theirs.encode_batch_fast(texts), 2)
    _agree(ids, [encoding.ids for encoding in encodings], kind)
    return slow / fast


def with_columns(ours: Any, theirs: Any, kind: str) -> float:
    """Returns the speed ratio for ids, offsets and masks, for a kind of text."""
    texts = documents.documents(kind, BYTES)
    fast, columns = best(lambda: our_columns(ours, texts), 3)
    # The library computes all columns before they are read, so reading does not count for it.
    slow, encodings = best(lambda: theirs.encode_batch(texts), 2)
    for found, wanted in zip(columns, their_columns(encodings), strict=True):
        _agree(found, wanted, kind)
    return slow / fast


def our_ids(tokenizer: Any, texts: list[str]) -> Any:
    """Returns all ids, as one flat array."""
    return tokenizer.encode_batch(texts, threads=1).ids


def our_columns(tokenizer: Any, texts: list[str]) -> list[Any]:
    """Returns ids, offsets and both masks, as flat arrays."""
    batch = tokenizer.encode_batch(texts, threads=1, offsets=True)
    return [batch.ids, batch.offsets, batch.attention_mask, batch.special_tokens_mask]


def their_columns(encodings: list[Any]) -> list[list[Any]]:
    """Returns the columns of `tokenizers`: a list for each text."""
    names = ("ids", "offsets", "attention_mask", "special_tokens_mask")
    return [[getattr(encoding, name) for encoding in encodings] for name in names]


def _agree(found: Any, wanted: list[Any], kind: str) -> None:
    flat = np.asarray(list(chain.from_iterable(wanted)), dtype=np.int64)
    if not np.array_equal(np.asarray(found, dtype=np.int64).reshape(flat.shape), flat):
        raise SystemExit(f"{kind}: results differ")


def _times(ratios: list[float]) -> str:
    return ", ".join(f"{ratio:.1f}" for ratio in ratios) + " times"


def summary(ratios: dict[str, list[float]]) -> str:
    """Returns the worst cell and the median of all cells."""
    name, worst = min(((name, min(row)) for name, row in ratios.items()), key=lambda pair: pair[1])
    middle = statistics.median(chain.from_iterable(ratios.values()))
    return f"worst {worst:.1f} ({name}), median {middle:.1f} times"
