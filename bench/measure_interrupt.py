"""Time from Ctrl-C to the end of a training."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus import Row

SCRIPT = """
import random, sys, time
import piecework as pw
letters, choice = "abcdefghijklmnopqrstuvwxyz", random.Random(1)
words = {"".join(choice.choices(letters, k=choice.randrange(4, 14))): n for n in range(1, 500_000)}
counts, trainer = pw.WordCounts(words), pw.WordPieceTrainer(10**6, criterion=sys.argv[1])
print("ready", flush=True)
try:
    pw.train(counts, trainer)
except KeyboardInterrupt:
    print(time.time(), flush=True)
"""
DELAYS = (0.1, 0.3, 0.6, 1.0, 1.5)


def measure() -> Iterator[Row]:
    """Interrupts trainings on 500,000 words at several moments."""
    for criterion in ("likelihood", "pmi", "sum", "frequency"):
        waits = [_wait(criterion, delay) for delay in DELAYS]
        yield f"Ctrl-C while training, {criterion}", f"ends after {max(waits):.2f} s at most", "1 s"


def _wait(criterion: str, delay: float) -> float:
    command = [sys.executable, "-c", SCRIPT, criterion]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(delay)
        sent = time.time()
        child.send_signal(signal.SIGINT)
        return float(child.stdout.readline()) - sent
