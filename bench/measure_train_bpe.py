"""Time and memory to train BPE on bytes, 32,000 entries on 100 MB of English, compared with `tokenizers` and gigatoken.

Each has one thread. The text is all English corpora, concatenated and repeated to 100 MB; texts are split by GPT-2's pattern. The
merges must equal those of `tokenizers`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import corpus
from corpus import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZE = 100_000_000
TIMES = 3

ONCE = """
import json, re, sys, time
kind, path = sys.argv[1:]
counted, merges = 0, []
if kind == "tokenizers":
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    start = time.process_time()
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=32000, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train([path], trainer)
    seconds = time.process_time() - start
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
elif kind == "gigatoken":
    import gigatoken
    start = time.process_time()
    gigatoken.train_bpe(path, 32000, [])
    seconds = time.process_time() - start
else:
    import piecework as pw
    start = time.process_time()
    split = pw.pre_tokenizers.ByteLevel(add_prefix_space=False)
    how = {"normalizer": None, "pre_tokenizer": split}
    counts = pw.WordCounts.from_files(path, threads=1, keep_line_ends=True, **how)
    counted = time.process_time() - start
    tokenizer = pw.train(counts, pw.BpeTrainer(32000, alphabet="byte", ties="hf"))
    seconds = time.process_time() - start
    merges = [[merge.left, merge.right] for merge in tokenizer.history]
# The peak that getrusage reports is at least that of the parent process.
peak = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())
print(json.dumps([seconds, counted, int(peak[1]) / 1024, merges]))
"""


def measure() -> Iterator[Row]:
    """Runs each training in a process of its own, so that its peak memory is measured separately."""
    if not corpus.is_there():
        yield corpus.skipped("train BPE, 32,000 entries")
        return
    with tempfile.TemporaryDirectory(prefix="piecework-bench-") as folder:
        path = Path(folder, "english.txt")
        path.write_bytes(corpus.english(SIZE))
        theirs = _once("tokenizers", path)
        giga = min(_once("gigatoken", path) for _ in range(TIMES))
        ours = min(_once("piecework", path) for _ in range(TIMES))
    if ours[3] != theirs[3]:
        raise SystemExit("the merges differ from those of tokenizers")
    what = f"train BPE on bytes, {SIZE / 1e6:.0f} MB"
    yield f"{what}, tokenizers", f"{theirs[0]:.2f} s, {theirs[2]:.0f} MB", "-"
    yield f"{what}, gigatoken", f"{giga[0]:.2f} s, {giga[2]:.0f} MB", "-"
    parts = f"{ours[0]:.2f} s, {ours[1]:.2f} of them counting, {ours[2]:.0f} MB"
    ratio = f"1/{giga[0] / ours[0]:.2f} of gigatoken, 1/{theirs[0] / ours[0]:.1f} of tokenizers"
    yield f"{what}, piecework", f"{parts}: {ratio}", "at most gigatoken; equal merges"


def _once(kind: str, path: Path) -> list[Any]:
    """Returns the CPU seconds, those of counting, the peak memory in MB, and the merges."""
    command = [sys.executable, "-c", ONCE, kind, str(path)]
    environment = os.environ | {"RAYON_NUM_THREADS": "1"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return list(json.loads(done.stdout.splitlines()[-1]))
