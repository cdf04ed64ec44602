"""Puts the documents of all parts in their order, and divides them into shards.

The order is computed in chunks of some million tokens: the runs of the parts one after the other, or for shuffled documents
one range of sort keys after the other, of which each run has one slice. So no more than a chunk is in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from piecework.corpus._parts import Run, Slice, load_keys, load_lengths

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    import numpy.typing as npt

_DIGITS = 5
"""The smallest number of digits in the names of shards."""
_CHUNK_TOKENS = 4_000_000
"""The number of tokens of a chunk of shuffled documents; of more, a chunk would take more memory, of fewer, their list."""


class Chunk(NamedTuple):
    """Describes documents that follow each other in the output.

    Attributes:
        slices: Where they are.
        documents: Their number.
        tokens: The number of their tokens.
    """

    slices: tuple[Slice, ...]
    documents: int
    tokens: int


class Piece(NamedTuple):
    """Describes the part of a chunk that belongs to a shard.

    Attributes:
        chunk: The chunk.
        start: The first document, or the first token if the rows are sequences.
        end: One past the last.
    """

    chunk: Chunk
    start: int
    end: int


class Shard(NamedTuple):
    """Describes a shard of the output.

    Attributes:
        pieces: Its contents.
        rows: The number of its rows.
        tokens: The number of its tokens.
        name: The name of its files, without suffix.
    """

    pieces: tuple[Piece, ...]
    rows: int
    tokens: int
    name: str = ""


def named(shards: Sequence[Shard]) -> list[Shard]:
    """Returns shards with names by their places, which sort as they do.

    >>> [shard.name for shard in named([Shard((), 0, 0)] * 2)]
    ['shard-00000', 'shard-00001']
    """
    digits = max(_DIGITS, len(str(len(shards) - 1)))
    return [shard._replace(name=f"shard-{place:0{digits}}") for place, shard in enumerate(shards)]


def chunks(folder: str, runs: Sequence[Run], shuffled: bool) -> list[Chunk]:
    """Returns all documents in their order, in chunks."""
    if not shuffled:
        return [Chunk((Slice.whole(run),), run.documents, run.tokens) for run in runs]
    count = max(1, -(-sum(run.tokens for run in runs) // _CHUNK_TOKENS))
    slices: list[list[Slice]] = [[] for _ in range(count)]
    for run in runs:
        for place, each in enumerate(_slices(folder, run, count)):
            if each.documents:
                slices[place].append(each)
    return [
        Chunk(tuple(each), sum(s.documents for s in each), sum(s.tokens for s in each))
        for each in slices
        if each
    ]


def _slices(folder: str, run: Run, count: int) -> Iterator[Slice]:
    """Iterates over the slices of a run for `count` equal ranges of keys."""
    import numpy as np

    bounds = np.array([(2**64 * place // count) for place in range(1, count)], np.uint64)
    inner = np.searchsorted(load_keys(folder, run), bounds)
    documents = np.concatenate([[0], inner, [run.documents]]).tolist()
    ends = np.concatenate(
        [[0], np.cumsum(load_lengths(folder, [Slice.whole(run)]), dtype=np.int64)]
    )
    tokens = ends[documents].tolist()
    for place in range(count):
        first, last = documents[place], documents[place + 1]
        yield Slice(run, first, last - first, tokens[place], tokens[place + 1] - tokens[place])


def document_shards(
    folder: str, contents: Sequence[Chunk], shard_tokens: int, shuffled: bool
) -> list[Shard]:
    """Returns shards of whole documents, each as large as possible; at least one, which may be empty."""
    shards: list[Shard] = []
    pieces: list[Piece] = []
    rows = tokens = 0

    def end_shard() -> None:
        nonlocal pieces, rows, tokens
        shards.append(Shard(tuple(pieces), rows, tokens))
        pieces, rows, tokens = [], 0, 0

    for chunk in contents:
        if tokens + chunk.tokens <= shard_tokens:
            pieces.append(Piece(chunk, 0, chunk.documents))
            rows, tokens = rows + chunk.documents, tokens + chunk.tokens
            continue
        ends = _ends(folder, chunk, shuffled)
        start = start_token = 0
        while start < chunk.documents:
            limit = start_token + shard_tokens - tokens
            end = int(ends.searchsorted(limit, side="right"))
            if end <= start and tokens:
                end_shard()
                continue
            end = max(end, start + 1)  # a document that is longer than a shard is one
            end_token = int(ends[end - 1])
            pieces.append(Piece(chunk, start, end))
            rows, tokens = rows + end - start, tokens + end_token - start_token
            start, start_token = end, end_token
            if start < chunk.documents:
                end_shard()
    if pieces or not shards:
        end_shard()
    return shards


def _ends(folder: str, chunk: Chunk, shuffled: bool) -> npt.NDArray[np.int64]:
    """Returns the ends of the documents of a chunk, in tokens."""
    import numpy as np

    return np.cumsum(load_lengths(folder, chunk.slices, shuffled=shuffled), dtype=np.int64)


def sequence_shards(contents: Sequence[Chunk], shard_tokens: int, length: int) -> list[Shard]:
    """Returns shards of sequences of `length` tokens; the tokens after the last whole sequence are left out."""
    total = sum(chunk.tokens for chunk in contents)
    size = shard_tokens // length * length
    whole = total // length * length
    shards: list[Shard] = []
    pieces: list[Piece] = []
    done = 0
    for chunk in contents:
        start = 0
        while start < chunk.tokens and done < whole:
            shard_end = min(size * (len(shards) + 1), whole)
            end = min(chunk.tokens, start + shard_end - done)
            pieces.append(Piece(chunk, start, end))
            done += end - start
            start = end
            if done == shard_end:
                tokens = done - size * len(shards)
                shards.append(Shard(tuple(pieces), tokens // length, tokens))
                pieces = []
    return shards or [Shard((), 0, 0)]
