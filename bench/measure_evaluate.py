"""Evaluations of files: speed beside encoding the same documents, memory by size, and the time of a report."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import corpus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from corpus import Row

SIZE = 40_000_000
LARGER = 4
VOCABS = {
    "bert-base-uncased": ("bert-base-uncased-vocab.txt", "en/novels-25.txt"),
    "cl100k": ("cl100k_base.tiktoken", "en/novels-25.txt"),
    "t5": ("t5-spiece.model", "en/novels-25.txt"),
    "bert-base-chinese": ("bert-base-chinese-vocab.txt", "zh/laws-a.txt"),
}
MEMORY = """
import sys
import piecework as pw
tok = pw.Tokenizer.from_file(sys.argv[1])
pw.evaluate(tok, pw.Corpus(sys.argv[2]))
status = dict(line.split(":") for line in open("/proc/self/status"))
print(status["VmHWM"].split()[0])  # the peak of this process alone
"""


def measure() -> Iterator[Row]:
    """Compares the tokens first, then wall-clock times of one thread for each core."""
    if not corpus.is_there():
        yield corpus.skipped("evaluation")
        return
    with tempfile.TemporaryDirectory(prefix="piecework-bench-") as name:
        folder = Path(name)
        for vocab, (file, text) in VOCABS.items():
            yield _speed(vocab, file, _written(folder, text, SIZE))
        yield from _memory(folder)
        yield _report(folder)


def _written(folder: Path, text: str, size: int) -> Path:
    """Returns a file of lines, which are the documents."""
    path = folder / f"{size}-{Path(text).name}"
    if not path.exists():
        path.write_bytes(corpus.repeated(corpus.read(text), size))
    return path


def _tokenizer(file: str) -> Any:
    import piecework as pw

    return pw.Tokenizer.from_file(str(corpus.DATA / "vocabs" / file))


def _speed(vocab: str, file: str, path: Path) -> Row:
    import piecework as pw
    from piecework._io.documents import read
    from piecework._io.sources import find_sources

    tok, threads = _tokenizer(file), os.cpu_count() or 1
    batches = [documents.texts for documents in read(find_sources(str(path))[0])]

    def encode() -> int:
        encoded = (
            tok.encode_batch(texts, add_special_tokens=False, threads=threads) for texts in batches
        )
        return sum(len(batch.ids) for batch in encoded)

    def evaluate() -> int:
        evaluation = pw.evaluate(tok, pw.Corpus(path), threads=threads)
        return int(evaluation.tokenizers[0].total.sums.tokens)

    (one, expected), (other, tokens) = _best(encode, evaluate)
    if tokens != expected:
        raise SystemExit(f"{vocab}: other tokens than those of encode_batch")
    size = path.stat().st_size / 1e6
    figure = f"{size / other:.0f} of {size / one:.0f} MB/s: {one / other:.2f}"
    return f"evaluate lines, {vocab}, {size:.0f} MB, {threads} threads", figure, "half of encoding"


def _best(*calls: Callable[[], int]) -> list[tuple[float, int]]:
    """Returns the minimum seconds of each call, run in turn, and its result."""
    found = [(float("inf"), 0)] * len(calls)
    for _ in range(5):
        for place, call in enumerate(calls):
            start = time.perf_counter()
            result = call()
            found[place] = min(found[place][0], time.perf_counter() - start), result
    return found


def _memory(folder: Path) -> Iterator[Row]:
    vocab = str(corpus.DATA / "vocabs" / "bert-base-uncased-vocab.txt")
    peaks = []
    for size in (SIZE, SIZE * LARGER):
        path = _written(folder, "en/novels-25.txt", size)
        command = [sys.executable, "-c", MEMORY, vocab, str(path)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        peaks.append(int(done.stdout) / 1000)
    one, other = (SIZE // 1_000_000, SIZE * LARGER // 1_000_000)
    figure = f"{peaks[0]:.0f} MB for {one} MB, {peaks[1]:.0f} MB for {other} MB"
    yield "evaluate, peak of memory by size", figure, "equal"


def _report(folder: Path) -> Row:
    import piecework as pw

    what = "HTML report on 40 MB, four tokenizers"
    tokenizers = {name: _tokenizer(file) for name, (file, _) in VOCABS.items()}
    path = _written(folder, "en/novels-25.txt", SIZE)
    start = time.perf_counter()
    page = pw.evaluate(tokenizers, pw.Corpus(path)).to_html()
    seconds = time.perf_counter() - start
    return what, f"{seconds:.1f} s, {len(page.encode()) / 1e6:.1f} MB", "under 20 s"


if __name__ == "__main__":
    for row in measure():
        print(*row, sep="  ")
