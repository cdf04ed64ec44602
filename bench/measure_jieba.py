"""The Jieba pre-tokenizer compared with Python's jieba: agreement on every line of the Chinese texts, and speed."""

from __future__ import annotations

import logging
import os
import time
from typing import TYPE_CHECKING, Any

import corpus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from corpus import Row

FILES = ("zh/cmrc2018-a.txt", "zh/laws-a.txt", "zh/poems-tang-a.txt")
BYTES = int(os.environ.get("JIEBA_BYTES", "100000000"))


def measure() -> Iterator[Row]:
    """Segments every line on both sides; a line agrees if all its words are equal."""
    if not corpus.is_there():
        yield corpus.skipped("jieba")
        return
    try:
        import jieba
    except ImportError:
        yield "jieba", "skipped: Python's jieba is not installed", "-"
        return
    import piecework as pw

    jieba.setLogLevel(logging.ERROR)
    jieba.initialize()
    ours = pw.pre_tokenizers.Jieba()
    ours.pre_tokenize_str("先读词典")  # before the clock starts
    for name in FILES:
        yield _compared(ours, jieba, name)


def _compared(ours: Any, jieba: Any, name: str) -> Row:
    lines = corpus.read(name)[:BYTES].decode("utf-8", "ignore").split("\n")
    size = sum(len(line.encode()) for line in lines) / 1e6
    fast = _seconds(ours.pre_tokenize_str, lines)
    slow = _seconds(lambda line: list(jieba.tokenize(line)), lines)
    same = sum(
        [(word, *span) for word, span in ours.pre_tokenize_str(line)]
        == [word for word in jieba.tokenize(line) if not word[0].isspace()]
        for line in lines
    )
    figure = f"{size / fast:.1f} MB/s, jieba {size / slow:.2f}: {slow / fast:.0f} times; "
    figure += f"{same:,} of {len(lines):,} lines the same"
    return f"jieba, {name}", figure, "10 times"


def _seconds(cut: Callable[[str], object], lines: list[str]) -> float:
    """Returns the CPU seconds for all lines; results are discarded, so that memory does not count."""
    start = time.process_time()
    for line in lines:
        cut(line)
    return time.process_time() - start
