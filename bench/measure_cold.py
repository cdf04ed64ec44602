"""Cold start: a new process that imports, loads bert-base-uncased and encodes one sentence, compared with `tokenizers`."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from statistics import median
from typing import TYPE_CHECKING

import corpus
from corpus import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

TIMES = int(os.environ.get("COLD_TIMES", "15"))

NOTHING = "pass"
OURS = """
import sys
import piecework as pw
print(pw.Tokenizer.from_file(sys.argv[1]).encode_ids("Hello world, this is unaffable"))
"""
THEIRS = """
import sys
from tokenizers import BertWordPieceTokenizer
print(BertWordPieceTokenizer(sys.argv[1]).encode("Hello world, this is unaffable").ids)
"""


def measure() -> Iterator[Row]:
    """Runs the same work on both sides in turn, and subtracts the time of an idle interpreter."""
    if not corpus.is_there():
        yield corpus.skipped("cold start")
        return
    with tempfile.TemporaryDirectory(prefix="piecework-bench-") as folder:
        # These runs also write the bytecode that the measured runs load.
        if (ids := _once(OURS, folder)[0]) != (wanted := _once(THEIRS, folder)[0]):
            raise SystemExit(f"ids differ: {ids}, expected {wanted}")
        rounds = [
            [_once(program, folder)[1:] for program in (NOTHING, OURS, THEIRS)]
            for _ in range(TIMES)
        ]
    for clock, what in enumerate(("CPU time", "wall clock")):
        idle, ours, theirs = (
            median(run[clock] for run in runs) for runs in zip(*rounds, strict=True)
        )
        fast, slow = (ours - idle) * 1e3, (theirs - idle) * 1e3
        figure = f"{fast:.1f} ms, tokenizers {slow:.1f}: {fast / slow:.2f} of the time"
        yield f"cold start, {what}, median of {TIMES}", figure, "under 60 ms, less than tokenizers"


def _once(program: str, folder: str) -> tuple[str, float, float]:
    """Returns the output of a new process, its CPU seconds (user and system) and its wall-clock seconds."""
    # Installed packages have their bytecode; so do both sides here, whatever the environment of this process says.
    settings = os.environ | {"PYTHONPYCACHEPREFIX": folder}
    settings.pop("PYTHONDONTWRITEBYTECODE", None)
    vocab = corpus.DATA / "vocabs" / "bert-base-uncased-vocab.txt"
    command = [sys.executable, "-c", program, str(vocab)]
    before, start = _children(), time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=settings)
    return done.stdout, _children() - before, time.perf_counter() - start


def _children() -> float:
    """Returns the CPU seconds of all finished child processes."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
