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
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import corpus
from corpus import Row
from results import Cell

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
    _, pairs = gigatoken.train_bpe(path, 32000, [])
    seconds = time.process_time() - start
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    spelled = {byte: chr(byte) for byte in plain} | {byte: chr(256 + n) for n, byte in enumerate(others)}
    merges = [["".join(map(spelled.get, side)) for side in pair] for pair in pairs]
else:
    import piecework as pw
    start = time.process_time()
    split = pw.pre_tokenizers.ByteLevel(add_prefix_space=False)
    how = {"normalizer": None, "pre_tokenizer": split}
    counts = pw.count_words(pw.Corpus(path, keep_line_ends=True), threads=1, **how)
    counted = time.process_time() - start
    tokenizer = pw.train(counts, pw.BpeTrainer(32000, alphabet="byte", ties="hf"))
    seconds = time.process_time() - start
    merges = [[merge.left, merge.right] for merge in tokenizer.history]
# The peak that getrusage reports is at least that of the parent process.
peak = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())
print(json.dumps([seconds, counted, int(peak[1]) / 1024, merges]))
"""


def measure() -> Iterator[Row | Cell]:
    """Runs each training in a process of its own, so that its peak memory is measured separately."""
    if not corpus.is_there():
        yield corpus.skipped("train BPE, 32,000 entries")
        return
    with tempfile.TemporaryDirectory(prefix="piecework-bench-") as folder:
        path = Path(folder, "english.txt")
        path.write_bytes(corpus.english(SIZE))
        theirs = _once("tokenizers", path)
        ours = min(_once("piecework", path) for _ in range(TIMES))
        trained = {"piecework": ours, "tokenizers": theirs}
        if find_spec("gigatoken"):
            trained["gigatoken"] = min(_once("gigatoken", path) for _ in range(TIMES))
    if ours[3] != theirs[3]:
        raise SystemExit("the merges differ from those of tokenizers")
    figures = {name: result[0] for name, result in trained.items()}
    # gigatoken does not split the file into lines, so it also merges line ends with the spaces after them.
    different = [name for name, result in trained.items() if result[3] != ours[3]]
    text = f"{SIZE / 1e6:.0f} MB of English"
    yield Cell("training", "BPE on bytes", text, None, "s", figures, different)
    what = f"train BPE on bytes, {SIZE / 1e6:.0f} MB"
    for name, (seconds, _, memory, _) in trained.items():
        if name != "piecework":
            yield f"{what}, {name}", f"{seconds:.2f} s, {memory:.0f} MB", "-"
    parts = f"{ours[0]:.2f} s, {ours[1]:.2f} of them counting, {ours[2]:.0f} MB"
    others = [name for name in trained if name != "piecework"]
    ratio = ", ".join(f"1/{figures[name] / ours[0]:.2f} of {name}" for name in others)
    yield f"{what}, piecework", f"{parts}: {ratio}", "at most gigatoken; equal merges"


def _once(kind: str, path: Path) -> list[Any]:
    """Returns the CPU seconds, those of counting, the peak memory in MB, and the merges."""
    command = [sys.executable, "-c", ONCE, kind, str(path)]
    environment = os.environ | {"RAYON_NUM_THREADS": "1"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return list(json.loads(done.stdout.splitlines()[-1]))
