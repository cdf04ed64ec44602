"""Other libraries, the comparison of their ids, and their speed."""

from __future__ import annotations

import tempfile
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from results import Cell
from timing import best

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SECONDS = 4.0
"""A pass is repeated for at most this time."""
COLD_PASSES = 3
WARM_PASSES = 7
COLUMNS = ("offsets", "word_ids", "type_ids", "attention_mask", "special_tokens_mask")


class Peer(NamedTuple):
    """An encoder of many texts to flat ids, and one of a single text to a list."""

    name: str
    make: Callable[[], Any]
    """Returns a new tokenizer, whose cache is cold."""
    many: Callable[[Any, Sequence[str]], Any]
    one: Callable[[Any, str], Any]
    flat: Callable[[Any], Any] = lambda found: found
    """Returns the result of `many` as flat ids; its time does not count."""
    has_cache: bool = True
    """Whether a second pass can be faster than the first."""
    array: Callable[[Any, str], Any] | None = None
    """Encodes a single text to a NumPy array."""


class Comparison(NamedTuple):
    """The speeds of the libraries with equal ids, in MB/s, and the names of the others."""

    cold: dict[str, float]
    warm: dict[str, float]
    different: list[str]

    def cells(self, group: str, model: str, text: str) -> Iterator[Cell]:
        """Yields the cell of the cold cache and that of the warm cache."""
        for cache, figures in (("cold", self.cold), ("warm", self.warm)):
            yield Cell(group, model, text, cache, "MB/s", figures, self.different)


def compared(
    what: str,
    peers: Sequence[Peer],
    texts: Sequence[str],
    wanted: Any,
    before: Sequence[str] = ("a",),
) -> Comparison:
    """Returns the speeds of a first and of a later pass of new tokenizers, with one thread.

    A new tokenizer encodes the texts `before` first, by which its tables are built. Peers with other ids are left
    out; other ids of piecework end the run.
    """
    size = sum(len(text.encode()) for text in texts) / 1e6
    result = Comparison({}, {}, [])
    for peer in peers:
        cold, warm, found = _passes(peer, texts, before)
        if peer.name == "piecework":
            for ids in found:
                agree(what, peer.flat(ids), wanted)
        elif not all(np.array_equal(peer.flat(ids), wanted) for ids in found):
            result.different.append(peer.name)
            continue
        result.cold[peer.name], result.warm[peer.name] = size / cold, size / warm
    return result


def beside(speeds: dict[str, float]) -> str:
    """Returns the speed of the first and its ratio to the fastest of the others."""
    (_, ours), *others = speeds.items()
    listed = ", ".join(f"{name} {speed:.0f}" for name, speed in others)
    ratio = f": {ours / max(speed for _, speed in others):.2f} times" if others else ""
    return f"{ours:.0f} MB/s, {listed or 'no peer is there'}{ratio}"


def _passes(
    peer: Peer, texts: Sequence[str], before: Sequence[str]
) -> tuple[float, float, tuple[Any, Any]]:
    """Returns the seconds of a cold and of a warm pass, and the results of both."""
    passes: list[float] = []
    while not passes or (len(passes) < COLD_PASSES and sum(passes) < SECONDS):
        tok = peer.make()
        peer.many(tok, before)
        seconds, first = best(lambda: peer.many(tok, texts), 1)  # noqa: B023 (called at once)
        passes.append(seconds)
    cold = min(passes)
    if not peer.has_cache:
        return cold, cold, (first, first)
    times = max(1, min(WARM_PASSES, int(SECONDS / cold)))
    warm, again = best(lambda: peer.many(tok, texts), times)
    return cold, warm, (first, again)


def tokie_of(document: str) -> Any:
    """Returns tokie's tokenizer of a tokenizer.json, or None if tokie is not installed."""
    try:
        import tokie
    except ImportError:
        return None
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        file.write(document)
        file.flush()
        return tokie.Tokenizer.from_json(file.name)


def tokie_peers(document: str) -> list[Peer]:
    """Returns tokie as a peer, without special tokens, or nothing if it is not installed."""
    if tokie_of(document) is None:
        return []
    return [
        Peer(
            "tokie",
            lambda: tokie_of(document),
            lambda tok, texts: tok.encode_batch_flat(texts, add_special_tokens=False),
            lambda tok, text: tok.encode(text),
            lambda found: found[0],
        )
    ]


def tokenizers_peer(document: str, *, has_cache: bool) -> Peer:
    """Returns `tokenizers` as a peer, without special tokens."""
    from tokenizers import Tokenizer

    return Peer(
        "tokenizers",
        lambda: Tokenizer.from_str(document),
        lambda tok, texts: tok.encode_batch_fast(texts, add_special_tokens=False),
        lambda tok, text: tok.encode(text),
        lambda found: np.concatenate([encoding.ids for encoding in found]),
        has_cache,
    )


def all_columns(what: str, ours: Any, theirs: Any, texts: Sequence[str]) -> str:
    """Returns the speed of encoding to all columns with a warm cache, beside `tokenizers`."""
    size = sum(len(text.encode()) for text in texts) / 1e6
    slow, encodings = best(lambda: theirs.encode_batch(texts), 1)
    fast, batch = best(lambda: ours.encode_batch(texts, threads=1, offsets=True), 5)
    for column in COLUMNS:
        agree(f"{what}, {column}", getattr(batch, column).ravel(), _column(encodings, column))
    return f"{size / fast:.0f} MB/s, tokenizers {size / slow:.2f}: {slow / fast:.1f} times"


def _column(encodings: Sequence[Any], column: str) -> Any:
    values: Any = chain.from_iterable(getattr(encoding, column) for encoding in encodings)
    if column == "offsets":
        values = chain.from_iterable(values)
    return np.fromiter((-1 if value is None else value for value in values), np.int64)


def agree(what: str, found: Any, wanted: Any) -> None:
    """Ends the run if ids differ from those of the reference."""
    if not np.array_equal(found, wanted):
        raise SystemExit(f"{what}: ids differ from those of the reference")
