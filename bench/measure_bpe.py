"""Speed of BPE encoding, compared with the fastest peers, gigatoken and fastokens; one thread unless stated otherwise.

"unseen" is the first pass of a new tokenizer (cold cache), whose tables were built by encoding one token before. Ids are first
compared with those of tiktoken, tokenizers and SentencePiece.
"""

from __future__ import annotations

import base64
import json
import os
import tempfile
import time
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import corpus
import documents
import numpy as np
from peers import Peer, agree, all_columns, beside, compared
from timing import best

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from corpus import Row
    from results import Cell

os.environ["RAYON_NUM_THREADS"] = "1"  # read when the others first encode

BYTES = 20_000_000
DOCUMENT = 2000  # bytes, about
FILE = 100_000_000
VOCABS = corpus.DATA / "vocabs"
CL100K = str(VOCABS / "cl100k_base.tiktoken")
CLIP = str(VOCABS / "clip-bpe_simple_vocab_16e6.txt.gz")
LLAMA = str(VOCABS / "llama2-tokenizer.model")
HOSTILE = {"a · 10⁵": "a" * 100_000, "_ · 50,000": "_" * 50_000, "spaces · 10⁵": " " * 100_000}


def measure() -> Iterator[Row | Cell]:
    """Compares ids first, then CPU time."""
    if not corpus.is_there():
        yield corpus.skipped("encode, BPE")
        return
    for name in documents.TEXTS:
        yield from _cl100k(name)
    yield _columns()
    yield from _single()
    yield from _clip()
    yield from _llama()
    yield from _hostile()
    yield from _file()


def _ours() -> Any:
    import piecework as pw

    return pw.Tokenizer.from_tiktoken(CL100K)


def _peers() -> list[Peer]:
    """Returns piecework and the peers that are installed, with cl100k."""
    peers = [
        Peer(
            "piecework",
            _ours,
            lambda tok, texts: tok.encode_batch(texts, threads=1).ids,
            lambda tok, text: tok.encode_ids(text),
            array=lambda tok, text: tok.encode_ids(text, as_array=True),
        )
    ]
    try:
        import awkward
        import gigatoken

        peers.append(
            Peer(
                "gigatoken",
                lambda: gigatoken.Tokenizer.from_tiktoken(CL100K, "cl100k"),
                lambda tok, texts: tok.encode_batch(texts, parallel=False),
                # Its fastest list: `encode_batch_list` and its tiktoken interface take longer.
                lambda tok, text: tok.encode(text).tolist(),
                lambda found: awkward.flatten(found).to_numpy(),
                array=lambda tok, text: tok.encode(text),
            )
        )
    except ImportError:
        pass
    try:
        import fastokens

        peers.append(
            Peer(
                "fastokens",
                lambda: fastokens.Tokenizer.from_tiktoken(CL100K, encoding="cl100k_base"),
                lambda tok, texts: tok.encode_batch_flat(texts),
                lambda tok, text: tok.encode(text).ids,
                lambda found: np.frombuffer(found[0], np.uint32),
            )
        )
    except ImportError:
        pass
    peers.append(
        Peer(
            "tiktoken",
            _tiktoken,
            lambda tok, texts: list(map(tok.encode_ordinary, texts)),
            lambda tok, text: tok.encode_ordinary(text),
            _flat,
            has_cache=False,
        )
    )
    return peers


def _flat(found: Any) -> Any:
    """Returns lists of ids as one array."""
    return np.fromiter(chain.from_iterable(found), np.uint32)


def _tiktoken() -> Any:
    """Returns tiktoken's encoding, with the pattern of the package and the ranks of the file."""
    import tiktoken
    from tiktoken_ext import openai_public

    lines = Path(CL100K).read_bytes().splitlines()
    ranks = {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, lines)}
    # The file that it would download.
    openai_public.load_tiktoken_bpe = lambda *_, **__: ranks
    return tiktoken.Encoding(**openai_public.cl100k_base())


def _texts(name: str) -> list[str]:
    return documents.cut(
        corpus.read(documents.TEXTS[name])[:BYTES].decode("utf-8", "ignore"), DOCUMENT
    )


def _cl100k(name: str) -> Iterator[Row | Cell]:
    texts = _texts(name)
    wanted = _flat(map(_tiktoken().encode_ordinary, texts))
    comparison = compared(f"cl100k, {name}", _peers(), texts, wanted)
    yield from comparison.cells("BPE", "cl100k_base", name)
    goal = "faster than both, 1.2 times in half of the cells"
    yield f"encode, cl100k, {name}, unseen", beside(comparison.cold), goal
    yield f"encode, cl100k, {name}, repeated", beside(comparison.warm), goal


def _columns() -> Row:
    from tokenizers import Tokenizer

    ours, texts = _ours(), _texts("English")[:1000]
    figure = all_columns("cl100k", ours, Tokenizer.from_str(ours.to_str()), texts)
    return "cl100k, all columns, English, repeated", figure, "30 times"


def _single() -> Iterator[Row]:
    """Encodes short texts, one call each, to lists and to arrays."""
    text = " ".join("".join(_texts("English")[:1500]).split())
    for size in (64, 512):
        texts = [text[size * number :][:size] for number in range(min(10_000, len(text) // size))]
        lists = {peer.name: (peer.make(), peer.one) for peer in _peers()}
        arrays = {peer.name: (peer.make(), peer.array) for peer in _peers() if peer.array}
        for form, calls in (("list", lists), ("array", arrays)):
            figures = _microseconds(calls, texts)
            listed = ", ".join(f"{name} {figure:.2f}" for name, figure in figures.items())
            what = f"cl100k, {len(texts)} texts of {size} bytes, one call each, {form}"
            yield what, f"{listed} µs", "no more than gigatoken"


def _microseconds(
    calls: dict[str, tuple[Any, Callable[[Any, str], Any]]], texts: list[str]
) -> dict[str, float]:
    """Returns the least microseconds of a call with a warm cache, by library; passes alternate."""
    reference = _tiktoken()
    wanted = [reference.encode_ordinary(text) for text in texts[:100]]
    for name, (tok, one) in calls.items():
        for text, ids in zip(texts, wanted, strict=False):
            agree(f"{name}, one call", one(tok, text), ids)
    least = dict.fromkeys(calls, float("inf"))
    for _ in range(15):
        for name, (tok, one) in calls.items():
            seconds, _ = best(lambda: [one(tok, text) for text in texts], 1)  # noqa: B023
            least[name] = min(least[name], seconds / len(texts) * 1e6)
    return least


def _clip() -> Iterator[Row]:
    from tokenizers import Tokenizer

    import piecework as pw

    ours, texts = pw.Tokenizer.from_file(CLIP), _texts("English")[:2000]
    document = ours.to_str()
    theirs = Tokenizer.from_str(document)
    theirs.no_truncation()
    size = sum(len(text.encode()) for text in texts) / 1e6
    encodings = theirs.encode_batch_fast(texts, add_special_tokens=False)
    wanted = np.fromiter(chain.from_iterable(one.ids for one in encodings), np.uint32)
    call = lambda: ours.encode_batch(texts, threads=1, add_special_tokens=False).ids  # noqa: E731
    first, ids = best(call, 1)
    agree("CLIP", ids, wanted)
    again, _ = best(call, 5)
    try:
        import fastokens
    except ImportError:
        yield "encode, CLIP, English", f"{size / again:.0f} MB/s", "10 times fastokens"
        return
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        # It does not support CLIP's post-processor.
        file.write(json.dumps(json.loads(document) | {"post_processor": None}))
        file.flush()
        peer = fastokens.Tokenizer.from_file(file.name)
    seconds, _ = best(lambda: peer.encode_batch_flat(texts), 3)
    figure = f"{size / again:.0f} MB/s (unseen {size / first:.0f}), fastokens {size / seconds:.1f}"
    yield "encode, CLIP, English", f"{figure}: {seconds / again:.1f} times", "10 times fastokens"


def _llama() -> Iterator[Row]:
    import sentencepiece

    import piecework as pw

    for name in documents.TEXTS:
        ours, texts = pw.Tokenizer.from_file(LLAMA), _texts(name)[:2000]
        theirs = sentencepiece.SentencePieceProcessor(model_file=LLAMA)
        size = sum(len(text.encode()) for text in texts) / 1e6
        slow, wanted = best(lambda: theirs.encode(texts, num_threads=1), 1)  # noqa: B023
        # SentencePiece treats "<s>" in a text as plain text.
        call = lambda: ours.encode_batch(texts, threads=1, specials="text").ids  # noqa: B023, E731
        first, ids = best(call, 1)
        agree(f"Llama 2, {name}", ids, np.fromiter(chain.from_iterable(wanted), np.uint32))
        again, _ = best(call, 5)
        figure = (
            f"{size / again:.0f} MB/s (unseen {size / first:.0f}), sentencepiece {size / slow:.1f}"
        )
        goal = "10 times sentencepiece" if name == "English" else "-"
        yield f"encode, Llama 2, {name}", f"{figure}: {slow / again:.1f} times", goal


def _hostile() -> Iterator[Row]:
    ours, reference = _ours(), _tiktoken()
    ours.encode_ids("a")
    for what, text in HOSTILE.items():
        seconds, ids = best(lambda: ours.encode_ids(text, cache=False), 3)  # noqa: B023
        # tiktoken takes seconds for these; a tenth is enough for the comparison.
        part = text[: len(text) // 10]
        agree(what, ours.encode_ids(part), reference.encode_ordinary(part))
        figure = f"{seconds * 1e3:.2f} ms, {len(ids)} ids"
        yield f"cl100k, {what}, without the cache", figure, "under 50 ms"


def _file() -> Iterator[Row]:
    """Encodes a whole file to one array, in wall-clock seconds, since threads wait for shared data."""
    import piecework as pw

    novels = corpus.read("en/novels-25.txt")
    data = (novels * (FILE // len(novels) + 1))[:FILE].decode("utf-8", "ignore").encode()
    with tempfile.TemporaryDirectory(prefix="piecework-bench-") as folder:
        path = Path(folder, "text.txt")
        path.write_bytes(data)
        ours, size = _ours(), len(data) / 1e6
        speeds = {}
        one_text = pw.Corpus(path, per="file")
        for threads in (1, 2):
            seconds, _ = best(
                lambda: ours.encode_batch(one_text, threads=threads).ids,  # noqa: B023
                3,
                time.perf_counter,
            )
            speeds[threads] = size / seconds
        peer = _gigatoken_file(path, size)
    for threads, speed in speeds.items():
        figure = f"{speed:.0f} MB/s, gigatoken {peer[threads]:.0f}" if peer else f"{speed:.0f} MB/s"
        yield f"cl100k, a file of {size:.0f} MB, {threads} threads", figure, "gigatoken's file mode"


def _gigatoken_file(path: Path, size: float) -> dict[int, float]:
    try:
        import gigatoken
    except ImportError:
        return {}
    tok = gigatoken.Tokenizer.from_tiktoken(CL100K, "cl100k")
    speeds = {}
    for threads, parallel in ((1, False), (2, True)):
        seconds, _ = best(lambda: tok.encode_files(path, parallel=parallel), 3, time.perf_counter)  # noqa: B023
        speeds[threads] = size / seconds
    return speeds


if __name__ == "__main__":
    for row in measure():
        print(*row, sep="  ")
