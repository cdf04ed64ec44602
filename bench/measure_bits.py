"""Bits per byte of Unigram models, compared with SentencePiece and `tokenizers`: text of several languages, one line in ten held out."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import corpus
from unigram_trainings import TRAINERS, bits_a_byte, trained, with_single_spaces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus import Row

LINES = 8000
HELD_OUT = 10
"""One line in `HELD_OUT` is held out."""
CORPORA = {
    "en/inaugural.txt": 2000,
    "en/tinyshakespeare.txt": 1500,
    "multi/de-docs.txt": 3000,
    "multi/tr-docs.txt": 3000,
    "multi/ru-docs.txt": 2000,
    "multi/ko-docs.txt": 2500,
    "multi/ja-docs.txt": 4000,
    "zh/cmrc2018-a.txt": 5000,
    "en/gcide-a.txt": 4000,
    "en/novels-25.txt": 4000,
    "code/python-cpython-lib.txt": 2000,
}
"""Corpora and the vocabulary sizes for them."""


def measure() -> Iterator[Row]:
    """Trains on nine lines in ten and measures bits per byte of the others."""
    if not corpus.is_there():
        yield corpus.skipped("bits per byte, Unigram")
        return
    for name, entries in CORPORA.items():
        lines = with_single_spaces(corpus.read(name).splitlines()[:LINES])
        held_out = b"\n".join(lines[::HELD_OUT])
        del lines[::HELD_OUT]
        with tempfile.TemporaryDirectory(prefix="piecework-bench-") as folder:
            path = Path(folder, "text.txt")
            path.write_bytes(b"\n".join(lines))
            models = {kind: trained(kind, path, entries).pieces for kind in TRAINERS}
        bits = str(bits_a_byte(held_out, models))
        yield f"bits per byte, {name}, {entries} entries", bits, "each of ours at most the next"
