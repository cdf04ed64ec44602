"""Trainings of Unigram, by us and by others, and what their models are worth."""

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
"""The third has the rules of the fourth, in whose pieces scripts may meet; the first those of the second, in whose they do not."""
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
    # Files are read with the ends of their lines, which would be learned.
    tokenizer.train_from_iterator(map(str.rstrip, open(path, encoding="utf-8")), trainer)
    seconds = time.process_time() - start
    pieces = json.loads(tokenizer.to_str())["model"]["vocab"]
else:
    import piecework as pw
    start = time.process_time()
    split = pw.pre_tokenizers.Metaspace()
    counts = pw.WordCounts.from_files(path, threads=threads, normalizer=None, pre_tokenizer=split)
    counted = time.process_time() - start
    trainer = pw.UnigramTrainer(entries, split_by_unicode_script=kind == "piecework")
    tokenizer = pw.train(counts, trainer, threads=threads)
    seconds = time.process_time() - start
    pieces = tokenizer.model.vocab
# The peak that getrusage knows is no smaller than that of the process which started this one.
peak = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())
print(json.dumps([seconds, counted, int(peak[1]) / 1024, pieces]))
"""


class Training(NamedTuple):
    """What a training took, and gave."""

    seconds: float
    """Of the processor, counting included."""
    counting: float
    memory: float
    """The peak, in MB."""
    pieces: list[tuple[str, float]]
    """With their scores."""


def trained(kind: str, path: Path, entries: int, threads: int = 1) -> Training:
    """Train one in a process of its own, so that its peak memory is its own."""
    command = [sys.executable, "-c", ONCE, kind, str(path), str(threads), str(entries)]
    environment = os.environ | {"RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return Training(*json.loads(done.stdout.splitlines()[-1]))


class Bits(NamedTuple):
    """What a text takes."""

    each: dict[str, float]
    """Bits for a byte, by whose model it is."""
    left_out: float
    """The share of the words in which a character is that one model lacks."""

    def __str__(self) -> str:
        """List them."""
        listed = ", ".join(f"{name} {bits:.4f}" for name, bits in self.each.items())
        return f"{listed} ({self.left_out:.2%} of the words left out)"


def with_single_spaces(lines: list[bytes]) -> list[bytes]:
    """Give lines that are the same words to all trainers: SentencePiece makes one space of several, the others learn each."""
    return [b" ".join(line.split()) for line in lines]


def bits_a_byte(text: bytes, models: dict[str, list[tuple[str, float]]]) -> Bits:
    """Tell how many bits a byte of the words of a text takes, the space before each among them, over all segmentations."""
    likely = {name: _tokenizer(pieces) for name, pieces in models.items()}
    known = set.intersection(*(set(tok.vocab) for tok in likely.values()))
    words = Counter(text.decode().split())
    common = {word: count for word, count in words.items() if known.issuperset(word)}
    size = sum(count * len(f" {word}".encode()) for word, count in common.items())

    def bits(tok: Any) -> float:
        logs = (count * tok.log_probability(word) for word, count in common.items())
        return -sum(logs) / log(2) / size

    left_out = 1 - sum(common.values()) / words.total()
    return Bits({name: bits(tok) for name, tok in likely.items()}, left_out)


def _tokenizer(pieces: list[tuple[str, float]]) -> Any:
    import piecework as pw

    plain = [(piece, score) for piece, score in pieces if piece not in SPECIALS]
    return pw.Tokenizer(pw.models.Unigram(plain), pre_tokenizer=pw.pre_tokenizers.Metaspace())
