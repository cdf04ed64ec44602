"""Time of decoding: one id a step, and batches, compared with `tokenizers`, tiktoken and SentencePiece."""

from __future__ import annotations

import base64
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import corpus
from documents import DOCUMENT, cut
from timing import best

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from corpus import Row

    import piecework as pw

BYTES, STEPS, TIMES = 2_000_000, 200_000, 3
VOCABS = corpus.DATA / "vocabs"


def measure() -> Iterator[Row]:
    """Decodes the same ids on all sides, after comparing the texts."""
    if not corpus.is_there():
        yield corpus.skipped("decode")
        return
    import piecework as pw

    ranks = pw.Tokenizer.from_tiktoken(VOCABS / "cl100k_base.tiktoken")
    yield from _rows("cl100k", ranks, "tiktoken", _tiktoken())
    llama = pw.Tokenizer.from_sentencepiece(VOCABS / "llama2-tokenizer.model")
    yield from _rows("Llama 2", llama, "sentencepiece", _sentencepiece())


def _rows(
    name: str, tok: pw.Tokenizer, peer: str, decode: Callable[[list[int]], str]
) -> Iterator[Row]:
    import tokenizers

    texts = cut(corpus.english(BYTES).decode("utf-8", "ignore"), DOCUMENT)
    rows = [tok.encode_ids(text, add_special_tokens=False) for text in texts]
    ids = [number for row in rows for number in row][:STEPS]
    theirs = _tokenizers(tok)
    if tok.decode(ids) != theirs.decode(ids) or tok.decode_batch(rows) != theirs.decode_batch(rows):
        raise SystemExit(f"decode, {name}: texts differ")

    def step() -> None:
        each = tok.decode_stream().step
        for number in ids:
            each(number)

    def step_theirs() -> None:
        stream = tokenizers.decoders.DecodeStream(skip_special_tokens=True)
        for number in ids:
            stream.step(theirs, number)

    def step_peer() -> None:
        for number in ids:
            decode([number])

    ours, slow, other = (best(run, TIMES)[0] for run in (step, step_theirs, step_peer))
    result = (
        f"{ours / len(ids) * 1e9:.0f} ns, {slow / ours:.1f} times `tokenizers`, "
        f"{other / ours:.1f} times `decode` of {peer}"
    )
    yield f"decode_stream: {name}, one id a step", result, "10 times, not behind"
    batch = tok.encode_batch(texts, add_special_tokens=False)
    size = sum(len(text.encode()) for text in tok.decode_batch(rows)) / 1e6
    ours, columns, slow, other = (
        best(run, TIMES)[0]
        for run in (
            lambda: tok.decode_batch(rows),
            lambda: tok.decode_batch(batch),
            lambda: theirs.decode_batch(rows),
            lambda: [decode(row) for row in rows],
        )
    )
    result = (
        f"{size / ours:.0f} MB/s from lists, {size / columns:.0f} from a batch; lists "
        f"{slow / ours:.1f} times `tokenizers`, {other / ours:.1f} times {peer}"
    )
    yield f"decode_batch: {name}", result, "5 times, 2 times"


def _tokenizers(tok: pw.Tokenizer) -> Any:
    import warnings

    import tokenizers

    path = Path(tempfile.mkdtemp(prefix="piecework-bench-"), "tokenizer.json")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # control symbols, which no decoding depends on
        tok.save(path)
    return tokenizers.Tokenizer.from_file(str(path))


def _tiktoken() -> Callable[[list[int]], str]:
    import tiktoken

    lines = (VOCABS / "cl100k_base.tiktoken").read_bytes().splitlines()
    ranks = {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, lines)}
    return tiktoken.Encoding(
        "cl100k", pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens={}
    ).decode


def _sentencepiece() -> Callable[[list[int]], str]:
    import sentencepiece

    model = str(VOCABS / "llama2-tokenizer.model")
    decode: Callable[[list[int]], str] = sentencepiece.SentencePieceProcessor(
        model_file=model
    ).decode
    return decode
