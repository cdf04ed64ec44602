"""Prepares distributions for reports: lengths, and counts of tokens by rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from piecework.analysis._evaluation.result import Evaluation
    from piecework.analysis._evaluation.sums import TextSums

__all__ = ["Lengths", "lengths_of", "rank_counts"]

_MOST = 20
"""The number of lengths that are shown; the last one includes all longer ones."""


class Lengths(NamedTuple):
    """Holds a distribution of lengths for each tokenizer.

    Attributes:
        title: What is counted.
        unit: What its lengths are.
        labels: The lengths.
        shares: The share of each length, for each tokenizer.
    """

    title: str
    unit: str
    labels: tuple[str, ...]
    shares: tuple[tuple[float, ...], ...]


def lengths_of(evaluation: Evaluation) -> Iterator[Lengths]:
    """Iterates over the distributions of words by tokens, tokens by bytes, and texts by tokens."""
    yield _lengths(
        evaluation, "Words by number of tokens", "tokens", lambda sums: sums.words_by_tokens
    )
    yield _lengths(
        evaluation, "Tokens by number of bytes", "bytes", lambda sums: sums.tokens_by_bytes
    )
    yield _lengths(
        evaluation,
        "Texts by number of tokens",
        "tokens",
        lambda sums: sums.texts_by_tokens,
        are_powers=True,
    )


def _lengths(
    evaluation: Evaluation,
    title: str,
    unit: str,
    counts_of: Callable[[TextSums], NDArray[np.int64]],
    *,
    are_powers: bool = False,
) -> Lengths:
    every = [[int(count) for count in counts_of(each.total.sums)] for each in evaluation.tokenizers]
    used = max(
        (place + 1 for each in every for place, count in enumerate(each) if count), default=0
    )
    shown = used if are_powers else min(used, _MOST + 1)
    labels = [_power_label(place) if are_powers else str(place) for place in range(shown)]
    if used > shown:
        labels[-1] = f"{labels[-1]}+"
    columns = []
    for counts in every:
        padded = [*counts[:used], *[0] * (used - len(counts))]
        merged = [*padded[: shown - 1], sum(padded[shown - 1 :])] if shown else []
        total = sum(merged)
        columns.append(tuple(count / total if total else 0.0 for count in merged))
    return Lengths(title, unit, tuple(labels), tuple(columns))


def _power_label(bits: int) -> str:
    """Returns the numbers with this number of bits.

    >>> [_power_label(bits) for bits in range(4)]
    ['0', '1', '2-3', '4-7']
    """
    return str(bits) if bits < 2 else f"{1 << (bits - 1)}-{(1 << bits) - 1}"


def rank_counts(sums: TextSums) -> dict[int, int]:
    """Returns the counts of the tokens of the ranks 1, 10, 100, ..., of which the first is the most frequent."""
    import numpy as np

    counts = np.sort(sums.counts)[::-1]
    ranks = (10**power for power in range(len(str(len(counts)))))
    return {rank: int(counts[rank - 1]) for rank in ranks if rank <= len(counts)}
