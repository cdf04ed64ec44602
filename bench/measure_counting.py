"""Memory and time to count a corpus with 20 million different words into a file, with and without a limit of memory."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import corpus
from corpus import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

WORDS = int(os.environ.get("COUNTING_WORDS", "20000000"))
"""The number of words that are made up."""
LIMIT = "300MB"
_FREE = 30 * 10**9
"""The free space on the disk that the measurement asks for, in bytes."""
_REPEATED = 4
"""Every fourth word that is made up occurs twice."""
_A_LINE = 12
_SEED = 20_000_000

# Each counting runs in its own process and reads its own peak of memory: that of `wait` includes the parent's.
ONCE = """
import json, re, sys
import piecework as pw
settings = {"max_memory": sys.argv[3]} if sys.argv[3] else {}
summary = pw.WordCounts.count_to_file(pw.Corpus(sys.argv[1]), sys.argv[2], **settings)
peak = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]
print(json.dumps([int(peak) * 1024, summary.words, summary.fingerprint]))
"""


def measure() -> Iterator[Row]:
    """Counts the same file twice, and compares the results."""
    subject = f"count {WORDS / 1e6:.0f} M different words"
    folder = Path(tempfile.gettempdir())
    if not corpus.is_there():
        yield corpus.skipped(subject)
        return
    if (free := shutil.disk_usage(folder).free) < _FREE:
        yield subject, f"skipped: {free / 1e9:.0f} GB free in {folder} (30 are needed)", "-"
        return
    folder = Path(tempfile.mkdtemp(prefix="piecework-bench-"))
    try:
        text = folder / "text"
        write_corpus(text)
        size = text.stat().st_size / 1e6
        seconds, peak, found = _once(text, folder / "a", "")
        yield f"{subject}, {size:.0f} MB", f"{seconds:.1f} s, peak {peak / 1e6:,.0f} MB", "-"
        limited, low, same = _once(text, folder / "b", LIMIT)
        if found != same or (folder / "a").read_bytes() != (folder / "b").read_bytes():
            raise SystemExit(f"{same} with a limit, expected {found}")
        figure = f"{limited:.1f} s ({limited / seconds:.2f} times), peak {low / 1e6:,.0f} MB"
        yield f"{subject}, max_memory={LIMIT}", figure, "at most 3 times, under 400 MB"
    finally:
        shutil.rmtree(folder)


def write_corpus(path: Path) -> None:
    """Writes lines of English text, each followed by words that are made of two words of the text."""
    text = corpus.english_text().decode("utf-8", "ignore")
    lines = text.split("\n")
    parts = sorted(set(re.findall(r"[a-z]{2,}", text)))
    numbers = [*range(WORDS), *range(0, WORDS, _REPEATED)]
    random.Random(_SEED).shuffle(numbers)
    with path.open("w", encoding="utf-8") as file:
        for line, at in enumerate(range(0, len(numbers), _A_LINE)):
            made = (divmod(n, len(parts)) for n in numbers[at : at + _A_LINE])
            words = " ".join([parts[one] + parts[other] for one, other in made])
            file.write(f"{lines[line % len(lines)]} {words}\n")


def _once(text: Path, out: Path, limit: str) -> tuple[float, int, list[object]]:
    """Returns the seconds of a counting in its own process, its peak of memory in bytes, and its result."""
    start = time.perf_counter()
    command = [sys.executable, "-c", ONCE, str(text), str(out), limit]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    peak, *found = json.loads(done.stdout)
    return time.perf_counter() - start, peak, found
