"""Reads files in every call that takes texts."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import assert_type

import piecework as pw

with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    (folder / "a.jsonl").write_text('{"text": "hugs hug", "lang": "en"}\n' * 9, encoding="utf-8")
    corpus = pw.Corpus([folder / "a.jsonl"], field="text", on_error="skip", per="line")
    assert_type(corpus.files, tuple[str, ...])
    assert_type(corpus.bytes, int)
    assert_type(iter(corpus), Iterator[str])
    assert_type(next(corpus.documents()), pw.Document)
    assert_type(next(corpus.documents()).byte, int | None)

    counts = pw.count_words(corpus, max_memory="300MB")
    assert_type(counts, pw.WordCounts)
    assert_type(pw.WordCounts.from_texts(corpus, normalizer=None), pw.WordCounts)
    summary = pw.WordCounts.count_to_file(corpus, folder / "counts", threads=1)
    assert_type(summary, pw.CountsSummary)
    engine = pw.engines.Local(workers=1)
    tok = pw.train(corpus, pw.WordPieceTrainer(20), engine=engine, part_bytes=1 << 20)
    assert_type(tok, pw.Tokenizer)
    assert_type(pw.train(corpus, like=tok, vocab_size=15), pw.Tokenizer)
    assert_type(pw.trace(corpus, pw.WordPieceTrainer(20)), pw.training.MergeTrace)
    assert_type(tok.encode_batch(corpus), pw.EncodedBatch)
    assert_type(tok.count(corpus), list[int])
    evaluation = pw.evaluate([tok, tok], corpus, by="lang", disagreements=3)
    assert_type(evaluation.agreement, pw.analysis.Agreement | None)
    assert_type(pw.diff(tok, tok, corpus).texts_tried, int)
    assert_type(pw.prune(tok, corpus, min_count=1), pw.VocabularyChange)
    short = pw.train(corpus, pw.WordPieceTrainer(20, max_merges=1))
    assert_type(pw.extend(short, corpus, new_tokens=1), pw.VocabularyChange)
