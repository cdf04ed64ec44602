"""Ctrl-C ends counting, training and encoding; `make bench` measures the delay."""

import os
import signal
import subprocess
import sys
import time

import pytest

pytestmark = [
    pytest.mark.slow,  # each test starts a process and waits
    pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX"),
]

PRELUDE = """
import random, sys, time
import piecework as pw
rng = random.Random(1)
trainer = pw.WordPieceTrainer(vocab_size=10**6, criterion=sys.argv[1], special_tokens=())
tok = pw.Tokenizer.from_str("[UNK]\\na\\n##a\\n")
def word():
    return "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randrange(4, 14)))
"""
WORK = {
    "texts": (
        "some = [' '.join(word() for _ in range(200)) for _ in range(500)]",
        "pw.WordCounts.from_texts(some * 2000)",
    ),
    "endless texts": ("", "pw.WordCounts.from_texts(iter(lambda: 'a b c', None))"),
    "files": (
        "path = sys.argv[2]; open(path, 'w').write((word() + ' ' + word() + '\\n') * 10**6)",
        "pw.WordCounts.from_texts(pw.Corpus([path] * 200))",
    ),
    "training": (
        "counts = pw.WordCounts({word(): n for n in range(1, 250_000)})",
        "pw.train(counts, trainer, normalizer=None, pre_tokenizer=None)",
    ),
    "training Unigram": (
        "counts = pw.WordCounts({word(): n for n in range(1, 250_000)})",
        "pw.train(counts, pw.UnigramTrainer(500, shrinking_factor=0.99), normalizer=None, pre_tokenizer=None)",
    ),
    "training Unigram on one long word": (
        "counts = pw.WordCounts({''.join(word() for _ in range(200_000)): 1})",
        "pw.train(counts, pw.UnigramTrainer(500, em_steps=50), normalizer=None, pre_tokenizer=None)",
    ),
    "encoding a file": (
        "path = sys.argv[2]; open(path, 'w').write((word() + ' ' + word() + '\\n') * 10**6)",
        "[tok.encode_batch(pw.Corpus(path, per='file'), cache=False) for _ in range(100)]",
    ),
    "encoding": ("some = ['a' * 90 + ' a'] * 10**6", "[tok.encode_batch(some) for _ in range(50)]"),
}


def check(name: str, path: str, *, criterion: str = "likelihood", after: float = 0.5) -> None:
    prepare, work = WORK[name]
    script = f"""{PRELUDE}
{prepare}
print("ready", flush=True)
try:
    {work}
except KeyboardInterrupt:
    print(time.time(), flush=True)
"""
    arguments = [sys.executable, "-c", script, criterion, path]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, encoding="utf-8") as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(after)
        assert child.poll() is None, "there was too little to do"
        sent = time.time()
        child.send_signal(signal.SIGINT)
        answer = child.stdout.readline()
        child.kill()
    assert answer, "it was not a KeyboardInterrupt"
    assert float(answer) - sent < 10  # a generous limit for a busy machine


@pytest.mark.parametrize("name", WORK)
def test_ctrl_c_ends_every_call(name: str, tmp_path: object) -> None:
    check(name, f"{tmp_path}/text")


@pytest.mark.parametrize("criterion", ["pmi", "sum", "frequency"])
def test_ctrl_c_ends_training_with_every_criterion(criterion: str) -> None:
    check("training", "", criterion=criterion, after=0.7)


@pytest.mark.parametrize("after", [0.05, 0.2, 1.0])
def test_ctrl_c_ends_training_at_any_time(after: float) -> None:
    check("training", "", after=after)
