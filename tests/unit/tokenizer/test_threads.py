"""Threads and long texts: the ids do not depend on how texts are divided."""

import os
import signal
import threading
import time
from itertools import pairwise
from typing import Any

import pytest

import piecework as pw
from piecework import AddedToken
from piecework.errors import SpecialTokenError

VOCAB = "[UNK]\n[CLS]\n[SEP]\nhug\n##s\n##x\npun\nx\n,\n"
# Long enough to be divided among threads; spaces, tokens and words vary in position.
LONG = "".join(f"hug{'s' * (n % 7)} <t> pun {' ' * (n % 5)}, [SEP] xxé\n" for n in range(40_000))
TOKENS = {
    "none": [],
    "plain": [AddedToken("<t>", normalized=False)],
    "greedy": [AddedToken("<t>", lstrip=True, rstrip=True, normalized=False)],
    "alone": [AddedToken("<t>", single_word=True), AddedToken("pun", lstrip=True)],
    "with a space": [AddedToken("> pun", normalized=False)],
}


def tokenizer(name: str) -> pw.Tokenizer:
    return pw.Tokenizer.from_str(VOCAB).with_added_tokens(TOKENS[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", TOKENS)
@pytest.mark.parametrize("special", [True, False])
def test_long_text_in_a_batch_equals_single_calls(name: str, special: bool) -> None:
    tok = tokenizer(name)
    rows = ["", "hug", LONG, "pun", LONG[: len(LONG) // 3], ("hug", LONG), LONG.encode(), ""]
    expected = [
        tok.encode(*(row if isinstance(row, tuple) else (row,)), add_special_tokens=special).ids
        for row in rows
    ]
    for threads in (1, 2, 5):
        batch = tok.encode_batch(rows, add_special_tokens=special, threads=threads)
        assert batch.to_list() == expected
        alone = tok.encode_batch([LONG], add_special_tokens=special, threads=threads)
        assert alone.to_list() == [expected[2]]
        assert [end - start for start, end in pairwise(batch.row_offsets)] == list(
            map(len, expected)
        )


@pytest.mark.parametrize("threads", [1, 2])
def test_options_apply_to_long_texts(threads: int) -> None:
    tok = tokenizer("plain")
    rows = [LONG, "hug", LONG]
    options: list[dict[str, Any]] = [
        {"truncation": 10},
        {"padding": pw.Padding(pad_id=0, pad_token="[UNK]")},
        {"specials": "text"},
        {"specials": ["[SEP]"]},
        {"offsets": True},
        {"cache": False},
    ]
    for option in options:
        batch = tok.encode_batch(rows, threads=threads, **option)
        one = {name: value for name, value in option.items() if name not in ("offsets", "padding")}
        ids = tok.encode_ids(LONG, **one)
        assert batch.to_list()[0] == batch.to_list()[2] == ids


@pytest.mark.parametrize("threads", [1, 2])
def test_error_position_refers_to_the_whole_text(threads: int) -> None:
    tok = tokenizer("none")
    text = LONG.replace("[SEP]", "é中")
    broken = text[:900_001] + " [CLS] " + text + " [SEP]"
    with pytest.raises(SpecialTokenError, match=r"text 1: .*'?\"?\[CLS\].* at character 900002;"):
        tok.encode_batch([text, broken, broken], specials="error", threads=threads)


def test_concurrent_batches() -> None:
    tok = tokenizer("plain")
    expected = tok.encode_batch([LONG] * 3).to_list()
    found: list[bool] = []

    def work() -> None:
        found.extend(tok.encode_batch([LONG] * 3).to_list() == expected for _ in range(5))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 30


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_fork_during_encoding() -> None:
    tok = tokenizer("plain")
    rows = [LONG, *["hug pun"] * 5000]
    expected = tok.encode_batch(rows).ids.tolist()
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            tok.encode_batch(rows, threads=2)
            tok.encode_ids("hug pun")

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(10):
            child = os.fork()
            if (
                child == 0
            ):  # no assertion: pytest would take its error for one of the parent process
                same = all(
                    tok.encode_batch(rows, threads=n).ids.tolist() == expected for n in (1, 2)
                )
                os._exit(0 if same else 1)
            assert _ended(child) == 0
    finally:
        stop.set()
        thread.join()
    assert tok.encode_batch(rows).ids.tolist() == expected


def _ended(child: int) -> int:
    """Waits at most a minute for a process and returns its exit code."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -1
