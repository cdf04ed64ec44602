"""Speed of Unigram encoding, compared with SentencePiece, tokie and `tokenizers`; one thread each, ids are compared first.

"unseen" is the first pass of a new tokenizer (cold cache), whose tables were built by encoding one token before. `tokenizers` and
tokie read the model as a tokenizer.json that `transformers` converted, with sums of 64 bits.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import corpus
import documents
import numpy as np
from peers import (
    Peer,
    agree,
    all_columns,
    compared,
    tokenizers_peer,
    tokie_of,
    tokie_peers,
)
from timing import best

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from corpus import Row
    from results import Cell

sys.path.append(str(Path(__file__).parents[1] / "tests" / "helpers"))
import live_unigram  # it reads SentencePiece models

os.environ["RAYON_NUM_THREADS"] = "1"  # read when `tokenizers` first encodes

BYTES = 20_000_000
SLOW_BYTES = 1_000_000
"""Bytes of text for slow measures."""
CONVERTED_BYTES = 4_000_000
DOCUMENT = 2000  # bytes, about
VOCABS = corpus.DATA / "vocabs"
T5 = "t5-spiece.model"
MODELS = (T5, "privately-corp-albert-30k-clean.model", "sentencepiece-test_model.model")
REPEATED = {"English": "5 (10) times sentencepiece, 3 times tokie"}
REPEATED["many languages"] = REPEATED["English"]
UNSEEN = dict.fromkeys(REPEATED, "3 times sentencepiece")
SIZES = (10**4, 10**5, 10**6)


def measure() -> Iterator[Row | Cell]:
    """Compares ids first, then CPU time."""
    if not corpus.is_there():
        yield corpus.skipped("encode, Unigram")
        return
    for name in documents.TEXTS:
        yield from _encode(T5, name)
    for model in MODELS[1:]:
        yield from _encode(model, "English")
    for name in documents.TEXTS:
        yield from _converted(name)
    yield _single()
    yield from _without_spaces()
    yield from _nbest()
    yield _sampled()


def _ours(model: str) -> Any:
    """Returns a new tokenizer whose tables are built."""
    import piecework as pw

    tok = pw.Tokenizer.from_file(VOCABS / model)
    tok.encode_ids("a")
    return tok


def _theirs(model: str) -> Any:
    import sentencepiece

    return sentencepiece.SentencePieceProcessor(model_file=str(VOCABS / model))


def _as_json(model: str) -> str:
    return json.dumps(live_unigram.as_transformers_json((VOCABS / model).read_bytes()))


def _texts(name: str, size: int = BYTES) -> list[str]:
    return documents.cut(
        corpus.read(documents.TEXTS[name])[:size].decode("utf-8", "ignore"), DOCUMENT
    )


def _megabytes(texts: Sequence[str]) -> float:
    return sum(len(text.encode()) for text in texts) / 1e6


def _ids(tok: Any, texts: Sequence[str]) -> Any:
    """Returns flat ids, with "</s>" in a text as plain text, like SentencePiece."""
    return tok.encode_batch(texts, threads=1, specials="text").ids


def _beside(ours: float, others: dict[str, float]) -> str:
    """Returns the speeds in MB/s and the ratio to each of the others."""
    listed = ", ".join(f"{name} {speed:.1f}" for name, speed in others.items())
    ratios = ", ".join(f"{ours / speed:.1f} times {name}" for name, speed in others.items())
    return f"{ours:.0f} MB/s, {listed}: {ratios}"


def _encode(model: str, name: str) -> Iterator[Row | Cell]:
    """Measures documents to flat ids; tokie reads the tokenizer.json, whose ids differ from those of the model file."""
    import piecework as pw

    texts, rival = _texts(name), tokie_of(_as_json(model))
    ours = Peer(
        "piecework",
        lambda: pw.Tokenizer.from_file(VOCABS / model),
        _ids,
        lambda tok, text: tok.encode_ids(text),
    )
    theirs = Peer(
        "sentencepiece",
        lambda: _theirs(model),
        lambda tok, texts: tok.encode(texts, num_threads=1, return_type="numpy"),
        lambda tok, text: tok.encode(text),
        np.concatenate,
        has_cache=False,
    )
    wanted = theirs.flat(theirs.many(theirs.make(), texts))
    comparison = compared(f"{model}, {name}", [ours, theirs], texts, wanted)
    if model == T5:
        yield from comparison.cells("Unigram", model, name)
    for what, speeds, times, goals in (
        ("unseen", comparison.cold, 1, UNSEEN),
        ("repeated", comparison.warm, 3, REPEATED),
    ):
        others = {"sentencepiece": speeds["sentencepiece"]}
        if rival is not None:
            seconds, _ = best(lambda: rival.encode_batch_flat(texts), times)
            others["tokie"] = _megabytes(texts) / seconds
        goal = goals.get(name, "-") if model == T5 else "-"
        yield f"encode, {model}, {name}, {what}", _beside(speeds["piecework"], others), goal


def _converted(name: str) -> Iterator[Row | Cell]:
    """Measures the model as a tokenizer.json of `tokenizers`."""
    import piecework as pw

    document, texts = _as_json(T5), _texts(name, CONVERTED_BYTES)
    ours = Peer(
        "piecework",
        lambda: pw.Tokenizer.from_str(document),
        lambda tok, texts: tok.encode_batch(texts, threads=1, add_special_tokens=False).ids,
        lambda tok, text: tok.encode_ids(text),
    )
    theirs = tokenizers_peer(document, has_cache=True)
    wanted = theirs.flat(theirs.many(theirs.make(), texts))
    peers = [ours, theirs, *tokie_peers(document)]
    comparison = compared(f"converted, {name}", peers, texts, wanted)
    yield from comparison.cells("Unigram", "T5 as tokenizer.json", name)
    others = {peer: speed for peer, speed in comparison.warm.items() if peer != "piecework"}
    figure = _beside(comparison.warm["piecework"], others)
    path = "generic path" if ours.make().generic_path_reason else "fast path"
    what = f"encode, T5's as tokenizer.json, {name}, repeated"
    yield what, f"{figure} (unseen {comparison.cold['piecework']:.0f}; {path})", "-"
    if name == "English":
        figure = all_columns("T5", ours.make(), theirs.make(), texts)
        yield "  the same, all columns, English", figure, "30 times"


def _single() -> Row:
    """Short texts, one call each."""
    text = " ".join("".join(_texts("English", SLOW_BYTES)).split())
    texts = [text[64 * number :][:64] for number in range(10_000)]
    calls = {
        "piecework": _ours(T5).encode_ids,
        "sentencepiece": _theirs(T5).encode,
    }
    if (rival := tokie_of(_as_json(T5))) is not None:
        calls["tokie"] = lambda text: rival.encode(text).ids
    found = [[list(call(text)) for text in texts] for call in list(calls.values())[:2]]
    if found[0] != found[1]:
        raise SystemExit("one call each: ids differ")
    each = {
        name: best(lambda: [call(text) for text in texts], 5)[0] / len(texts)  # noqa: B023
        for name, call in calls.items()
    }
    listed = ", ".join(f"{name} {seconds * 1e6:.2f}" for name, seconds in each.items())
    ratio = each["sentencepiece"] / each["piecework"]
    what = f"T5, {len(texts)} texts of 64 bytes, one call each"
    return what, f"{listed} µs: {ratio:.1f} times sentencepiece", "3 times sentencepiece"


def _without_spaces() -> Iterator[Row]:
    """Measures one word of many characters: the time per character should be constant."""
    texts = {
        "English": "".join("".join(_texts("English", 2_000_000)).split()),
        "Chinese": "".join("".join(_texts("Chinese", 5_000_000)).split()),
        "a": "a" * SIZES[-1],
    }
    ours, theirs = _ours(T5), _theirs(T5)
    for name, text in texts.items():
        ours_each, theirs_each = [], []
        for size in SIZES:
            part = text[:size]
            call = lambda: ours.encode_ids(part, specials="text", cache=False)  # noqa: B023, E731
            fast, ids = best(call, 5 if size < SIZES[-1] else 2)
            slow, wanted = best(lambda: theirs.encode(part), 1)  # noqa: B023
            agree(f"{name}, {size} characters without a space", ids, wanted)
            ours_each.append(f"{fast / size * 1e9:.0f}")
            theirs_each.append(f"{slow / size * 1e9:.0f}")
        figure = f"{'/'.join(ours_each)} ns a character, sentencepiece {'/'.join(theirs_each)}"
        yield f"T5, {name} without a space, 10⁴/10⁵/10⁶ characters", figure, "constant"


def _nbest() -> Iterator[Row]:
    """Measures n-best lists of parts of lines."""
    lines = [" ".join(text.split())[:200] for text in _texts("English", 1_000_000)[:200]]
    ours, theirs = _ours(T5), _theirs(T5)
    for n in (5, 64):
        listed = lambda: [ours.lm.nbest(line, n) for line in lines]  # noqa: B023, E731
        fast, found = best(listed, 2)
        slow, wanted = best(lambda: [theirs.nbest_encode(line, nbest_size=n) for line in lines], 2)  # noqa: B023
        if [[encoding.ids for encoding, _ in few] for few in found] != wanted:
            raise SystemExit(f"the best {n}: ids differ")
        figure = f"{fast / len(lines) * 1e6:.0f} µs, sentencepiece {slow / len(lines) * 1e6:.0f}"
        yield f"T5, the best {n} of 200 characters", f"{figure}: {slow / fast:.1f} times", "-"


def _sampled() -> Row:
    """Measures sampling, and checks that each segmentation spells the text."""
    import piecework as pw

    texts = _texts("English", SLOW_BYTES)
    ours, theirs = _ours(T5), _theirs(T5)
    sampling = pw.Sampling(alpha=0.1, seed=1)
    drawn = lambda: ours.encode_batch(texts, sampling=sampling, threads=1)  # noqa: E731
    fast, batch = best(drawn, 2)
    slow, _ = best(
        lambda: theirs.encode(texts, enable_sampling=True, nbest_size=-1, alpha=0.1, num_threads=1),
        1,
    )
    if ours.decode_batch(batch) != ours.decode_batch(ours.encode_batch(texts)):
        raise SystemExit("a sampled segmentation does not spell the text")
    size = _megabytes(texts)
    return (
        "T5, sampled, alpha=0.1, English",
        _beside(size / fast, {"sentencepiece": size / slow}),
        "-",
    )


if __name__ == "__main__":
    for row in measure():
        print(*row, sep="  ")
