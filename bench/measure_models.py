"""Speed of byte-level BPE with the vocabularies of well-known models, read as tokenizer.json by all libraries; one thread.

"unseen" is the first pass over documents after up to 2 MB of others, "repeated" a later one. Ids are first compared with those of
`tokenizers`.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import corpus
import documents
import numpy as np
from peers import Peer, beside, compared, tokenizers_peer

from piecework import patterns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus import Row

os.environ["RAYON_NUM_THREADS"] = "1"  # read when the others first encode

BEFORE = 2_000_000  # bytes of other documents, a fifth of the text at most
BYTES = 8_000_000
DOCUMENT = 2000  # bytes, about
LOADS = 5
FIRST = "A first text, xqzworld."
VOCABS = corpus.DATA / "vocabs"
MODELS = {
    "o200k": "o200k_base.tiktoken",
    "Qwen": "qwen.tiktoken",
    "Llama 3": "llama3-tokenizer.json",
    "DeepSeek": "deepseek-tokenizer.json",
    "StarCoder": "starcoder-tokenizer.json",
}
"""The vocabularies of the shared data, as they are or packed; `measure_bpe.py` has cl100k."""
PATTERNS = {"qwen.tiktoken": patterns.SPLIT_PATTERNS["qwen2"]}
"""The split patterns of ranks that are not known by the name of the file."""


def measure() -> Iterator[Row]:
    """Compares ids first, then CPU time."""
    if not corpus.is_there():
        yield corpus.skipped("encode, models")
        return
    for model, file in MODELS.items():
        document = _document(file)
        if document is None:
            yield corpus.skipped(f"encode, {model}")
            continue
        libraries = [_ours(document), *_peers(document)]
        yield _load(model, libraries)
        for name in documents.TEXTS:
            yield from _model(model, document, libraries, name)


def _document(file: str) -> str | None:
    """Returns a vocabulary as tokenizer.json, without a template; None if it is absent."""
    import piecework as pw

    try:
        data = corpus.unpacked(VOCABS / file)
    except FileNotFoundError:
        return None
    if file.endswith(".json"):
        return data.decode()
    with tempfile.TemporaryDirectory(prefix="piecework-bench-") as folder:
        unpacked = Path(folder, file)
        unpacked.write_bytes(data)
        return pw.Tokenizer.from_tiktoken(unpacked, pattern=PATTERNS.get(file)).to_str()


def _load(model: str, libraries: list[Peer]) -> Row:
    """Compares the time until the first text is encoded, which some libraries spend in loading, others in the first call."""
    seconds = {library.name: [float("inf")] * 2 for library in libraries}
    for _ in range(LOADS):
        for library in libraries:
            start = time.perf_counter()
            tokenizer = library.make()
            loaded = time.perf_counter()
            library.one(tokenizer, FIRST)
            found = (loaded - start, time.perf_counter() - loaded)
            seconds[library.name] = min(seconds[library.name], list(found), key=sum)
    figures = [
        f"{name} {load * 1e3:.0f} + {first * 1e3:.1f} ms" for name, (load, first) in seconds.items()
    ]
    return f"load and first call, {model}", ", ".join(figures), "at most gigatoken's"


def _model(model: str, document: str, libraries: list[Peer], name: str) -> Iterator[Row]:
    data = corpus.read(documents.TEXTS[name])
    first = min(BEFORE, len(data) // 5)
    before, texts = (
        documents.cut(part.decode("utf-8", "ignore"), DOCUMENT)
        for part in (data[:first], data[first:][:BYTES])
    )
    reference = tokenizers_peer(document, has_cache=False)
    wanted = reference.flat(reference.many(reference.make(), texts))
    found = compared(f"{model}, {name}", libraries, texts, wanted, before)
    for what, speeds in (("unseen", found.cold), ("repeated", found.warm)):
        figure = beside(speeds)
        if found.different:
            figure += f" ({', '.join(found.different)}: other ids)"
        yield f"encode, {model}, {name}, {what}", figure, "never behind the fastest"


def _ours(document: str) -> Peer:
    import piecework as pw

    return Peer(
        "piecework",
        lambda: pw.Tokenizer.from_str(document),
        lambda tok, texts: tok.encode_batch(texts, threads=1, add_special_tokens=False).ids,
        lambda tok, text: tok.encode_ids(text),
    )


def _peers(document: str) -> Iterator[Peer]:
    """Yields the peers that are installed and read the file."""
    try:
        import awkward
        import gigatoken

        gigatoken.Tokenizer.from_json(document)
        yield Peer(
            "gigatoken",
            lambda: gigatoken.Tokenizer.from_json(document),
            lambda tok, texts: tok.encode_batch(texts, parallel=False),
            lambda tok, text: tok.encode(text).tolist(),
            lambda found: awkward.flatten(found).to_numpy(),
        )
    except (ImportError, RuntimeError, ValueError):
        pass
    try:
        import fastokens

        fastokens.Tokenizer.from_json_str(document)
        yield Peer(
            "fastokens",
            lambda: fastokens.Tokenizer.from_json_str(document),
            lambda tok, texts: tok.encode_batch_flat(texts),
            lambda tok, text: tok.encode(text).ids,
            lambda found: np.frombuffer(found[0], np.uint32),
        )
    except (ImportError, RuntimeError, ValueError):
        pass


if __name__ == "__main__":
    for row in measure():
        print(*row, sep="  ")
