"""Time to explain a word with the vocabularies of BERT, GPT-4, T5 and Llama 2."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import corpus
from timing import best

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus import Row

    import piecework as pw

VOCABULARIES = {
    "BERT": "bert-base-uncased-vocab.txt",
    "cl100k": "cl100k_base.tiktoken",
    "T5": "t5-spiece.model",
    "Llama 2": "llama2-tokenizer.model",
}
WORDS = ("tokenization", "antidisestablishmentarianism", "naïvely", "the", "12345", "Schifffahrt")
CALLS, TIMES = 100, 7


def measure() -> Iterator[Row]:
    """Checks that ids equal those of `encode`, then times `explain`, and both views, for the slowest of some words."""
    if not corpus.is_there():
        yield corpus.skipped("explanation of a word")
        return
    import piecework as pw

    for name, file in VOCABULARIES.items():
        with warnings.catch_warnings():  # gaps between ids
            warnings.simplefilter("ignore", pw.errors.PieceworkWarning)
            tok = pw.Tokenizer.from_file(corpus.DATA / "vocabs" / file)
        for word in WORDS:
            if tok.explain(word).ids != tok.encode_ids(word, add_special_tokens=False):
                raise SystemExit(f"{name}: ids of {word} differ")
        yield _speed(name, tok)


def _speed(name: str, tok: pw.Tokenizer) -> Row:
    """Returns the row of the word that takes longest."""
    slowest = max(WORDS, key=lambda word: _seconds(tok, word))
    explanation = tok.explain(slowest)
    as_text, _ = best(lambda: str(explanation), TIMES)
    as_html, _ = best(explanation._repr_html_, TIMES)
    figure = (
        f"{_seconds(tok, slowest) * 1e3:.2f} ms ({slowest}); "
        f"as text {as_text * 1e3:.2f}, as HTML {as_html * 1e3:.2f}"
    )
    return f"explain a word, {name}", figure, "under 1 ms"


def _seconds(tok: pw.Tokenizer, word: str) -> float:
    """Returns the seconds of one call."""
    return best(lambda: [tok.explain(word) for _ in range(CALLS)], TIMES)[0] / CALLS
