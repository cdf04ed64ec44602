"""Encoding speed beside `tokenizers`, one thread each."""

from __future__ import annotations

import os
import time
from itertools import chain
from typing import TYPE_CHECKING, Any

import corpus
from corpus import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

os.environ["RAYON_NUM_THREADS"] = "1"  # read when `tokenizers` first encodes

TEXTS = {
    "English": "en/novels-25.txt",
    "Chinese": "zh/laws-a.txt",
    "many languages": "multi/tatoeba-112langs.tsv",
    "code": "code/python-cpython-lib.txt",
}
BYTES = 4_000_000


def measure() -> Iterator[Row]:
    """Compare ids first, then CPU time over documents of about 2 KB."""
    if not corpus.is_there():
        yield corpus.skipped("encode, bert-base-uncased")
        return
    from tokenizers import BertWordPieceTokenizer

    import piecework as pw

    vocab = str(corpus.DATA / "vocabs" / "bert-base-uncased-vocab.txt")
    ours, theirs = pw.Tokenizer.from_file(vocab), BertWordPieceTokenizer(vocab)
    for name, path in TEXTS.items():
        text = corpus.read(path)[:BYTES].decode("utf-8", "ignore")
        documents = [text[at : at + 2000] for at in range(0, len(text), 2000)]
        size = len(text.encode()) / 1e6
        fast, ids = _best(lambda: ours.encode_batch(documents, threads=1).ids, 5)  # noqa: B023 (called at once)
        slow, encodings = _best(lambda: theirs._tokenizer.encode_batch_fast(documents), 1)  # noqa: B023
        if ids.tolist() != list(chain.from_iterable(encoding.ids for encoding in encodings)):
            raise SystemExit(f"{name}: ids differ")
        figure = f"{size / fast:.1f} MB/s, tokenizers {size / slow:.2f}: {slow / fast:.1f} times"
        yield f"encode, bert-base-uncased, {name}", figure, "5 times" if name == "English" else "-"


def _best(call: Callable[[], Any], times: int) -> tuple[float, Any]:
    """The least CPU seconds of a call, and what it gave."""
    best = float("inf")
    for _ in range(times):
        start = time.process_time()
        result = call()
        best = min(best, time.process_time() - start)
    return best, result
