"""`piecework.hf` in other processes: forks and spawned ones encode alike, without warnings or deadlocks."""

import multiprocessing
import subprocess
import sys

import pytest

from hf_peers import OURS

pytestmark = pytest.mark.slow

TEXTS = ["hug pugs " * 500] * 64


def made() -> "OURS.Tokenizer":  # type: ignore[name-defined]  # a module in a variable
    tok = OURS.Tokenizer(OURS.models.WordPiece({"[UNK]": 0, "hug": 1, "pug": 2, "##s": 3}))
    tok.pre_tokenizer = OURS.pre_tokenizers.Whitespace()
    return tok


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_encode_alike(method: str) -> None:
    tok = made()
    wanted = tok.encode_batch(TEXTS)  # the threads of this call have ended before the fork
    with multiprocessing.get_context(method).Pool(2) as pool:
        calls = pool.starmap_async(OURS.Tokenizer.encode_batch, [(tok, TEXTS)] * 4)
        for found in calls.get(timeout=60):
            assert [encoding.ids for encoding in found] == [encoding.ids for encoding in wanted]


PROGRAM = """
import os, sys, warnings
warnings.simplefilter("error")
from piecework.hf import Tokenizer, models, pre_tokenizers
tok = Tokenizer(models.WordPiece({"[UNK]": 0, "hug": 1}))
tok.pre_tokenizer = pre_tokenizers.Whitespace()
texts = ["hug hug " * 2000] * 32
before = tok.encode_batch(texts)
child = os.fork()
after = tok.encode_batch(texts)
assert [e.ids for e in after] == [e.ids for e in before]
if child == 0:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
"""


def test_a_fork_after_threads_raises_no_warning() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


BUSY = """
import os, threading, warnings
warnings.simplefilter("ignore")
from piecework.hf import Tokenizer, models, normalizers
tok = Tokenizer(models.WordLevel({"[UNK]": 0, "a": 1}, "[UNK]"))
tok.normalizer = normalizers.Sequence([normalizers.Lowercase()] * 50)
stop = False
def change():
    while not stop:
        tok.normalizer = normalizers.Sequence([normalizers.Lowercase()] * 50)
        tok.encode("A")
threads = [threading.Thread(target=change) for _ in range(2)]
for thread in threads:
    thread.start()
children = []
for _ in range(60):
    child = os.fork()
    if child == 0:
        tok.add_tokens(["b"])
        os._exit(tok.encode("A").ids != [1] or tok.encode_batch(["b"])[0].ids != [2])
    children.append(child)
codes = [os.waitpid(child, 0)[1] for child in children]
stop = True
assert set(codes) == {0}, codes
"""


def test_a_fork_while_other_threads_change_the_tokenizer() -> None:
    subprocess.run([sys.executable, "-c", BUSY], check=True, timeout=120)


def test_the_module_is_not_imported() -> None:
    program = (
        "import sys; from piecework.hf import *; import piecework.hf as h; "
        "k = h.Tokenizer(h.models.BPE()); k.encode('a'); k.to_str(); repr(k); "
        "assert not {'tokenizers', 'transformers', 'numpy', 'dataclasses'} & sys.modules.keys(), sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
