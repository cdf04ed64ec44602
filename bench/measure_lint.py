"""Time to check a vocabulary of 250,000 entries, of each model."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from timing import best

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus import Row

ENTRIES = 250_000
LETTERS = "etaoinshrdlucmfwypvbgkjqxz" * 3 + "ETAOéüàñабвгд的一是不了人"


def measure() -> Iterator[Row]:
    """Checks synthetic vocabularies with planted faults, which it must find."""
    import piecework as pw

    for name, make in (("WordPiece", word_piece), ("BPE", byte_bpe), ("Unigram", unigram)):
        tokenizer, unreachable = make()
        seconds, report = best(lambda: pw.lint(tokenizer), 1)  # noqa: B023 (called at once)
        found = {finding.token for finding in report.findings if finding.rule == "unreachable"}
        if not unreachable <= found:
            raise SystemExit(f"{name}: not found: {unreachable - found}")
        size = f"{len(tokenizer):,} entries, {len(report):,} findings"
        yield f"lint, {name}, {size}", f"{seconds:.1f} s", "at most 10 s"


def words(choice: random.Random, number: int) -> list[str]:
    """Returns different words."""
    found: dict[str, None] = {}
    while len(found) < number:
        found["".join(choice.choices(LETTERS, k=choice.randint(2, 14)))] = None
    return list(found)


def word_piece() -> tuple[Any, set[str]]:
    """Returns a cased BERT tokenizer with entries that its pre-tokenizer splits."""
    import piecework as pw

    choice = random.Random(1)
    entries = ["[UNK]", *dict.fromkeys(LETTERS), *(f"##{c}" for c in dict.fromkeys(LETTERS)), "a-b"]
    entries += [
        word if choice.random() < 0.6 else f"##{word}"
        for word in words(choice, ENTRIES - len(entries))
    ]
    vocab = "".join(f"{entry}\n" for entry in dict.fromkeys(entries))
    return pw.Tokenizer.from_str(vocab, lowercase=False), {"a-b", "##的"}


def byte_bpe() -> tuple[Any, set[str]]:
    """Returns a byte-level BPE whose entries are made of two others, and an entry without a merge."""
    from piecework import Tokenizer, models, pre_tokenizers
    from piecework._byte_text import byte_characters

    choice = random.Random(2)
    entries = dict.fromkeys(byte_characters().values())
    merges, parts = [], [c for c in entries if c.isascii() and c.isalpha()]
    while len(entries) < ENTRIES - 1:
        pair = choice.choice(parts), choice.choice(parts)
        entry = "".join(pair)
        if entry not in entries:
            entries[entry] = None
            merges.append(pair)
            parts += [entry] if len(entry) < 8 else []
    entries["qqqqqqqqqqqqqqqqqqqqqqq"] = None
    pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer = Tokenizer(models.BPE(list(entries), merges), pre_tokenizer=pre_tokenizer)
    return tokenizer, {"qqqqqqqqqqqqqqqqqqqqqqq"}


def unigram() -> tuple[Any, set[str]]:
    """Returns a Unigram whose longer pieces are better than their parts, except one."""
    from piecework import Tokenizer, models, pre_tokenizers

    choice = random.Random(3)
    pieces = [("<unk>", 0.0), ("▁", -3.0), *((c, -9.0) for c in dict.fromkeys(LETTERS))]
    pieces += [
        (f"▁{w}" if choice.random() < 0.5 else w, -10.0) for w in words(choice, ENTRIES - 500)
    ]
    pieces.append(("qxqx", -90.0))
    pieces = list(dict(pieces).items())
    model = models.Unigram(pieces, unk_id=0)
    return Tokenizer(model, pre_tokenizer=pre_tokenizers.Metaspace()), {"qxqx"}
