"""Compares the core with the reference, which recounts everything at every step, on random word tables."""

from __future__ import annotations

import itertools
import os
import random
from typing import TYPE_CHECKING

import piecework as pw
from piecework import reference

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus import Row

TRIALS = int(os.environ.get("TRIALS", "10000"))


def measure() -> Iterator[Row]:
    """Trains both on random tables with random settings; any difference is an error."""
    choice = random.Random(20261121)
    kinds = itertools.cycle(
        itertools.product(("likelihood", "pmi", "sum", "frequency"), ("lex", "first", "hf"))
    )
    merges = 0
    for _, (criterion, ties) in zip(range(TRIALS), kinds, strict=False):
        table, settings = _table(choice), _settings(choice, criterion, ties)
        merges += _compare(table, settings)
    yield (
        "random word tables, core against naive reference",
        f"{TRIALS:,} trainings, {merges:,} merges, 0 differences",
        "10,000, 0",
    )


def _table(choice: random.Random) -> dict[str, int]:
    letters = choice.choice(["a", "ab", "abc", "abcdef", "的一是", "aé#"])
    size = choice.randint(1, 14)
    words = {"".join(choice.choices(letters, k=choice.randint(1, 9))) for _ in range(size)}
    top = choice.choice([1, 3, 100, 10**9])
    return {word: choice.randint(1, top) for word in sorted(words, key=lambda _: choice.random())}


def _settings(choice: random.Random, criterion: str, ties: str) -> dict[str, object]:
    def maybe(value: object) -> object:
        return value if choice.random() < 0.25 else None

    return {
        "vocab_size": choice.randint(12, 45),
        "criterion": criterion,
        "ties": ties,
        "min_frequency": choice.choice([1, 1, 1, 2, 5]),
        "min_word_frequency": choice.choice([1, 1, 1, 2]),
        "max_merges": maybe(choice.randint(0, 12)),
        "stop_at_pair_frequency": maybe(choice.randint(0, 5)),
        "stop_without_gain": choice.random() < 0.2,
        "special_tokens": choice.choice([(), ("[UNK]",), ("[PAD]", "[UNK]", "ab", "##a")]),
        "special_tokens_first": choice.random() < 0.8,
        "user_defined_symbols": choice.choice([(), (), (), ("ba", "c", "aab"), ("##ba", "是一")]),
        "initial_alphabet": choice.choice([(), (), ("a", "z")]),
        "limit_alphabet": maybe(choice.randint(1, 4)),
        "continuing_subword_prefix": choice.choice(["##", "##", "", "#"]),
        "max_token_length": maybe(choice.randint(1, 5)),
        "prune_unused": choice.random() < 0.25,
    }


def _compare(table: dict[str, int], settings: dict[str, object]) -> int:
    core, expected = _core(table, settings), _reference(table, settings)
    if core != expected:
        raise SystemExit(
            f"a difference:\n{table}\n{settings}\ncore      {core}\nreference {expected}"
        )
    return len(core[1]) if isinstance(core, tuple) else 0


def _core(table: dict[str, int], settings: dict[str, object]) -> object:
    try:
        tokenizer = pw.train(
            table, pw.WordPieceTrainer(**settings), normalizer=None, pre_tokenizer=None
        )
    except pw.PieceworkError:
        return "error"
    return (
        list(tokenizer.vocab),
        [_step(merge) for merge in tokenizer.history],
        list((tokenizer.training.token_counts or {}).values()),
    )


def _reference(table: dict[str, int], settings: dict[str, object]) -> object:
    try:
        trained = reference.train(table, reference.WordPieceTrainer(**settings))
    except ValueError:
        return "error"
    return trained.vocabulary, [_step(merge) for merge in trained.history], trained.counts


def _step(merge: object) -> tuple[object, ...]:
    names = ("left", "right", "token", "score", "pair_count", "left_count", "right_count", "ties")
    return tuple(getattr(merge, name) for name in names)
