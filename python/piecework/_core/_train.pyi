"""Trains tokenizers."""

from collections.abc import Callable, Sequence

from piecework._core._counts import WordCounts
from piecework._core._tokenizer import Tokenizer

def train(
    counts: WordCounts,
    splitter: str,
    functions: Sequence[Callable[[str], object]],
    trainer: str,
    threads: int | None,
    progress: Callable[[str, int, int], object] | None,
) -> Tokenizer:
    """Trains a tokenizer on word counts; `splitter` and `trainer` are JSON.

    `functions` are those that the splitter refers to by index. `threads` is the number of threads for Unigram; the result
    does not depend on it. `progress` is called with stage, amount done and total.
    """

def check_trainer(trainer: str) -> None:
    """Raises FormatError for invalid settings (JSON)."""

def extend(
    tokenizer: Tokenizer,
    counts: WordCounts,
    criterion: str,
    new_tokens: int,
    min_frequency: int,
    max_token_length: int | None,
    threads: int | None,
    progress: Callable[[str, int, int], object] | None,
) -> tuple[list[str], list[float], list[tuple[str, str, str, float, int, int, int, int]]]:
    """Returns entries to add to a tokenizer, their scores (none for merges), and the merges that made them."""

def count_tokens(
    tokenizer: Tokenizer,
    counts: WordCounts,
    progress: Callable[[str, int, int], object] | None,
) -> list[int]:
    """Returns the number of occurrences of each token in counted words, by id."""
