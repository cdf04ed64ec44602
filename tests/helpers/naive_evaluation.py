"""A naive computation of the metrics, one text and one word at a time, in plain Python."""

import math
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

import piecework as pw

SPACES = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""The characters with the Unicode property White_Space."""
WORD = re.compile(f"[^{SPACES}]+")
FLOOR = 2.0**-52


def naive_sums(tok: pw.Tokenizer, texts: Iterable[str]) -> dict[str, Any]:
    """Returns the sums over texts."""
    sums: Counter[str] = Counter()
    counts: Counter[int] = Counter()
    words_by_tokens: Counter[int] = Counter()
    unk_id = None if tok.unk_token is None else tok.token_to_id(tok.unk_token)
    tok = tok.replace(post_processor=None)  # which may trim offsets
    for text in texts:
        encoding = tok.encode(text, add_special_tokens=False, truncation=None, padding=None)
        ids, offsets = list(encoding.ids), list(encoding.offsets)
        counts.update(ids)
        decoded = tok.decode(ids, skip_special_tokens=False)
        sums.update(
            texts=1,
            bytes=len(text.encode()),
            characters=len(text),
            tokens=len(ids),
            changed_texts=decoded != text,
        )
        for word in WORD.finditer(text):
            own = [
                number
                for number, (start, end) in zip(ids, offsets, strict=True)
                if max(start, word.start()) < min(end, word.end())
            ]
            sums.update(words=1, whole_words=len(own) == 1 and own[0] != unk_id)
            words_by_tokens[min(len(own), 32)] += 1
    names = ("texts", "bytes", "characters", "words", "tokens", "whole_words", "changed_texts")
    return {
        **{name: sums[name] for name in names},
        "counts": dict(sorted(counts.items())),
        "words_by_tokens": dict(words_by_tokens),
    }


def naive_metrics(tok: pw.Tokenizer, texts: list[str], power: float = 2.5) -> dict[str, Any]:
    """Returns the metrics by their names, None where they are undefined."""
    sums = naive_sums(tok, texts)
    counts: dict[int, int] = sums["counts"]
    tokens, unk_id = sums["tokens"], tok.token_to_id(tok.unk_token) if tok.unk_token else None
    specials = {*tok.special_tokens.values(), unk_id}
    entries = sorted({number for number in tok.vocab.values() if number not in specials})
    ordered = sorted((counts.get(number, 0) for number in entries), reverse=True)
    shares = [count / tokens for count in counts.values()]
    bits = -sum(
        count * math.log2(share) for count, share in zip(counts.values(), shares, strict=True)
    )

    def ratio(one: float, other: float) -> float | None:
        return one / other if other else None

    renyi = None
    if len(counts) > 1:
        if power == 1:
            entropy = -sum(share * math.log2(share) for share in shares)
        else:
            entropy = math.log2(sum(share**power for share in shares)) / (1 - power)
        renyi = entropy / math.log2(len(counts))
    return {
        "fertility": ratio(tokens, sums["words"]),
        "whole_words": ratio(sums["whole_words"], sums["words"]),
        "characters_per_token": ratio(sums["characters"], tokens),
        "bytes_per_token": ratio(sums["bytes"], tokens),
        "compression": 1 - tokens / sums["bytes"] if sums["bytes"] else None,
        "unknown_rate": ratio(counts.get(unk_id, 0) if unk_id is not None else 0, tokens),
        "vocabulary_used": ratio(sum(count > 0 for count in ordered), len(ordered)),
        "frequency_at_95": ordered[math.ceil(0.95 * len(ordered)) - 1] if ordered else None,
        "rare_half": ratio(sum(ordered[(len(ordered) + 1) // 2 :]), tokens),
        "renyi_efficiency": renyi,
        "unigram_bits_per_byte": ratio(bits, sums["bytes"]),
        "changed_texts": sums["changed_texts"],
        "round_trip_rate": ratio(sums["texts"] - sums["changed_texts"], sums["texts"]),
    }


def naive_gini(values: list[int]) -> float:
    """Returns the Gini coefficient by its definition, over all pairs."""
    differences = sum(abs(one - other) for one in values for other in values)
    return differences / (2 * len(values) * sum(values))
