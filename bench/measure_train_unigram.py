"""Training Unigram, 32,000 entries from 100 MB of English, beside SentencePiece and `tokenizers`.

The text is all English corpora, one after the other, repeated up to 100 MB. SentencePiece and `tokenizers` have one thread;
piecework has one, and two, which give the same model. Counting is included.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import corpus
from corpus import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZE = 100_000_000
TIMES = 3

ONCE = """
import hashlib, json, re, sys, time
kind, path, threads = sys.argv[1:]
counted, model = 0, ""
if kind == "sentencepiece":
    import io, sentencepiece
    out = io.BytesIO()
    start = time.process_time()
    sentencepiece.SentencePieceTrainer.train(
        input=path, model_writer=out, vocab_size=32000, num_threads=1, normalization_rule_name="identity",
        max_sentence_length=10**6, minloglevel=2)
    seconds = time.process_time() - start
    size = sentencepiece.SentencePieceProcessor(model_proto=out.getvalue()).vocab_size()
elif kind == "tokenizers":
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    start = time.process_time()
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=32000, special_tokens=["<unk>", "<s>", "</s>"], unk_token="<unk>", show_progress=False)
    tokenizer.train([path], trainer)
    seconds = time.process_time() - start
    size = tokenizer.get_vocab_size()
else:
    import piecework as pw
    start = time.process_time()
    split = pw.pre_tokenizers.Metaspace()
    counts = pw.WordCounts.from_files(path, threads=int(threads), normalizer=None, pre_tokenizer=split)
    counted = time.process_time() - start
    tokenizer = pw.train(counts, pw.UnigramTrainer(32000), threads=int(threads))
    seconds = time.process_time() - start
    size, model = len(tokenizer), hashlib.sha256(tokenizer.to_str().encode()).hexdigest()
# The peak that getrusage knows is no smaller than that of the process which started this one.
peak = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())
print(json.dumps([seconds, counted, int(peak[1]) / 1024, size, model]))
"""


def measure() -> Iterator[Row]:
    """Run each training in a process of its own, so that its peak memory is its own."""
    if not corpus.is_there():
        yield corpus.skipped("train Unigram, 32,000 entries")
        return
    with tempfile.TemporaryDirectory(prefix="piecework-bench-") as folder:
        path = Path(folder, "english.txt")
        path.write_bytes(corpus.english(SIZE))
        one, two = (
            min(_once("piecework", path, threads) for _ in range(TIMES)) for threads in (1, 2)
        )
        if one[4] != two[4]:
            raise SystemExit("two threads made another model than one")
        what = f"train Unigram, {SIZE / 1e6:.0f} MB"
        theirs = _once("sentencepiece", path)
        yield f"{what}, sentencepiece", f"{theirs[0]:.1f} s, {theirs[2]:.0f} MB", "-"
        for threads, ours in ((1, one), (2, two)):
            parts = f"{ours[0]:.2f} s, {ours[1]:.2f} of them counting, {ours[2]:.0f} MB"
            ratio = f"1/{theirs[0] / ours[0]:.1f} of the time, 1/{theirs[2] / ours[2]:.1f} of the memory"
            yield (
                f"{what}, piecework, {threads} thread(s)",
                f"{parts}: {ratio}",
                "a fifth; half the memory",
            )
        other = _once("tokenizers", path)
        yield f"{what}, tokenizers", f"{other[0]:.1f} s, {other[2]:.0f} MB", "-"


def _once(kind: str, path: Path, threads: int = 1) -> tuple[float, float, float, int, str]:
    """CPU seconds, those of counting, the peak memory in MB, the entries, and a hash of the model."""
    command = [sys.executable, "-c", ONCE, kind, str(path), str(threads)]
    environment = os.environ | {"RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    seconds, counted, memory, size, model = json.loads(done.stdout.splitlines()[-1])
    return seconds, counted, memory, size, model
