"""Compares the criteria: the vocabulary that each learns, and its results on held-out text.

    python bench/criteria.py                      the topics of Python's own help, 2,000 entries
    python bench/criteria.py a.txt b.txt.zst --vocab-size 8000 --min-frequency 50

Every tenth document is held out (a topic, or a run of lines of a file). For each criterion, without
and with a floor for the frequency of pairs:

* entries: the size of the vocabulary; a floor can leave nothing to merge;
* fertility: tokens a word of the held-out text; an unknown word is one token;
* used: the share of entries, without special tokens, that longest match produces for the training words;
* unknown: the share of held-out words that are unknown;
* bits: the bits for each character of the held-out words under the tokenizer's own unigram
  probabilities, an unknown token at 52 bits.

The table is Markdown, as docs/criteria.md shows it.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import piecework as pw

if TYPE_CHECKING:
    from collections.abc import Iterator

CRITERIA = ("frequency", "likelihood", "sum", "pmi")
HELD_OUT = 10
LINES_A_DOCUMENT = 100


class Figures(NamedTuple):
    """Results of one training."""

    entries: int
    fertility: float
    used: float
    unknown: float
    bits: float


def main() -> None:
    """Trains with every criterion and prints a table."""
    asked = arguments()
    documents = list(from_files(asked.files) if asked.files else topics())
    held_out = documents[HELD_OUT - 1 :: HELD_OUT]
    training = [text for at, text in enumerate(documents, 1) if at % HELD_OUT]
    counts = pw.WordCounts.from_texts(training)
    unseen = pw.WordCounts.from_texts(held_out)
    print(
        f"{counts.total:,} words to train on, {len(counts):,} distinct; {unseen.total:,} held out"
    )
    print(f"{asked.vocab_size:,} entries\n")
    print("| criterion | `min_frequency` | entries | fertility | used | unknown | bits |")
    print("|---|---|---|---|---|---|---|")
    for floor in (1, asked.min_frequency):
        for criterion in CRITERIA:
            trainer = pw.WordPieceTrainer(
                asked.vocab_size, criterion=criterion, min_frequency=floor
            )
            found = measure(counts, unseen, trainer)
            print(
                f"| {criterion} | {floor} | {found.entries:,} | {found.fertility:.3f} | {found.used:.1%} | "
                f"{found.unknown:.2%} | {found.bits:.3f} |",
                flush=True,
            )


def arguments() -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("files", nargs="*", type=Path, help="text files, plain or .zst")
    parser.add_argument("--vocab-size", type=int, default=2000)
    parser.add_argument("--min-frequency", type=int, default=10, help="the floor to compare with 1")
    return parser.parse_args()


def topics() -> Iterator[str]:
    """Returns the topics of Python's help, which are part of every Python."""
    from pydoc_data.topics import topics as texts

    return (texts[name] for name in sorted(texts))


def from_files(paths: list[Path]) -> Iterator[str]:
    """Yields the text of the files, `LINES_A_DOCUMENT` lines at a time."""
    for path in paths:
        lines = text_of(path).split("\n")
        for start in range(0, len(lines), LINES_A_DOCUMENT):
            yield "\n".join(lines[start : start + LINES_A_DOCUMENT])


def text_of(path: Path) -> str:
    """Returns the text of a file, decompressed if it is a `.zst`."""
    if path.suffix != ".zst":
        return path.read_text(encoding="utf-8")
    import zstandard

    with path.open("rb") as packed:
        data = zstandard.ZstdDecompressor().stream_reader(packed).read()
    return data.decode("utf-8")


def measure(counts: pw.WordCounts, unseen: pw.WordCounts, trainer: pw.WordPieceTrainer) -> Figures:
    """Trains, encodes each held-out word once, and returns the results."""
    tok = pw.train(counts, trainer)
    unk = tok.token_to_id("[UNK]")
    tokens = unknown = characters = 0
    nats = 0.0
    for word, times in unseen.items():
        ids = tok.encode_ids(word, add_special_tokens=False, specials="text")
        tokens += times * len(ids)
        unknown += times * (unk in ids)
        characters += times * len(word)
        nats -= times * tok.lm.log_likelihood(word, specials="text")
    return Figures(
        entries=len(tok),
        fertility=tokens / unseen.total,
        used=used(tok),
        unknown=unknown / unseen.total,
        bits=nats / math.log(2) / characters,
    )


def used(tok: pw.Tokenizer) -> float:
    """Returns the share of entries, without special tokens, that occur in the training words."""
    counts = tok.training.token_counts or {}
    return sum(count > 0 for count in counts.values()) / (len(counts) - len(tok.special_tokens))


if __name__ == "__main__":
    main()
