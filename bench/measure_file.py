"""Speed of encoding a file to one array of ids, compared with the same text in memory; and two threads compared with one."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import corpus
from corpus import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BYTES = 100_000_000
DOCUMENT = 2000


def measure() -> Iterator[Row]:
    """Compares ids first, then wall-clock times, since threads wait for shared data."""
    if not corpus.is_there():
        yield corpus.skipped("files, bert-base-uncased")
        return
    import piecework as pw

    novels = corpus.read("en/novels-25.txt")
    text = (novels * (BYTES // len(novels) + 1))[:BYTES].decode("utf-8", "ignore")
    tok = pw.Tokenizer.from_file(str(corpus.DATA / "vocabs" / "bert-base-uncased-vocab.txt"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "text.txt")
        path.write_text(text, encoding="utf-8", newline="")
        yield from _file(tok, path, text)
    yield from _threads(tok, text)


def _file(tok: Any, path: Path, text: str) -> Iterator[Row]:
    import piecework as pw

    size, corpus_of_file = path.stat().st_size / 1e6, pw.Corpus(path, per="file")
    for threads in _numbers():
        (file, ids), (memory, expected) = _best(
            lambda: tok.encode_batch(corpus_of_file, threads=threads).ids,  # noqa: B023 (called at once)
            lambda: tok.encode_batch([text], threads=threads).ids,  # noqa: B023
        )
        if not (ids == expected).all():
            raise SystemExit("a file has other ids than its text")
        figure = f"{size / file:.0f} MB/s, in memory {size / memory:.0f}: {memory / file:.0%}"
        yield f"a file of {size:.0f} MB to one array, {threads} threads", figure, "85 %"


def _threads(tok: Any, text: str) -> Iterator[Row]:
    text = text[: len(text) // 4]
    texts = {
        "documents of 2 KB": [text[at : at + DOCUMENT] for at in range(0, len(text), DOCUMENT)],
        "one document": [text],
    }
    for name, rows in texts.items():
        (two, ids), (one, expected) = _best(
            lambda: tok.encode_batch(rows, threads=2).ids,  # noqa: B023
            lambda: tok.encode_batch(rows, threads=1).ids,  # noqa: B023
        )
        if not (ids == expected).all():
            raise SystemExit(f"{name}: two threads give other ids than one")
        yield f"two threads, {name}, {len(text) / 1e6:.0f} MB", f"{one / two:.2f} times one", "1.8"


def _numbers() -> list[int]:
    return [1, 2] if (os.cpu_count() or 1) > 1 else [1]


def _best(*calls: Callable[[], Any]) -> list[tuple[float, Any]]:
    """Returns the minimum seconds of each call, run in turn, and its result."""
    found: list[tuple[float, Any]] = [(float("inf"), None)] * len(calls)
    for _ in range(5):
        for place, call in enumerate(calls):
            start = time.perf_counter()
            result = call()
            found[place] = min(found[place][0], time.perf_counter() - start), result
    return found


if __name__ == "__main__":
    for row in measure():
        print(*row, sep="  ")
