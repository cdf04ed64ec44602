"""The tokens that an extension of a vocabulary saves on a new domain, and the time of `truncate_text` on 100 MB."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import corpus
from timing import best

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus import Row

NEW_TOKENS = 1000
DOMAINS = (
    ("BERT, a dictionary of English", "bert-base-uncased-vocab.txt", "en/gcide-a.txt"),
    ("GPT-2, Python", "gpt2-encoder.json", "code/python-cpython-lib.txt"),
    ("cl100k, Python", "cl100k_base.tiktoken", "code/python-cpython-lib.txt"),
    ("Llama 2, Polish", "llama2-tokenizer.model", "multi/pl-docs.txt"),
    ("T5, Spanish", "t5-spiece.model", "multi/es-docs.txt"),
)
MOST = 3_000_000
"""The largest number of characters of a domain."""
LONG = 100_000_000
"""The number of characters of the text that is truncated."""
HELD_OUT = 5
"""Every line of this number is held out, the first one included."""


def measure() -> Iterator[Row]:
    """Extends real vocabularies, checks ids and counts tokens of held-out lines; truncates long texts."""
    if not corpus.is_there():
        yield corpus.skipped("extension and truncation of texts")
        return
    for name, vocab, text in DOMAINS:
        yield _extended(name, vocab, text)
    for name, vocab, _ in DOMAINS:
        yield from _truncated(name.partition(",")[0], vocab)


def _load(vocab: str) -> Any:
    import piecework as pw

    return pw.Tokenizer.from_file(str(corpus.DATA / "vocabs" / vocab))


def _extended(name: str, vocab: str, text: str) -> Row:
    import piecework as pw

    tok = _load(vocab)
    lines = corpus.read(text).decode()[:MOST].splitlines(keepends=tok.model_type == "BPE")
    held_out = lines[::HELD_OUT]
    domain = [line for place, line in enumerate(lines) if place % HELD_OUT]
    start = time.perf_counter()
    change = pw.extend(tok, domain, new_tokens=NEW_TOKENS)
    seconds = time.perf_counter() - start
    if not tok.vocab.items() <= change.tokenizer.vocab.items():
        raise SystemExit(f"{name}: ids changed")
    before, after = (sum(each.count(held_out)) for each in (tok, change.tokenizer))
    words = sum(len(line.split()) for line in held_out)
    figure = f"{before / words:.2f} -> {after / words:.2f} tokens a word ({after / before - 1:+.1%}), {seconds:.1f} s"
    return f"{len(change.added):,} tokens more: {name}", figure, "fewer tokens"


def _truncated(name: str, vocab: str) -> Iterator[Row]:
    tok = _load(vocab)
    text = corpus.english(LONG).decode()[:LONG]
    for n in (100, 10_000):
        for side in ("right", "left"):
            seconds, kept = best(lambda n=n, side=side: tok.truncate_text(text, n, side=side), 5)
            if tok.count(kept) > n:
                raise SystemExit(f"{name}: too many tokens")
            encoding, _ = best(lambda kept=kept: tok.encode_ids(kept, as_array=True), 5)
            figure = f"{1000 * seconds:.2f} ms, {seconds / encoding:.0f} times its encoding"
            yield (
                f"{len(text) / 1e6:.0f} MB to {n:,} tokens, {side}, {name}",
                figure,
                "milliseconds",
            )
