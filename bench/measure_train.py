"""Time and memory to train 32,000 entries on 59 MB of English, compared with `tokenizers`, with counting, one thread each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import corpus
from corpus import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

GOALS = {"likelihood": "a sixth", "frequency": "a tenth", "pmi": "a tenth", "sum": "a sixth"}

ONCE = """
import json, os, re, sys, time
kind, paths = sys.argv[1], sys.argv[2:]
counted = 0
if kind == "tokenizers":
    from tokenizers import BertWordPieceTokenizer
    start = time.process_time()
    tokenizer = BertWordPieceTokenizer()
    tokenizer.train(paths, vocab_size=32000, min_frequency=1, limit_alphabet=10**6, show_progress=False)
    size = tokenizer.get_vocab_size()
else:
    from piecework import WordCounts, WordPieceTrainer, train
    start = time.process_time()
    counts = WordCounts.from_files(paths, threads=1)
    counted = time.process_time() - start
    size = len(train(counts, WordPieceTrainer(32000, criterion=kind)))
seconds = time.process_time() - start
# The peak that getrusage reports is at least that of the parent process.
peak = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())
print(json.dumps([seconds, counted, int(peak[1]) / 1024, size]))
"""


def measure() -> Iterator[Row]:
    """Runs each training in a process of its own, so that its peak memory is measured separately."""
    if not corpus.is_there():
        yield corpus.skipped("train, 32,000 entries")
        return
    paths = corpus.english_files()
    seconds, _, memory = _once("tokenizers", paths)
    megabytes = sum(map(os.path.getsize, paths)) / 1e6
    yield f"train, {megabytes:.0f} MB, tokenizers", f"{seconds:.1f} s, {memory:.0f} MB", "-"
    for criterion, goal in GOALS.items():
        mine, counted, peak = min(_once(criterion, paths) for _ in range(3))
        parts = f"{mine:.2f} s, {counted:.2f} of them counting"
        figure = f"{parts}: 1/{seconds / mine:.1f}; {peak / memory:.2f} times the memory"
        yield f"train, {megabytes:.0f} MB, {criterion}", figure, f"{goal}; 1.5 times the memory"


def _once(kind: str, paths: list[str]) -> tuple[float, float, float]:
    """Returns the CPU seconds, those of counting, and the peak memory in MB."""
    command = [sys.executable, "-c", ONCE, kind, *paths]
    environment = os.environ | {"RAYON_NUM_THREADS": "1"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    seconds, counted, memory, size = json.loads(done.stdout.splitlines()[-1])
    if size != 32000:
        raise SystemExit(f"{kind} made {size} entries")
    return seconds, counted, memory
