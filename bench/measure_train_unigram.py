"""Time and memory to train Unigram, 32,000 entries on 100 MB of English, compared with SentencePiece and `tokenizers`.

The text is English corpora, concatenated, with single spaces, repeated to 100 MB. SentencePiece and `tokenizers` have one thread;
piecework has one, and two, which give the same model. Counting is included. Bits per byte, over all segmentations, are measured on
held-out lines of these corpora and on another corpus.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import corpus
from results import Cell
from unigram_trainings import TRAINERS, bits_a_byte, trained, with_single_spaces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus import Row

SIZE = 100_000_000
ENTRIES = 32_000
HELD_OUT = 50
"""One line in `HELD_OUT` is held out."""
UNSEEN = "en/inaugural.txt"
TIMES = 3


def measure() -> Iterator[Row | Cell]:
    """Trains with each library, with the fast ones several times."""
    if not corpus.is_there():
        yield corpus.skipped(f"train Unigram, {ENTRIES} entries")
        return
    what = f"train Unigram, {SIZE / 1e6:.0f} MB"
    with tempfile.TemporaryDirectory(prefix="piecework-bench-") as folder:
        path = Path(folder, "english.txt")
        lines = with_single_spaces(corpus.english_text(but=UNSEEN).splitlines())
        held_out = b"\n".join(lines[::HELD_OUT])
        del lines[::HELD_OUT]
        path.write_bytes(corpus.repeated(b"\n".join(lines) + b"\n", SIZE))
        one, two = (
            min(trained("piecework", path, ENTRIES, threads) for _ in range(TIMES))
            for threads in (1, 2)
        )
        if one.pieces != two.pieces:
            raise SystemExit("two threads gave another model than one")
        theirs = trained("sentencepiece", path, ENTRIES)
        yield f"{what}, sentencepiece", f"{theirs.seconds:.1f} s, {theirs.memory:.0f} MB", "-"
        for ours, name in ((one, "one thread"), (two, "two threads")):
            parts = (
                f"{ours.seconds:.2f} s, {ours.counting:.2f} of them counting, {ours.memory:.0f} MB"
            )
            time, memory = theirs.seconds / ours.seconds, theirs.memory / ours.memory
            figure = f"{parts}: 1/{time:.1f} of the time, 1/{memory:.1f} of the memory"
            yield f"{what}, piecework, {name}", figure, "a fifth; half the memory"
        other = trained("tokenizers", path, ENTRIES)
        free = trained("piecework, any script", path, ENTRIES)
        figures = {
            "piecework": one.seconds,
            "sentencepiece": theirs.seconds,
            "tokenizers": other.seconds,
        }
        # The models differ: the bits per byte below compare them.
        different = ["sentencepiece", "tokenizers"]
        text = f"{SIZE / 1e6:.0f} MB of English"
        yield Cell("training", "Unigram", text, None, "s", figures, different)
        yield f"{what}, tokenizers", f"{other.seconds:.1f} s, {other.memory:.0f} MB", "-"
    models = dict(
        zip(TRAINERS, (one.pieces, theirs.pieces, free.pieces, other.pieces), strict=True)
    )
    bits = str(bits_a_byte(held_out, models))
    yield "bits per byte of held-out lines", bits, "each of ours at most the next"
    yield f"bits per byte of {UNSEEN}", str(bits_a_byte(corpus.read(UNSEEN), models)), "-"
