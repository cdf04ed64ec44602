"""Time to encode one long word, without a limit, with worst-case vocabularies."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import piecework as pw

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus import Row

SIZES = (10**4, 10**5, 10**6)


def measure() -> Iterator[Row]:
    """Encodes words of 10^4, 10^5 and 10^6 characters; the time per character should be constant."""
    long = "a" * 1000
    vocabularies = {
        # Greedy search without failure links reads 1,000 characters ahead at every position.
        "every position is a prefix of a long token": (["a", "##a", long + "b", f"##{long}b"], "a"),
        "every length up to 300 is a token, then failure": (
            [text for n in range(1, 300) for text in ("a" * n, "##" + "a" * n)] + [f"##{long}b"],
            "a",
        ),
        "each character is unknown": (["x"], "é"),
        "bert-like pieces": (["un", "##aff", "##able", "##un", "a", "##a"], "unaffable"),
    }
    for name, (tokens, unit) in vocabularies.items():
        text = "\n".join(["[UNK]", *dict.fromkeys(tokens)])
        for unknown in ("word", "run", "char"):
            tok = pw.Tokenizer.from_str(text, max_input_chars_per_word=None, unknown=unknown)
            each = [_nanoseconds(tok, (unit * size)[:size]) / size for size in SIZES]
            figure = ", ".join(f"{value:.1f}" for value in each)
            yield (
                f"{name} ({unknown})"[:58],
                f"{figure} ns a character at 10^4, 10^5, 10^6",
                "constant",
            )


def _nanoseconds(tok: pw.Tokenizer, word: str) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter_ns()
        tok.count(word)
        best = min(best, time.perf_counter_ns() - start)
    return best
