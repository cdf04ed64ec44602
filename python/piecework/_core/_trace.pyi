"""Trains with a record of each step."""

from collections.abc import Callable
from typing import TypeAlias

from piecework._core._counts import WordCounts
from piecework._core._tokenizer import Tokenizer
from piecework._core._train import TrainingSettings

CandidateRow: TypeAlias = tuple[int, int, float, int, int, int, int, int]
"""Indices of the left and the right name, score, rank, occurrences, merges, counts of left and right."""
StepRow: TypeAlias = tuple[int, int, int, list[CandidateRow]]
"""Ties, tokens in all words, different pairs, candidates."""
WordRow: TypeAlias = tuple[str, int, list[int | None], list[int | None]]
"""A word, its count, its initial tokens, and the number of the merge that closes the gap after each but the last."""
MergesRow: TypeAlias = tuple[
    list[str],
    list[int],
    list[StepRow],
    list[CandidateRow],
    list[tuple[int, list[int]]],
    list[WordRow],
    int,
]
"""Names, initial counts, steps, remaining candidates, pruned tokens, words, number of other words."""
UnigramRow: TypeAlias = tuple[
    int,
    float | None,
    int,
    list[tuple[str, float]],
    list[tuple[str, float]],
    list[tuple[str, float]],
]
"""Pieces, log-likelihood, number of removed pieces, the first of them, first kept ones, most probable ones."""

def train_traced(
    counts: WordCounts,
    settings: TrainingSettings,
    threads: int | None,
    progress: Callable[[str, int, int], object] | None,
    limits: tuple[int, int | None],
) -> tuple[Tokenizer, MergesRow, list[UnigramRow]]:
    """Trains as `train`, and records the best candidates or pieces of each step, and words.

    The limits are the number of candidates or pieces of a step, and the number of words (None for all).
    """

def pair_scores(counts: tuple[int, int, int, int, int], is_same_symbol: bool) -> list[float]:
    """Returns the scores of a pair by all criteria: likelihood, pmi, sum, frequency.

    The counts are occurrences and merges of the pair, counts of left and right, and the total of all symbols.

    >>> from piecework._core import pair_scores
    >>> [round(score, 4) for score in pair_scores((20, 20, 36, 20, 113), False)]
    [28.0178, 0.0278, 0.3571, 20.0]
    """
