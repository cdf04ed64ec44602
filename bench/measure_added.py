"""Time to add 100,000 tokens, compared with `tokenizers`, and to encode text that contains none of them."""

from __future__ import annotations

import os
from itertools import chain
from typing import TYPE_CHECKING, Any

import corpus
import documents
from timing import best

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus import Row

os.environ["TOKENIZERS_PARALLELISM"] = "false"  # read when `tokenizers` first encodes

TOKENS = [f"<entity {number:06}>" for number in range(100_000)]
BYTES = 3_000_000


def measure() -> Iterator[Row]:
    """Adds them on both sides, compares ids of a text that contains some, then speed on texts without any."""
    if not corpus.is_there():
        yield corpus.skipped("100,000 added tokens")
        return
    from tokenizers import BertWordPieceTokenizer

    import piecework as pw

    vocab = str(corpus.DATA / "vocabs" / "bert-base-uncased-vocab.txt")
    plain, theirs = pw.Tokenizer.from_file(vocab), BertWordPieceTokenizer(vocab)._tokenizer
    fast, ours = best(lambda: plain.with_added_tokens(TOKENS), 3)
    slow, _ = best(lambda: theirs.add_tokens(TOKENS), 1)
    sample = "A " + " and ".join(TOKENS[::997]) + " of <entity 000001x> <Entity 000002>."
    if ours.encode(sample).ids != theirs.encode(sample).ids:
        raise SystemExit("ids differ")
    figure = f"{fast:.2f} s, tokenizers {slow:.2f}: {slow / fast:.1f} times"
    yield "adding 100,000 tokens", figure, "under a second"
    for kind in documents.TEXTS:
        yield _speed(plain, ours, theirs, kind)


def _speed(plain: Any, ours: Any, theirs: Any, kind: str) -> Row:
    texts = documents.documents(kind, BYTES)
    without, wanted = best(lambda: plain.encode_batch(texts, threads=1).ids, 5)
    with_them, found = best(lambda: ours.encode_batch(texts, threads=1).ids, 5)
    some = texts[: len(texts) // 10]
    few = list(chain.from_iterable(encoding.ids for encoding in theirs.encode_batch_fast(some)))
    if found.tolist() != wanted.tolist() or found[: len(few)].tolist() != few:
        raise SystemExit(f"{kind}: ids differ")
    size = sum(len(text.encode()) for text in texts) / 1e6
    figure = f"{size / with_them:.1f} MB/s, {size / without:.1f} without: {with_them / without:.2f} of the time"
    return f"100,000 added tokens, {kind}", figure, "no slower"
