"""Memory of an encoded batch of a million short texts, compared with `tokenizers`."""

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

TEXTS = int(os.environ.get("MEMORY_TEXTS", "1000000"))

# Each kind runs in its own process, so that memory of one does not count for another. Texts are made
# before the first measurement, and a few are encoded, so that tables and caches exist.
ONCE = """
import gc, json, re, sys
sys.path.insert(0, sys.argv[4])
import corpus
kind, vocab, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
words = corpus.read("en/novels-25.txt").decode("utf-8", "ignore").split()
texts = [" ".join(words[at : at + 13]) for at in range(0, len(words), 13)]
texts = [f"{texts[n % len(texts)]}" for n in range(size)]
del words

def resident():
    gc.collect()
    return int(re.search(r"VmRSS:\\s+(\\d+)", open("/proc/self/status").read())[1]) * 1024

if kind == "tokenizers":
    from tokenizers import BertWordPieceTokenizer
    encode = BertWordPieceTokenizer(vocab)._tokenizer.encode_batch
    count = lambda batch: sum(len(one) for one in batch)
else:
    import piecework as pw
    tokenizer, settings = pw.Tokenizer.from_file(vocab), {"offsets": True} if kind == "offsets" else {}
    encode = lambda texts: tokenizer.encode_batch(texts, **settings)
    count = lambda batch: len(batch.ids)
encode(texts[:1000])
before = resident()
batch = encode(texts)
print(json.dumps([resident() - before, count(batch)]))
"""


def measure() -> Iterator[Row]:
    """Encodes the same texts in three processes: piecework, piecework with offsets and masks, `tokenizers`."""
    if not corpus.is_there():
        yield corpus.skipped("memory of a batch")
        return
    theirs, wanted = _once("tokenizers")
    yield f"batch of {TEXTS:,} texts, tokenizers", f"{theirs / TEXTS:,.0f} bytes a text", "-"
    for kind in ("ids", "offsets"):
        ours, tokens = _once(kind)
        if tokens != wanted:
            raise SystemExit(f"{tokens} tokens, expected {wanted}")
        each = f"{ours / TEXTS:,.0f} bytes a text of {tokens / TEXTS:.1f} tokens"
        what = f"batch of {TEXTS:,} texts, {kind}"
        yield what, f"{each}: {ours / theirs:.3f} of tokenizers'", "at most a tenth"


def _once(kind: str) -> tuple[int, int]:
    vocab = corpus.DATA / "vocabs" / "bert-base-uncased-vocab.txt"
    folder = os.path.dirname(os.path.abspath(__file__))
    command = [sys.executable, "-c", ONCE, kind, str(vocab), str(TEXTS), folder]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    grown, tokens = json.loads(done.stdout.splitlines()[-1])
    return grown, tokens
