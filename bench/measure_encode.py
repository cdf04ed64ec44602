"""Speed of encoding with BERT's vocabulary, compared with `tokenizers` and tokie, the fastest peer; one thread each."""

from __future__ import annotations

import os
import time
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import corpus
import documents
import numpy as np
from corpus import Row
from peers import (
    Comparison,
    Peer,
    agree,
    all_columns,
    compared,
    tokenizers_peer,
    tokie_of,
    tokie_peers,
)
from timing import best

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from results import Cell

os.environ["RAYON_NUM_THREADS"] = "1"  # read when `tokenizers` first encodes

BYTES = 4_000_000
DOCUMENT = 2000  # bytes, about
GOALS = {"English": "60 times, 4 times tokie"}
VOCAB = str(corpus.DATA / "vocabs" / "bert-base-uncased-vocab.txt")


class Peers(NamedTuple):
    """Tokenizers to measure."""

    ours: Any
    theirs: Any
    tokie: Any


def measure() -> Iterator[Row | Cell]:
    """Compares ids first, then CPU time."""
    if not corpus.is_there():
        yield corpus.skipped("encode, bert-base-uncased")
        return
    for name in documents.TEXTS:
        yield from _repeated(name)
    yield _unseen()
    yield from _single()


def _peers() -> Peers:
    """Returns new tokenizers with the same vocabulary."""
    from tokenizers import BertWordPieceTokenizer

    import piecework as pw

    theirs = BertWordPieceTokenizer(VOCAB)._tokenizer
    return Peers(pw.Tokenizer.from_file(VOCAB), theirs, tokie_of(theirs.to_str()))


def _compared(name: str, texts: Sequence[str]) -> Comparison:
    """Compares ids without special tokens, which tokie does not add for this vocabulary."""
    from tokenizers import BertWordPieceTokenizer

    import piecework as pw

    ours = Peer(
        "piecework",
        lambda: pw.Tokenizer.from_file(VOCAB),
        lambda tok, texts: tok.encode_batch(texts, threads=1, add_special_tokens=False).ids,
        lambda tok, text: tok.encode_ids(text),
    )
    document = BertWordPieceTokenizer(VOCAB)._tokenizer.to_str()
    theirs = tokenizers_peer(document, has_cache=False)
    encodings = theirs.many(theirs.make(), texts)
    peers = [ours, theirs, *tokie_peers(document)]
    return compared(f"bert-base-uncased, {name}", peers, texts, theirs.flat(encodings))


def _text(name: str, start: int = 0, size: int = BYTES) -> str:
    return corpus.read(documents.TEXTS[name])[start : start + size].decode("utf-8", "ignore")


def _repeated(name: str) -> Iterator[Row | Cell]:
    """Measures a warm cache: ids alone, without the cache, and with all columns."""
    ours, theirs, _ = _peers()
    texts = documents.cut(_text(name), DOCUMENT)
    size = sum(len(text.encode()) for text in texts) / 1e6
    comparison = _compared(name, texts)
    yield from comparison.cells("WordPiece", "bert-base-uncased", name)
    goal = GOALS.get(name, "25 times, twice tokie")
    yield f"encode, bert-base-uncased, {name}, repeated", _beside(comparison), goal
    wanted = _flat(theirs.encode_batch_fast(texts))
    uncached, others = best(lambda: ours.encode_batch(texts, threads=1, cache=False).ids, 3)
    generic, plain = best(lambda: _generic(ours, texts), 1)
    for found in (others, plain):
        agree(name, found, wanted)
    figure = f"{size / uncached:.0f} MB/s, the generic path {size / generic:.0f}"
    yield f"  the same, cache=False, {name}", figure, "-"

    figure = all_columns(name, ours, theirs, texts)
    yield f"  the same, all columns, {name}", figure, "20 times"


def _generic(tok: Any, texts: Sequence[str]) -> Any:
    """Returns the ids of the generic path, which the fast path must equal."""
    from piecework.tokenizer._options import UNLIMITED

    options = tok._new_options({"specials": "match", **UNLIMITED}, path="generic")
    return tok._core.encode_batch(texts, False, options, False, 1).ids


def _flat(encodings: Sequence[Any]) -> Any:
    """Returns the ids of encodings of `tokenizers` as one array."""
    return np.fromiter(chain.from_iterable(encoding.ids for encoding in encodings), np.uint32)


def _beside(comparison: Comparison) -> str:
    """Returns the speeds with a warm cache, and the ratios to the peers."""
    ours, peers = comparison.warm["piecework"], comparison.warm
    ratio = ours / peers["tokenizers"]
    figure = f"{ours:.0f} MB/s, tokenizers {peers['tokenizers']:.2f}: {ratio:.1f} times"
    if "tokie" in peers:
        return f"{figure}, {ours / peers['tokie']:.1f} times tokie"
    return f"{figure}, tokie {'has other ids' if comparison.different else 'is not installed'}"


def _unseen() -> Row:
    """Measures one pass of a new tokenizer after 2 MB of other text."""
    before, text = _text("English", 12_000_000, 2_000_000), _text("English")
    warm, texts = documents.cut(before, DOCUMENT), documents.cut(text, DOCUMENT)
    size = len(text.encode()) / 1e6
    fast = peer = float("inf")
    for _ in range(5):
        ours, theirs, tokie = _peers()
        ours.encode_batch(warm, threads=1)
        seconds, ids = best(lambda: ours.encode_batch(texts, threads=1).ids, 1)  # noqa: B023
        fast = min(fast, seconds)
        if tokie is not None:
            tokie.encode_batch_flat(warm)
            peer = min(peer, best(lambda: tokie.encode_batch_flat(texts), 1)[0])  # noqa: B023
    slow, encodings = best(lambda: theirs.encode_batch_fast(texts), 1)
    agree("unseen", ids, _flat(encodings))
    figure = f"{size / fast:.0f} MB/s, tokenizers {size / slow:.2f}: {slow / fast:.1f} times"
    beside = f", {peer / fast:.1f} times tokie" if tokie is not None else ", tokie is not installed"
    return "encode, bert-base-uncased, English, unseen", figure + beside, "30 times, twice tokie"


def _single() -> Iterator[Row]:
    """Short texts, one call each."""
    ours, theirs, tokie = _peers()
    text = " ".join(_text("English", 3_000_000).split())
    for size in (64, 512):
        texts = [text[size * number :][:size] for number in range(min(10_000, len(text) // size))]
        calls: dict[str, Callable[[str], list[int]]] = {
            "piecework": ours.encode_ids,
            "tokenizers": lambda text: theirs.encode(text).ids,
        }
        if tokie is not None:
            calls["tokie"] = lambda text: tokie.encode(text).ids
        if [calls["piecework"](text) for text in texts] != [
            theirs.encode(text).ids for text in texts
        ]:
            raise SystemExit("one call each: ids differ")
        figures = []
        for name, call in calls.items():
            seconds, _ = best(lambda: [call(text) for text in texts], 5, time.process_time)  # noqa: B023
            figures.append(f"{name} {seconds / len(texts) * 1e6:.2f}")
        yield (
            f"{len(texts)} texts of {size} bytes, one call each",
            ", ".join(figures) + " µs",
            "tokie's",
        )
