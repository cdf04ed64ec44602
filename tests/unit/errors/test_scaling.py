"""The time of the hardest mechanisms grows with their input, and Ctrl-C ends a call; `make scaling` measures all."""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import piecework as pw

BENCH = Path(__file__).parents[3] / "bench"
FACTOR, MOST, TRIES = 4, 8, 3
"""Four times the size may take eight times the time, in one of three tries: quadratic time takes 16 times."""

SIZES = {
    "added tokens: a short one in a long one": 65_536,
    "added tokens of piecework.hf: a long one nearly matches, periodic": 65_536,
    "phrases: a short word in a long one": 16_384,
    "symbols of Unigram: a long one nearly matches": 65_536,
    "WordPiece, a long token nearly matches (word)": 65_536,
    "WordPiece, dropout, a long token nearly matches": 65_536,
    "BPE, halves": 16_384,
    r"Split \s+(?!\S)|\s+, blanks": 16_384,
    "normalizer NFC: combining characters to sort": 65_536,
    "stream: a stop of n nearly matches": 4_096,
}
"""Mechanisms, with a size that takes some milliseconds."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def scaling() -> Any:
    """The measurements of `make scaling`."""
    sys.path.insert(0, str(BENCH))
    try:
        import scaling.__main__
        import scaling.interrupts

        return scaling
    finally:
        sys.path.remove(str(BENCH))


def _seconds(prepare: Callable[[int], Callable[[], object]], size: int) -> float:
    call, spent = prepare(size), []
    for _ in range(3):
        start = time.process_time()
        call()
        spent.append(time.process_time() - start)
    return min(spent)


@pytest.mark.parametrize("name", SIZES)
def test_time_grows_with_the_input(scaling: Any, name: str) -> None:
    prepare, size = scaling.__main__.MECHANISMS[name], SIZES[name]
    ratios = []
    for _ in range(TRIES):
        ratios.append(_seconds(prepare, FACTOR * size) / _seconds(prepare, size))
        if ratios[-1] <= MOST:
            return
    pytest.fail(f"{FACTOR} times the size takes {min(ratios):.1f} times the time")


STOPPED: dict[str, Callable[[pw.Tokenizer], object]] = {
    "encode": lambda tok: tok.encode("hugs " * 10_000_000),
    "encode of one word": lambda tok: tok.encode("hugs" * 10_000_000),
    "truncate_text": lambda tok: tok.truncate_text("hugs" * 10_000_000, 30_000_000),
}


@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
@pytest.mark.parametrize("name", STOPPED)
def test_ctrl_c_ends_a_call_on_a_long_text(scaling: Any, name: str) -> None:
    tok = pw.Tokenizer.from_str("[UNK]\nhug\n##s\n##hug\n", max_input_chars_per_word=None)
    waited = scaling.interrupts.seconds_to_stop(lambda: STOPPED[name](tok), 0.1)
    assert waited is None or waited < 1
