"""Time to count words for training, compared with encoding the same texts, one thread each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import corpus
from corpus import Row
from timing import best

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDERS = {"English": "en", "many languages": "multi", "Chinese": "zh", "code": "code"}
LENGTH = 2000
"""Characters in a document."""


def measure() -> Iterator[Row]:
    """Compares the CPU time of both over all texts of a kind, in documents of about 2 KB and from their files."""
    if not corpus.is_there():
        yield corpus.skipped("count, compared with encoding")
        return
    import piecework as pw

    vocab = str(corpus.DATA / "vocabs" / "bert-base-uncased-vocab.txt")
    for name, folder in FOLDERS.items():
        paths = corpus.files(folder)
        text = "".join(Path(path).read_bytes().decode("utf-8", "ignore") for path in paths)
        documents = [text[at : at + LENGTH] for at in range(0, len(text), LENGTH)]
        size = len(text.encode()) / 1e6
        tokenizer = pw.Tokenizer.from_file(vocab)
        encoding, _ = best(lambda: tokenizer.encode_batch(documents, threads=1), 3)  # noqa: B023 (called at once)
        counting, _ = best(lambda: pw.WordCounts.from_texts(documents, threads=1), 3)  # noqa: B023
        reading, _ = best(
            lambda: pw.WordCounts.from_texts(pw.Corpus(paths, errors="replace"), threads=1),  # noqa: B023
            3,
        )
        figure = f"{counting:.3f} s, encoding {encoding:.3f} s: {counting / encoding:.2f} times"
        yield f"count {size:.0f} MB, {name}", figure, "about the time of encoding"
        figure = f"{reading:.3f} s: {reading / encoding:.2f} times"
        yield f"count {size:.0f} MB, {name}, from files by lines", figure, "the same"
