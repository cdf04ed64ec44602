"""Cold start: a new process that imports, loads bert-base-uncased and encodes one sentence, beside `tokenizers`."""

from __future__ import annotations

import os
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

NOTHING = "ids = None"
OURS = """
import piecework as pw
ids = pw.Tokenizer.from_file(sys.argv[1]).encode_ids("Hello world, this is unaffable")
"""
THEIRS = """
from tokenizers import BertWordPieceTokenizer
ids = BertWordPieceTokenizer(sys.argv[1]).encode("Hello world, this is unaffable").ids
"""
PROGRAMS = (NOTHING, OURS, THEIRS)


def measure() -> Iterator[Row]:
    """Start the same work on both sides in turn, and take from each what an interpreter that does nothing takes."""
    if not corpus.is_there():
        yield corpus.skipped("cold start")
        return
    runs: dict[str, list[tuple[float, float]]] = {program: [] for program in PROGRAMS}
    with tempfile.TemporaryDirectory(prefix="piecework-bench-") as folder:
        _equal(folder)
        for _ in range(TIMES):
            for program in PROGRAMS:
                runs[program].append(_once(program, folder)[1:])
    for place, what in enumerate(("CPU time", "wall clock")):
        idle, ours, theirs = (median(run[place] for run in runs[program]) for program in PROGRAMS)
        fast, slow = ours - idle, theirs - idle
        figure = f"{fast * 1e3:.1f} ms, tokenizers {slow * 1e3:.1f}: {fast / slow:.2f} of the time"
        yield f"cold start, {what}, median of {TIMES}", figure, "under 60 ms, less than tokenizers"


def _equal(folder: str) -> None:
    """Compare the ids, which also leaves bytecode for the runs that count."""
    found, wanted = _once(OURS, folder)[0], _once(THEIRS, folder)[0]
    if found != wanted:
        raise SystemExit(f"ids differ: {found}, and they are {wanted}")


def _once(program: str, folder: str) -> tuple[str, float, float]:
    """What a new process prints, its CPU seconds and how long it took."""
    # Installed packages have their bytecode; so have both sides here, whatever this process was told.
    settings = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    vocab = corpus.DATA / "vocabs" / "bert-base-uncased-vocab.txt"
    command = [sys.executable, "-c", f"import sys{chr(10)}{program}{chr(10)}print(ids)", str(vocab)]
    start = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=settings | {"PYTHONPYCACHEPREFIX": folder}
    )
    assert process.stdout is not None
    printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    took = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"a run failed: {program}")
    return printed, usage.ru_utime + usage.ru_stime, took
