"""`piecework.hf` compared with `tokenizers`: batches with offsets, transformers to padded arrays, and the import.

The wall clock counts for batches, since both libraries encode a batch on all cores, and CPU time for transformers, whose
own code takes most of the time. Offsets are read, since ours are encoded when they are read.
"""

from __future__ import annotations

import subprocess
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import corpus
import numpy as np
from timing import best

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus import Row

TEXTS, TIMES, CALLS, IMPORTS = 1000, 7, 30, 15
FILES = (
    "all-minilm-l6-v2-tokenizer.json",
    "llama3-tokenizer.json.zst",
    "starcoder-tokenizer.json.zst",
    "deepseek-tokenizer.json.zst",
)
clock = time.perf_counter


def measure() -> Iterator[Row]:
    """Encodes the same texts on both sides in turn, after comparing ids and offsets."""
    if not corpus.is_there():
        yield corpus.skipped("hf")
        return
    texts = documents()
    for name in FILES:
        yield (
            f"hf: {name.split('-tok')[0]}, {TEXTS:,} texts, with offsets",
            _batches(name, texts),
            "at least 5 times",
        )
    yield (
        f"hf: transformers, {TEXTS:,} texts to padded arrays",
        _transformers(texts),
        "at least 90 % of the ceiling",
    )
    yield "hf: import piecework.hf", _imports(), "no slower than tokenizers"


def documents() -> list[str]:
    """Returns texts of some sentences each."""
    lines = [line for line in corpus.english_text().decode().splitlines() if line]
    return [" ".join(lines[at : at + 8]) for at in range(0, len(lines), 8)][:TEXTS]


def content(name: str) -> str:
    """Returns the text of a tokenizer.json among the data."""
    data = (corpus.DATA / "vocabs" / name).read_bytes()
    if name.endswith(".zst"):
        import zstandard

        data = zstandard.ZstdDecompressor().stream_reader(data).read()
    return data.decode()


def loaded(name: str) -> list[Any]:
    """Returns the tokenizer of both libraries, without truncation and padding."""
    import tokenizers

    from piecework import hf

    both: list[Any] = [module.Tokenizer.from_str(content(name)) for module in (tokenizers, hf)]
    for tok in both:
        tok.no_truncation()
        tok.no_padding()
    return both


def _batches(name: str, texts: list[str]) -> str:
    theirs, ours = loaded(name)
    for wanted, found in zip(theirs.encode_batch(texts), ours.encode_batch(texts), strict=True):
        assert (found.ids, found.offsets) == (wanted.ids, wanted.offsets)
    seconds = [best(partial(_offsets, tok, texts), TIMES, clock)[0] for tok in (theirs, ours)]
    return f"{seconds[0] / seconds[1]:.1f} times ({seconds[1] * 1000:.0f} ms)"


def _offsets(tok: Any, texts: list[str]) -> list[Any]:
    """Encodes texts and reads the ids and offsets."""
    return [(encoding.ids, encoding.offsets) for encoding in tok.encode_batch(texts)]


class Prepared:
    """An encoding whose columns cost nothing."""

    def __init__(self, encoding: Any) -> None:
        for name in ("ids", "type_ids", "attention_mask", "special_tokens_mask", "offsets"):
            setattr(self, name, getattr(encoding, name))
        self.overflowing: list[Any] = []
        self.n_sequences = 1


def _transformers(texts: list[str]) -> str:
    """Compares our tokenizer within transformers with stubs whose `encode_batch` is free, in turn.

    The first stub returns our encodings, whose lists are made when they are read; the second has lists already.
    """
    from transformers import PreTrainedTokenizerFast

    _, tok = loaded(FILES[0])
    whole = PreTrainedTokenizerFast(tokenizer_object=tok, pad_token="[PAD]")
    call = partial(whole, texts, padding=True, truncation=True, max_length=256, return_tensors="np")
    wanted, own = call(), whole._tokenizer
    encodings = own.encode_batch(texts)
    prepared = [Prepared(encoding) for encoding in own.encode_batch(texts)]
    kinds = [
        type(own),
        *(
            type("Stub", (type(own),), {"encode_batch": lambda *_, rows=rows, **__: rows})
            for rows in (encodings, prepared)
        ),
    ]
    seconds = [float("inf")] * len(kinds)
    for _ in range(CALLS):
        for place, kind in enumerate(kinds):
            own.__class__ = kind
            start = time.process_time()
            found = call()
            seconds[place] = min(seconds[place], time.process_time() - start)
            assert np.array_equal(found["input_ids"], wanted["input_ids"])
    ours, ceiling, lists = (1000 * each for each in seconds)
    return (
        f"{ceiling / ours:.0%} ({ours:.0f} ms, ceiling {ceiling:.0f} ms; "
        f"{lists / ours:.0%} of {lists:.0f} ms with free columns)"
    )


def _imports() -> str:
    program = (
        "import time; start = time.process_time(); import {}; print(time.process_time() - start)"
    )
    times = [
        min(
            float(subprocess.check_output([sys.executable, "-c", program.format(name)]))
            for _ in range(IMPORTS)
        )
        for name in ("tokenizers", "piecework.hf")
    ]
    return f"{times[1] / times[0]:.2f} of its time ({times[1] * 1000:.0f} ms CPU)"
