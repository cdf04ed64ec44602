"""Peak memory of training on many different words of eight letters: bytes a word, besides the text of the words."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus import Row

WORDS = int(os.environ.get("TRAINING_WORDS", "3000000"))
LENGTH = 8
ENTRIES = 2000

# Each kind runs in its own process, so that memory of one does not count for another. Words are made in batches while they are
# counted, and the memory of an empty training is no part of the figure.
ONCE = """
import json, random, sys, time
import piecework as pw
kind, number, length, entries = sys.argv[1], *map(int, sys.argv[2:])
letters, random = "etaoinshrdlucmfwypvbgk", random.Random(1)
texts = (" ".join("".join(random.choices(letters, k=length)) for _ in range(20)) for _ in range(number // 20))

def status(name):
    lines = open("/proc/self/status", encoding="ascii")
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))

trainer = {"WordPiece": pw.WordPieceTrainer, "BPE": pw.BpeTrainer, "Unigram": pw.UnigramTrainer}[kind](entries)
pw.train({"a": 1, "b": 1}, pw.WordPieceTrainer(9))
before = status("VmRSS")
counts = pw.WordCounts.from_texts(texts, threads=1)
counted, start = status("VmHWM"), time.process_time()
pw.train(counts, trainer, threads=1)
seconds, peak = time.process_time() - start, status("VmHWM")
print(json.dumps([len(counts), counted - before, peak - before, seconds]))
"""


def measure() -> Iterator[Row]:
    """Trains each model in a process of its own."""
    for kind in ("WordPiece", "BPE", "Unigram"):
        settings = map(str, (WORDS, LENGTH, ENTRIES))
        command = [sys.executable, "-c", ONCE, kind, *settings]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        words, counted, peak, seconds = json.loads(done.stdout)
        counting, training = (size / words - LENGTH for size in (counted, peak))
        figure = f"{training:.0f} bytes a word ({counting:.0f} while counting), {seconds:.1f} s"
        what = f"train {kind}, {words / 1e6:.1f} million words of {LENGTH} letters"
        yield f"{what}, besides their text", figure, "60 bytes"
