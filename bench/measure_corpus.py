"""Corpora to files of tokens: speed beside datatrove and encoding in memory, memory, resuming, cost against size.

Sizes in MB are CORPUS_SIZES (by default 250, 1000 and 4000); the largest needs 30 GB of free disk. The text is real: documents of
2.4 KB in a seeded order, repeated to the size. Times are wall times of two workers, with the start of all processes.
"""

from __future__ import annotations

import json
import math
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import corpus
import documents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus import Row

SIZES = [int(size) for size in os.environ.get("CORPUS_SIZES", "250 1000 4000").split()]
FREE_GB = 30
PEER_MB = 32  # of the text that datatrove encodes, which is slower by an order of magnitude
WORKERS = 2
PART_BYTES = 1 << 25  # the default
VOCABS = {"bert-base-uncased": "bert-base-uncased-vocab.txt", "cl100k": "cl100k_base.tiktoken"}
SOURCES = (
    *("en/novels-25.txt", "en/gcide-a.txt", "en/state_union.txt", "code/python-cpython-lib.txt"),
    *(
        "code/go-std.txt",
        "multi/de-docs.txt",
        "multi/fr-docs.txt",
        "multi/ru-docs.txt",
        "zh/laws-a.txt",
    ),
)

RUN = """
import json, resource, sys, time
import piecework as pw
from piecework.engines import Local
tok = pw.Tokenizer.from_file(sys.argv[1])
start = time.monotonic()
manifest = pw.corpus.tokenize(tok, sys.argv[2], sys.argv[3], format=sys.argv[4], engine=Local(int(sys.argv[5])))
seconds = time.monotonic() - start
peaks = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print(json.dumps([seconds, peaks[0] + int(sys.argv[5]) * peaks[1], manifest.tokens, manifest.sha256]))
"""
IN_MEMORY = """
import json, sys, time
import piecework as pw, pyarrow as pa
tok = pw.Tokenizer.from_file(sys.argv[1])
with open(sys.argv[2]) as file:
    texts = pa.array([json.loads(line)["text"] for line in file])
start = time.monotonic()
tok.encode_batch(texts, add_special_tokens=False, threads=int(sys.argv[3]))
print(time.monotonic() - start)
"""
PEER = """
import sys, time
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.tokens import DocumentTokenizer
source, tokenizer, output, workers = sys.argv[1:]
steps = [
    JsonlReader(source, glob_pattern="*.jsonl"),
    DocumentTokenizer(output, tokenizer_name_or_path=tokenizer, shuffle_documents=False),
]
start = time.monotonic()
LocalPipelineExecutor(steps, tasks=int(workers), workers=int(workers), logging_dir=output + "-logs").run()
print(time.monotonic() - start)
"""


class Done(NamedTuple):
    """Holds what a run reports: seconds, kilobytes of all its processes at their peaks, tokens, the manifest's hash."""

    seconds: float
    kilobytes: int
    tokens: int
    sha256: str


def measure() -> Iterator[Row]:
    """Measures each vocabulary on a corpus of each size."""
    if not corpus.is_there():
        yield corpus.skipped("corpora")
        return
    free = shutil.disk_usage(tempfile.gettempdir()).free / 1e9
    if free < FREE_GB:
        yield "corpora", f"skipped: {free:.0f} GB of free disk, {FREE_GB} are needed", "-"
        return
    with tempfile.TemporaryDirectory(prefix="piecework-bench-") as name:
        folder = Path(name)
        files = {size: write(folder / f"{size}.jsonl", size * 1_000_000) for size in SIZES}
        for vocab in VOCABS:
            yield from _vocabulary(folder, files, vocab)


def write(path: Path, size: int) -> Path:
    """Writes JSON lines of at least a number of bytes."""
    texts = [corpus.read(name).decode("utf-8", "ignore") for name in SOURCES]
    lines = [
        json.dumps({"text": each}, ensure_ascii=False)
        for text in texts
        for each in documents.cut(text, 2400)
    ]
    random.Random(1).shuffle(lines)
    data = [f"{line}\n".encode() for line in lines]
    with path.open("wb") as file:
        written = 0
        while written < size:
            for line in data:
                if written >= size:
                    break
                written += file.write(line)
    return path


def _vocabulary(folder: Path, files: dict[int, Path], vocab: str) -> Iterator[Row]:
    tokenizer = str(corpus.DATA / "vocabs" / VOCABS[vocab])
    middle = sorted(SIZES)[len(SIZES) // 2]
    runs = {size: _run(tokenizer, path, folder / "out") for size, path in files.items()}
    speed = middle / runs[middle].seconds
    for size, done in runs.items():
        figure = f"{size / done.seconds:.0f} MB/s, {done.kilobytes / 1000:.0f} MB in all processes"
        yield f"corpus, {vocab}, {size} MB to Megatron files", figure, "under 600 MB"
    yield f"corpus, {vocab}, cost against size", f"exponent {_exponent(runs):.2f}", "1"
    memory = float(_python(IN_MEMORY, tokenizer, files[min(SIZES)], WORKERS))
    in_memory = min(SIZES) / memory
    figure = f"{speed:.0f} of {in_memory:.0f} MB/s: {speed / in_memory:.2f}"
    yield f"corpus, {vocab}, {middle} MB beside encoding in memory", figure, "half"
    yield _resumed(tokenizer, files[middle], folder / "resumed", runs[middle], vocab)
    yield _beside_peer(tokenizer, folder, speed, vocab)


def _run(tokenizer: str, path: Path, output: Path, kind: str = "megatron") -> Done:
    printed = _python(RUN, tokenizer, path, output, kind, WORKERS)
    shutil.rmtree(output)
    return Done(*json.loads(printed))


def _python(program: str, *words: object) -> str:
    command = [sys.executable, "-c", program, *map(str, words)]
    env = {**os.environ, "LOGURU_LEVEL": "ERROR"}  # datatrove logs every step
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=env)
    return done.stdout.splitlines()[-1]


def _exponent(runs: dict[int, Done]) -> float:
    """Returns the slope of log(seconds) by log(size), by least squares."""
    points = [(math.log(size), math.log(done.seconds)) for size, done in runs.items()]
    x, y = (sum(values) / len(points) for values in zip(*points, strict=True))
    below = sum((a - x) ** 2 for a, _ in points)
    return sum((a - x) * (b - y) for a, b in points) / below if below else math.nan


def _resumed(tokenizer: str, path: Path, output: Path, whole: Done, vocab: str) -> Row:
    """Kills a run when half of its parts are encoded, and measures the second one."""
    words = [tokenizer, str(path), str(output), "megatron", str(WORKERS)]
    program = subprocess.Popen([sys.executable, "-c", RUN, *words], stdout=subprocess.DEVNULL)
    half = path.stat().st_size / PART_BYTES / 2
    while len(list((output / ".piecework").rglob("part-*.json"))) < half:
        time.sleep(0.05)
    os.kill(program.pid, signal.SIGKILL)
    program.wait()
    time.sleep(2)  # the workers end their parts
    parts = len(list((output / ".piecework").rglob("part-*.json")))
    done = _run(tokenizer, path, output)
    if done.sha256 != whole.sha256:
        raise SystemExit(f"{vocab}: a resumed run has another result")
    figure = f"{done.seconds:.1f} s after {parts} parts, {whole.seconds:.1f} whole: {done.seconds / whole.seconds:.2f}"
    return f"corpus, {vocab}, resumed after a kill at half", figure, "at most 0.6"


def _beside_peer(tokenizer: str, folder: Path, speed: float, vocab: str) -> Row:
    """Compares with datatrove, which encodes less text; its tokens are the same."""
    import piecework as pw

    what = f"corpus, {vocab}, datatrove's tokenizer"
    try:
        import datatrove  # noqa: F401  # is it there?
    except ImportError:
        return what, "skipped: datatrove is not installed", "15 times"
    source = folder / f"peer-{vocab}"
    source.mkdir()
    lines = write(source / "all.jsonl", PEER_MB * 1_000_000).read_bytes().splitlines(keepends=True)
    (source / "all.jsonl").unlink()
    for place in range(WORKERS):  # datatrove's tasks are files
        (source / f"{place}.jsonl").write_bytes(b"".join(lines[place::WORKERS]))
    plain = source / "tokenizer.json"
    tok = pw.Tokenizer.from_file(tokenizer).replace(post_processor=None)
    tok.save(plain)
    output = folder / f"peer-out-{vocab}"
    seconds = float(_python(PEER, source, plain, output, WORKERS))
    ours = folder / f"peer-ours-{vocab}"
    kinds = {"format": "datatrove", "shard_tokens": 2**31 - 1}
    pw.corpus.tokenize(tok, pw.Corpus(f"{source}/*.jsonl"), ours, **kinds)  # type: ignore[arg-type]
    theirs = b"".join(path.read_bytes() for path in sorted(output.glob("*.ds")))
    if theirs != (ours / "shard-00000.ds").read_bytes():
        raise SystemExit(f"{vocab}: other tokens than datatrove's")
    peer = PEER_MB / seconds
    figure = f"{peer:.2f} MB/s on {PEER_MB} MB, with equal files: {speed / peer:.1f} times"
    return what, figure, "15 times"
