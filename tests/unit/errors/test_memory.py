"""Without memory calls raise MemoryError, and the process goes on: tried under limits of its address space."""

import subprocess
import sys

import pytest

resource = pytest.importorskip("resource", reason="the system has no limits of memory")

MEGABYTES = (30, 90, 160, 250)
CALLS = {
    "padding": ("", "tok.encode('a', padding=100_000_000)"),
    "padding of ids": ("", "tok.encode_ids('a', padding=100_000_000)"),
    "ids": ("text = 'a b ' * 15_000_000", "tok.encode_ids(text)"),
    "encoding": ("text = 'a b ' * 1_000_000", "tok.encode(text)"),
    "lists": ("text = 'a b ' * 5_000_000; encoding = tok.encode(text)", "encoding.offsets"),
    "batch": ("texts = ['a b ' * 1_000_000] * 8", "tok.encode_batch(texts, offsets=True)"),
    "decoding": ("ids = [1] * 20_000_000", "tok.decode(ids)"),
    "vocabulary": (
        "text = '[UNK]\\n' + '\\n'.join(map(str, range(1_000_000)))",
        "pw.Tokenizer.from_str(text)",
    ),
    "JSON": (
        "vocab = {str(i): i for i in range(500_000)}\n"
        "text = json.dumps({'model': {'type': 'WordLevel', 'vocab': vocab, 'unk_token': '0'}})",
        "pw.Tokenizer.from_str(text)",
    ),
    "one long word of Unigram": (
        "tok = made({'type': 'Unigram', 'unk_id': 0, 'vocab': [['?', 0], ['a', -1], ['b', -2]]})\n"
        "text = 'ab' * 10_000_000",
        "tok.encode_ids(text)",
    ),
    "one long word of BPE": (
        "tok = made({'type': 'BPE', 'vocab': {'a': 0, 'b': 1, 'ab': 2}, 'merges': ['a b']})\n"
        "text = 'ab' * 10_000_000",
        "tok.encode_ids(text)",
    ),
    "one long word of WordPiece": (
        "vocab = {'?': 0, 'a': 1, '##a': 2, '##b': 3}\n"
        "tok = made({'type': 'WordPiece', 'vocab': vocab, 'unk_token': '?',\n"
        "    'continuing_subword_prefix': '##', 'max_input_chars_per_word': 10**9})\n"
        "text = 'ab' * 10_000_000",
        "tok.encode_ids(text)",
    ),
    "pre-tokenization": (
        "text = 'a b ' * 5_000_000",
        "pw.pre_tokenizers.Whitespace().pre_tokenize_str(text)",
    ),
    "pickling": ("encoding = tok.encode('a b ' * 1_500_000)", "pickle.dumps(encoding)"),
    "added tokens": (
        "tokens = [f'<{i}>' for i in range(1_000_000)]",
        "tok.with_added_tokens(tokens)",
    ),
    "many small results": (
        "texts = ['a b ' * 20] * 400_000",
        "results = [tok.encode(each) for each in texts]",
    ),
    "counting": (
        "texts = [f'{i:x} ' * 3 for i in range(1_500_000)]",
        "pw.count_words(texts, threads=1)",
    ),
}
PROGRAM = """
import json
import pickle
import resource
import numpy
import piecework as pw

def made(model):
    return pw.Tokenizer.from_str(json.dumps({{"model": model}}))

tok = pw.Tokenizer.from_str("[UNK]\\n[PAD]\\na\\nb\\n")
tok.encode_batch(["a"], offsets=True).offsets
{prepare}
endless = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
for megabytes in {megabytes}:
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (megabytes << 20), resource.RLIM_INFINITY))
    try:
        {call}
        print("done")
    except MemoryError:
        print("MemoryError")
    finally:
        results = None
        resource.setrlimit(resource.RLIMIT_AS, endless)
    assert len(tok.encode_ids("ab" * 50_000)) >= 1
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the size of a process is read from /proc")
@pytest.mark.parametrize("name", CALLS)
def test_calls_without_memory(name: str) -> None:
    prepare, call = CALLS[name]
    program = PROGRAM.format(prepare=prepare, call=call, megabytes=MEGABYTES)
    ended = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=300
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    outcomes = ended.stdout.split()
    assert len(outcomes) == len(MEGABYTES)
    assert set(outcomes) <= {"done", "MemoryError"}
    assert outcomes[0] == "MemoryError"
