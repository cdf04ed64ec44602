"""Makes texts on which a difference of two tokenizers shows: of changed entries, and of known difficulties."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from piecework.analysis._difference.changes import ModelParts
    from piecework.analysis._difference.result import MergesChange, ScoreChange
    from piecework.tokenizer import Tokenizer

_MAX_ENTRIES = 10_000
"""The maximum number of changed entries whose texts are tried."""
_SAMPLE = 100
"""The number of entries of each vocabulary whose texts are tried in any case, evenly chosen."""
_LONGEST = 100
"""The maximum number of characters of a text of the sample."""
_STARTS = 20
"""The number of entries of the sample that are put before each other one."""

_GENERAL = (
    "The quick brown fox jumps over the lazy dog.",
    "HELLO Hello hello",
    "I'll, you'd, we've, they're, it's; don't DON'T",
    "naïve café Ångström İstanbul ﬁne ½ № ｆｕｌｌ",
    "e\u0301 a\u0308 \u1100\u1161 \u0e01\u0e33",
    "中文分词 日本語のテキスト 한국어 ไทย العربية עברית हिन्दी",
    "  two  spaces   three \t tab\nline\r\nline\n\n end ",
    "1 12 123 1234 3.14 1,000,000 2024-02-30",
    "a_b-c/d\\e|f (g) [h] {i} <j> “k” «l» …—–",
    "$5 €10 £20 +1 = 100% #tag @name ~`^",
    "https://example.com/path?query=1&x=y user@example.com",
    "def f(x):\n    return x == 'y' and x is not None\n",
    "😀👍🏽👨‍👩‍👧 \u200b\u200d\ufeff\u00ad\u202e",
    "\x00\x07\x1b\x7f\x85\ufffd",
    "▁ Ġ ## </w> @@ <0x0A>",
    "a" * 101,
    "",
    " ",
)
"""Texts with what normalizers and pre-tokenizers treat differently."""


def probe_texts(old: Tokenizer, new: Tokenizer, entries: Iterable[str]) -> Iterator[str]:
    """Iterates over texts: general ones, of a sample of entries, of special tokens, and of changed entries.

    Args:
        old: The old version.
        new: The new version.
        entries: The entries that changed.
    """
    yield from _GENERAL
    for tokenizer in (old, new):
        yield from _samples(tokenizer)
        for token in tokenizer.added_tokens.values():
            yield from _contexts(token.content)
    for entry in islice(entries, _MAX_ENTRIES):
        for text in _texts(old if old.token_to_id(entry) is not None else new, entry):
            yield from _contexts(text)


def _samples(tokenizer: Tokenizer) -> Iterator[str]:
    """Iterates over texts of a sample of entries, alone, in forms that normalizers change, and joined in several ways."""
    entries = list(tokenizer.vocab)
    sample = entries[:: max(1, len(entries) // _SAMPLE)]
    texts = [min(_texts(tokenizer, entry), key=len, default="")[:_LONGEST] for entry in sample]
    for text in texts:
        yield from _contexts(text)
        yield from (text.title(), f"{text}\u0301", f"{text}\n", text * 101)
        # With an entry that continues a word, these are long words without unknown characters.
        yield from (f"{start}{text * times}" for start in texts[:_STARTS] for times in (1, 4, 101))
    for joint in (" ", "", "-", "  ", "\n", "1", "中"):
        yield joint.join(texts)


def _texts(tokenizer: Tokenizer, entry: str) -> list[str]:
    """Returns the different texts that an entry may stand for, in alphabetical order: as it is written, and as it is decoded."""
    prefix = tokenizer.continuing_subword_prefix
    core, number = tokenizer._core, tokenizer.token_to_id(entry)
    data = core.text_bytes(entry) if number is None else core.token_bytes(number)
    decoded = data.decode("utf-8", "ignore")
    found = {entry, entry.removeprefix(prefix), decoded, decoded.removeprefix(prefix)}
    return sorted(found - {""})


def _contexts(text: str) -> tuple[str, ...]:
    return text, f" {text}", f"a{text}", f"{text}a", f"x {text} y", text.upper()


def changed_entries(
    names: Iterable[str],
    merges: MergesChange | None,
    scores: Iterable[ScoreChange],
    models: tuple[ModelParts, ModelParts],
) -> Iterator[str]:
    """Iterates over the entries that changed, each once.

    Args:
        names: The entries that were added, removed or renumbered.
        merges: The change of the merges.
        scores: The changes of scores.
        models: The old and the new model.
    """
    found = dict.fromkeys(names)
    found |= dict.fromkeys(change.token for change in scores)
    if merges is not None:
        prefix = models[1].settings.get("continuing_subword_prefix") or ""
        changed = [*merges.added, *merges.removed, *_moved(*(model.merges for model in models))]
        found |= dict.fromkeys(left + right.removeprefix(prefix) for left, right in changed)
    return iter(found)


def _moved(old: list[tuple[str, str]], new: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Iterates over merges of both lists that are not in the same order, at least one of each two that were exchanged."""
    rank_of = {pair: rank for rank, pair in enumerate(old)}
    highest = -1
    for pair in new:
        rank = rank_of.get(pair, highest)
        if rank < highest:
            yield pair
        highest = max(highest, rank)
