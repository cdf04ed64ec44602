"""Trains on texts, counts and mappings."""

from collections.abc import Iterator
from typing import assert_type

import numpy as np
import polars as pl

import piecework as pw

WORDS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
trainer = pw.WordPieceTrainer(vocab_size=20, criterion="pmi", special_tokens=["[UNK]"])


def texts() -> Iterator[str]:
    for word, count in WORDS.items():
        yield " ".join([word] * count)


assert_type(pw.train(WORDS, trainer), pw.Tokenizer)
assert_type(pw.train(texts(), trainer, normalizer=None, threads=1), pw.Tokenizer)
assert_type(pw.train(list(texts()), trainer, normalizer=pw.DEFAULT), pw.Tokenizer)
assert_type(pw.train(pl.Series(list(texts())), trainer), pw.Tokenizer)
assert_type(pw.train(np.array(list(texts())), trainer), pw.Tokenizer)
byte_level = pw.pre_tokenizers.ByteLevel(add_prefix_space=False)
assert_type(
    pw.train(texts(), pw.BpeTrainer(300, alphabet="byte"), pre_tokenizer=byte_level), pw.Tokenizer
)
assert_type(pw.train(texts(), pw.UnigramTrainer(vocab_size=12)), pw.Tokenizer)
assert_type(pw.train(texts(), pw.WordLevelTrainer(vocab_size=12)), pw.Tokenizer)

counts = pw.WordCounts.from_texts(texts(), added_tokens=["[SEP]", pw.AddedToken("[MASK]")])
assert_type(counts, pw.WordCounts)
assert_type(counts.merge(counts), pw.WordCounts)
assert_type(counts.fingerprint, str)
assert_type(list(counts), list[str])

stages: list[str] = []


def report(progress: pw.Progress) -> None:
    stages.append(progress.stage)


tok = pw.train(WORDS, trainer, progress=report)
assert_type(tok.history[0], pw.Merge)
assert_type(tok.history[0].score, float)
assert_type([merge.token for merge in tok.history], list[str])
assert_type(tok.training.counts_sha256, str | None)

trace = pw.trace(WORDS, trainer, top=3)
assert_type(trace, pw.training.MergeTrace)
assert_type(trace.tokenizer, pw.Tokenizer)
assert_type(trace[0], pw.training.MergeTraceStep)
assert_type(pw.trace(texts(), pw.UnigramTrainer(12)), pw.training.UnigramTrace)
assert_type(pw.trace_criteria(WORDS, trainer), pw.training.CriteriaTrace)
