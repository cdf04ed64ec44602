"""Unigram trainings by piecework and other libraries, and the bits per byte of their models."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from math import log
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

TRAINERS = ("piecework", "sentencepiece", "piecework, any script", "tokenizers")
"""The first has the rules of the second, with one script in a piece; the third those of the fourth, with several scripts."""
SPECIALS = ("<unk>", "<s>", "</s>")

ONCE = """
import json, re, sys, time
kind, path = sys.argv[1:3]
threads, entries = map(int, sys.argv[3:])
counted = 0
if kind == "sentencepiece":
    import io, sentencepiece
    out = io.BytesIO()
    start = time.process_time()
    sentencepiece.SentencePieceTrainer.train(
        input=path, model_writer=out, vocab_size=entries, num_threads=1, normalization_rule_name="identity",
        max_sentence_length=10**6, minloglevel=2)
    seconds = time.process_time() - start
    model = sentencepiece.SentencePieceProcessor(model_proto=out.getvalue())
    pieces = [[model.id_to_piece(i), model.get_score(i)] for i in range(model.vocab_size())]
elif kind == "tokenizers":
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    start = time.process_time()
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=entries, special_tokens=["<unk>", "<s>", "</s>"], unk_token="<unk>", show_progress=False)
    # Files are read with their line ends, which would be learned.
    tokenizer.train_from_iterator(map(str.rstrip, open(path, encoding="utf-8")), trainer)
    seconds = time.process_time() - start
    pieces = json.loads(tokenizer.to_str())["model"]["vocab"]
else:
    import piecework as pw
    start = time.process_time()
    split = pw.pre_tokenizers.Metaspace()
    counts = pw.count_words(pw.Corpus(path), threads=threads, normalizer=None, pre_tokenizer=split)
    counted = time.process_time() - start
    trainer = pw.UnigramTrainer(entries, split_by_unicode_script=kind == "piecework")
    tokenizer = pw.train(counts, trainer, threads=threads)
    seconds = time.process_time() - start
    pieces = tokenizer.model.vocab
# The peak that getrusage reports is at least that of the parent process.
peak = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())
print(json.dumps([seconds, counted, int(peak[1]) / 1024, pieces]))
"""


class Training(NamedTuple):
    """The cost and the result of a training."""

    seconds: float
    """CPU seconds, with counting."""
    counting: float
    memory: float
    """Peak memory in MB."""
    pieces: list[tuple[str, float]]
    """Pieces with their scores."""


def trained(kind: str, path: Path, entries: int, threads: int = 1) -> Training:
    """Trains one in a process of its own, so that its peak memory is measured separately."""
    command = [sys.executable, "-c", ONCE, kind, str(path), str(threads), str(entries)]
    environment = os.environ | {"RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return Training(*json.loads(done.stdout.splitlines()[-1]))


class Bits(NamedTuple):
    """Bits per byte of a text."""

    each: dict[str, float]
    """Bits per byte, by the library of the model."""
    left_out: float
    """The share of words with a character that some model lacks."""

    def __str__(self) -> str:
        """Returns the figures as one line."""
        listed = ", ".join(f"{name} {bits:.4f}" for name, bits in self.each.items())
        return f"{listed} ({self.left_out:.2%} of the words left out)"


def with_single_spaces(lines: list[bytes]) -> list[bytes]:
    """Returns lines with single spaces, so that all trainers see the same words: SentencePiece alone merges spaces."""
    return [b" ".join(line.split()) for line in lines]


def bits_a_byte(text: bytes, models: dict[str, list[tuple[str, float]]]) -> Bits:
    """Returns the bits per byte of the words of a text, each with its leading space, over all segmentations."""
    likely = {name: _tokenizer(pieces) for name, pieces in models.items()}
    known = set.intersection(*(set(tok.vocab) for tok in likely.values()))
    words = Counter(text.decode().split())
    common = {word: count for word, count in words.items() if known.issuperset(word)}
    size = sum(count * len(f" {word}".encode()) for word, count in common.items())

    def bits(tok: Any) -> float:
        logs = (count * tok.lm.marginal_log_likelihood(word) for word, count in common.items())
        return -sum(logs) / log(2) / size

    left_out = 1 - sum(common.values()) / words.total()
    return Bits({name: bits(tok) for name, tok in likely.items()}, left_out)


def _tokenizer(pieces: list[tuple[str, float]]) -> Any:
    import piecework as pw

    plain = [(piece, score) for piece, score in pieces if piece not in SPECIALS]
    return pw.Tokenizer(pw.models.Unigram(plain), pre_tokenizer=pw.pre_tokenizers.Metaspace())
