"""Vocabularies of one corpus with any number of threads and any split and order of the input: all must be equal."""

from __future__ import annotations

import os
import pydoc_data.topics
import random
from functools import reduce
from typing import TYPE_CHECKING

import piecework as pw

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus import Row

SPLITS = int(os.environ.get("SPLITS", "1000"))


def measure() -> Iterator[Row]:
    """Counts random shards of a shuffled text with 1, 2 or 8 threads, merges in random order, trains and compares files."""
    texts = [line for topic in pydoc_data.topics.topics.values() for line in topic.splitlines()][
        :1500
    ]
    trainer = pw.WordPieceTrainer(1200)
    whole = pw.train(texts, trainer, threads=1).to_str()
    choice = random.Random(7)
    for number in range(SPLITS):
        shuffled = choice.sample(texts, len(texts))
        cuts = sorted(choice.choices(range(len(texts) + 1), k=choice.randint(0, 8)))
        shards = [shuffled[a:b] for a, b in zip([0, *cuts], [*cuts, len(texts)], strict=True)]
        threads = choice.choice([1, 2, 8])
        tables = [pw.WordCounts.from_texts(shard, threads=threads) for shard in shards]
        choice.shuffle(tables)
        if pw.train(reduce(pw.WordCounts.merge, tables), trainer).to_str() != whole:
            raise SystemExit(f"split {number} gives another file")
    yield (
        "same file from 1, 2, 8 threads, any split and order",
        f"{SPLITS:,} random splits, 0 differences",
        "1,000, 0",
    )
