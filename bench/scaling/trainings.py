"""Training each model, on words and on one text that is a single word, and counting words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import piecework as pw
from scaling.segmenting import letters, words

if TYPE_CHECKING:
    from collections.abc import Callable

    from scaling.growth import Call, Mechanisms, Prepare

TRAINERS: dict[str, Callable[[int], Any]] = {
    **{
        f"WordPiece, {criterion}": lambda _, criterion=criterion: pw.WordPieceTrainer(
            400, criterion=criterion
        )
        for criterion in ("likelihood", "pmi", "sum", "frequency")
    },
    "BPE": lambda _: pw.BpeTrainer(400),
    "BPE, bytes": lambda _: pw.BpeTrainer(400, alphabet="byte"),
    "BPE, ties as in tokenizers": lambda _: pw.BpeTrainer(400, ties="hf"),
    "BPE, n merges": lambda n: pw.BpeTrainer(max_merges=n // 20),
    # By likelihood rare symbols merge first, so that tokens without a limit are as long as the word.
    "WordPiece, n merges": lambda n: pw.WordPieceTrainer(
        30_000_000, max_merges=n // 20, max_token_length=20
    ),
    "Unigram": lambda _: pw.UnigramTrainer(50, special_tokens=["<unk>"]),
    "WordLevel": lambda _: pw.WordLevelTrainer(400),
}
TEXTS: dict[str, Callable[[int], str]] = {
    "words": words,
    "one word": letters,
    "one letter": lambda n: "a" * n,
    "two letters": lambda n: "ab" * (n // 2),
}


def _training(trainer: Callable[[int], Any], text: Callable[[int], str], **stages: Any) -> Prepare:
    def prepare(size: int) -> Call:
        made, given = trainer(size), [text(size)]
        return lambda: pw.train(given, made, **stages)

    return prepare


def _counting(text: Callable[[int], str], **stages: Any) -> Prepare:
    def prepare(size: int) -> Call:
        given = [text(size)]
        return lambda: pw.WordCounts.from_texts(given, **stages)

    return prepare


def _counting_texts(size: int) -> Call:
    given = ["a b c"] * size
    return lambda: pw.WordCounts.from_texts(given)


def _small_unigram(name: str, text: str) -> Callable[[int], Any]:
    if name == "Unigram" and "letter" in text:
        return lambda _: pw.UnigramTrainer(12, special_tokens=["<unk>"])
    return TRAINERS[name]


ALONE = {"normalizer": None, "pre_tokenizer": None}

MECHANISMS: Mechanisms = {
    **{
        f"training {name}: {text}": _training(
            _small_unigram(name, text), make, **({} if text == "words" else ALONE)
        )
        for name in TRAINERS
        for text, make in TEXTS.items()
    },
    **{f"counting: {text}": _counting(make) for text, make in TEXTS.items()},
    "counting: one word, no stages": _counting(letters, **ALONE),
    "counting: n texts": _counting_texts,
}
