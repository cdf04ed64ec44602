"""Time and memory to train 32,000 entries on 59 MB of English, compared with `tokenizers`, with counting, one thread each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import corpus
from corpus import Row
from results import Cell

if TYPE_CHECKING:
    from collections.abc import Iterator

GOALS = {"likelihood": "a sixth", "frequency": "a tenth", "pmi": "a tenth", "sum": "a sixth"}
SHOWN = ("likelihood", "frequency")
"""The criteria of the cells."""

ONCE = """
import hashlib, json, os, re, sys, time
kind, paths = sys.argv[1], sys.argv[2:]
counted = 0
if kind == "tokenizers":
    from tokenizers import BertWordPieceTokenizer
    start = time.process_time()
    tokenizer = BertWordPieceTokenizer()
    tokenizer.train(paths, vocab_size=32000, min_frequency=1, limit_alphabet=10**6, show_progress=False)
    vocab = tokenizer.get_vocab()
else:
    from piecework import Corpus, WordCounts, WordPieceTrainer, train
    start = time.process_time()
    counts = WordCounts.from_texts(Corpus(paths), threads=1)
    counted = time.process_time() - start
    vocab = train(counts, WordPieceTrainer(32000, criterion=kind)).vocab
seconds = time.process_time() - start
# The peak that getrusage reports is at least that of the parent process.
peak = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())
digest = hashlib.sha256("\\n".join(sorted(vocab)).encode()).hexdigest()
print(json.dumps([seconds, counted, int(peak[1]) / 1024, len(vocab), digest]))
"""


def measure() -> Iterator[Row | Cell]:
    """Runs each training in a process of its own, so that its peak memory is measured separately."""
    if not corpus.is_there():
        yield corpus.skipped("train, 32,000 entries")
        return
    paths = corpus.english_files()
    seconds, _, memory, theirs = _once("tokenizers", paths)
    megabytes = sum(map(os.path.getsize, paths)) / 1e6
    yield f"train, {megabytes:.0f} MB, tokenizers", f"{seconds:.1f} s, {memory:.0f} MB", "-"
    for criterion, goal in GOALS.items():
        mine, counted, peak, vocab = min(_once(criterion, paths) for _ in range(3))
        if criterion in SHOWN:
            figures, different = {"piecework": mine}, []
            if criterion == "frequency":  # tokenizers has no other criterion
                figures["tokenizers"] = seconds
                different = ["tokenizers"] if vocab != theirs else []
            model, text = f"WordPiece by {criterion}", f"{megabytes:.0f} MB of English"
            yield Cell("training", model, text, None, "s", figures, different)
        parts = f"{mine:.2f} s, {counted:.2f} of them counting"
        figure = f"{parts}: 1/{seconds / mine:.1f}; {peak / memory:.2f} times the memory"
        yield f"train, {megabytes:.0f} MB, {criterion}", figure, f"{goal}; 1.5 times the memory"


def _once(kind: str, paths: list[str]) -> tuple[float, float, float, str]:
    """Returns the CPU seconds, those of counting, the peak memory in MB, and a digest of the vocabulary."""
    command = [sys.executable, "-c", ONCE, kind, *paths]
    environment = os.environ | {"RAYON_NUM_THREADS": "1"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    seconds, counted, memory, size, digest = json.loads(done.stdout.splitlines()[-1])
    if size != 32000:
        raise SystemExit(f"{kind} made {size} entries")
    return seconds, counted, memory, digest
