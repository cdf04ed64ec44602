"""Time to load a tokenizer.json of 9 MB, compared with `tokenizers`."""

from __future__ import annotations

import json
import random
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import documents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from corpus import Row

ENTRIES = 300_000
LETTERS = "etaoinshrdlucmfwypvbgkjqxz" * 3 + "éüàñабвгд的一是不了人"
TIMES = 7


def measure() -> Iterator[Row]:
    """Loads the same file on both sides in turn, and compares ids of a text of its words."""
    from tokenizers import Tokenizer

    import piecework as pw

    text, words = document()
    with tempfile.TemporaryDirectory(prefix="piecework-bench-") as folder:
        path = Path(folder) / "tokenizer.json"
        path.write_text(text, encoding="utf-8")
        size = path.stat().st_size / 1e6
        yield (
            f"load, {size:.1f} MB, from a file",
            _compared(
                lambda: pw.Tokenizer.from_file(path), lambda: Tokenizer.from_file(str(path)), words
            ),
            "at most half",
        )
    figure = _compared(lambda: pw.Tokenizer.from_str(text), lambda: Tokenizer.from_str(text), words)
    yield f"load, {size:.1f} MB, from a string", figure, "at most half"


def document() -> tuple[str, str]:
    """Returns a document as `tokenizers` writes it, and a text of known words."""
    from tokenizers import Tokenizer

    choice = random.Random(9)
    vocab: dict[str, int] = {"[UNK]": 0}
    while len(vocab) < ENTRIES:
        word = "".join(choice.choices(LETTERS, k=choice.randint(3, 14)))
        vocab.setdefault(word if choice.random() < 0.6 else f"##{word}", len(vocab))
    whole = documents.whole(
        documents.word_piece(vocab),
        normalizer={"type": "BertNormalizer", **documents.BERT},
        pre_tokenizer={"type": "BertPreTokenizer"},
    )
    pretty = Tokenizer.from_str(whole).to_str(pretty=True)
    assert json.loads(pretty)["model"]["vocab"] == vocab
    return pretty, " ".join(choice.sample(sorted(vocab), 2000))


def _compared(ours: Callable[[], Any], theirs: Callable[[], Any], words: str) -> str:
    fast = slow = float("inf")
    for _ in range(TIMES):
        mine, found = _once(ours)
        yours, wanted = _once(theirs)
        fast, slow = min(fast, mine), min(slow, yours)
    if found.encode(words).ids != wanted.encode(words).ids:
        raise SystemExit("ids differ")
    return f"{fast * 1e3:.0f} ms, tokenizers {slow * 1e3:.0f}: {fast / slow:.2f} of the time"


def _once(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    result = call()
    return time.process_time() - start, result
