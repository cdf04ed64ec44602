"""What piecework does, on text that is part of every Python: `make demo`.

Trains a WordPiece vocabulary of 4,000 entries on the topics of Python's own help, saves it, loads it, and shows an
encoding with offsets, the reason why one of its words was split, and the speed.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import piecework as pw

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

VOCAB_SIZE = 4000
SENTENCE = "Naïve tokenization splits unhashable words; every piece has a history!"
PASSES = 10


def main() -> None:
    """Runs the demonstration."""
    texts = python_help()
    size = sum(len(text.encode()) for text in texts)
    heading("Train")
    print(f"Text: {len(texts)} topics of Python's help, {size / 1e6:.2f} MB")
    counts, counting = timed(lambda: pw.WordCounts.from_texts(texts, threads=1))
    trained, training = timed(lambda: pw.train(counts, pw.WordPieceTrainer(VOCAB_SIZE)))
    print(f"Words: {counts.total:,}, {len(counts):,} of them distinct, counted in {counting:.2f} s")
    print(
        f"Vocabulary: {len(trained):,} entries by {len(trained.history):,} merges in {training:.2f} s"
    )

    tok = saved_and_loaded(trained)
    show_merges(tok)
    show_encoding(tok)
    show_explanation(tok)
    show_speed(tok, texts, size)


def python_help() -> list[str]:
    """Returns the topics of Python's help in a fixed order."""
    from pydoc_data.topics import topics

    return [topics[name] for name in sorted(topics)]


def heading(text: str) -> None:
    """Prints a heading."""
    print(f"\n{text}\n{'-' * len(text)}")


def timed(call: Callable[[], T]) -> tuple[T, float]:
    """Returns the result of a call, and its seconds."""
    start = time.perf_counter()
    result = call()
    return result, time.perf_counter() - start


def saved_and_loaded(trained: pw.Tokenizer) -> pw.Tokenizer:
    """Writes the tokenizer to a file and reads it back."""
    heading("Save and load")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tokenizer.json"
        trained.save(path)
        tok = pw.Tokenizer.from_file(path)
        print(
            f"{path.name}: {path.stat().st_size / 1e3:.0f} kB, history included; loaded again: {same(tok, trained)}"
        )
    return tok


def same(tok: pw.Tokenizer, other: pw.Tokenizer) -> str:
    """Returns whether two tokenizers are equal."""
    return "the same tokenizer" if tok == other else "NOT the same tokenizer"


def show_merges(tok: pw.Tokenizer) -> None:
    """Prints the first and the last merges."""
    heading("The first and the last merges")
    steps = list(enumerate(tok.history, 1))
    rows = [("step", "left", "right", "token", "gain", "pair", "left", "right", "ties")]
    for step, merge in steps[:4] + steps[-4:]:
        counted = (merge.pair_count, merge.left_count, merge.right_count, merge.ties)
        rows.append(
            (
                f"{step:,}",
                merge.left,
                merge.right,
                merge.token,
                f"{merge.score:,.2f}",
                *(f"{n:,}" for n in counted),
            )
        )
    print_table(rows, right={0, 4, 5, 6, 7, 8})


def show_encoding(tok: pw.Tokenizer) -> None:
    """Prints the tokens of a sentence with their offsets."""
    heading("Encode")
    print(SENTENCE + "\n")
    encoding = tok.encode(SENTENCE)
    rows = [("token", "id", "start", "end", "text")]
    for token, number, (start, end) in zip(
        encoding.tokens, encoding.ids, encoding.offsets, strict=True
    ):
        rows.append((token, str(number), str(start), str(end), SENTENCE[start:end]))
    print_table(rows, right={1, 2, 3})
    print(f"\nDecoded: {tok.decode(encoding.ids)}")


def show_explanation(tok: pw.Tokenizer) -> None:
    """Prints the explanation of the word with the most pieces."""
    heading("Explain")
    words = [word for word, _ in pw.pre_tokenizers.BertPreTokenizer().pre_tokenize_str(SENTENCE)]
    known = [word for word in words if "[UNK]" not in tok.tokenize(word)]
    print(tok.explain(max(known, key=lambda word: (len(tok.tokenize(word)), len(word)))))


def show_speed(tok: pw.Tokenizer, texts: list[str], size: int) -> None:
    """Prints the throughput of encoding: one thread, no cache between passes, the best of several passes."""
    heading("Speed")
    seconds = min(timed(lambda: tok.encode_batch(texts, threads=1))[1] for _ in range(PASSES))
    tokens = len(tok.encode_batch(texts).ids)
    print(
        f"{tokens:,} tokens at {size / seconds / 1e6:.0f} MB/s, one thread, the best of {PASSES} passes over the text"
    )


def print_table(rows: list[tuple[str, ...]], right: set[int]) -> None:
    """Prints rows with aligned columns; those in `right` are right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (
            cell.rjust(width) if at in right else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        print("  ".join(cells).rstrip())


if __name__ == "__main__":
    main()
