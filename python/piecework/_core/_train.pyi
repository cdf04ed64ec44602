"""Trains tokenizers."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from piecework._core._counts import WordCounts
from piecework._core._tokenizer import Tokenizer

TrainingSettings: TypeAlias = tuple[str, Sequence[Callable[[str], object]], str]
"""Normalizer and pre-tokenizer as JSON, the functions that it refers to by index, and the trainer as JSON."""

def train(
    counts: WordCounts,
    settings: TrainingSettings,
    threads: int | None,
    progress: Callable[[str, int, int], object] | None,
    max_memory: int | None,
) -> Tokenizer:
    """Trains a tokenizer on word counts.

    `threads` is the number of threads for Unigram; the result does not depend on it. `progress` is called with stage, amount
    done and total. A training that needs more than `max_memory` bytes, those of the words included, is a ConfigError.
    """

def check_trainer(trainer: str) -> None:
    """Raises FormatError for invalid settings (JSON)."""

def extend(
    tokenizer: Tokenizer,
    counts: WordCounts,
    settings: tuple[str, int, int, int | None],
    threads: int | None,
    progress: Callable[[str, int, int], object] | None,
    max_memory: int | None,
) -> tuple[list[str], list[float], list[tuple[str, str, str, float, int, int, int, int]]]:
    """Returns entries to add to a tokenizer, their scores (none for merges), and the merges that made them.

    The settings are the criterion, the number of entries, the smallest frequency and the longest length (None for any).
    `max_memory` is as for `train`.
    """

def count_tokens(
    tokenizer: Tokenizer,
    counts: WordCounts,
    threads: int | None,
    progress: Callable[[str, int, int], object] | None,
) -> list[int]:
    """Returns the number of occurrences of each token in counted words, by id."""
