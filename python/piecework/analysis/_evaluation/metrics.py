"""Defines the metrics of a tokenizer on texts; `docs/evaluation.md` has their formulas and sources."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from piecework.analysis._evaluation.sums import TextSums
    from piecework.analysis._evaluation.vocabulary import Vocabulary

__all__ = ["METRICS", "PARITY_METRICS", "Better", "Metric", "Value", "formatted", "metrics_of"]

Value = float | int | None
"""The value of a metric; None where it is undefined, such as tokens per word without words."""
Better = Literal["higher", "lower"]


@dataclass(frozen=True, slots=True)
class Metric:
    """Describes a metric.

    Attributes:
        name: The name in results and limits.
        label: The name for people.
        better: Whether a higher or a lower value is better.
        unit: ``"count"``, ``"share"`` (from 0 to 1) or ``"number"``.
        definition: The definition in a few words.
    """

    name: str
    label: str
    better: Better
    unit: Literal["count", "share", "number"]
    definition: str


@dataclass(frozen=True)
class _Input:
    """Holds what metrics are computed from.

    Attributes:
        sums: The sums over the texts.
        vocabulary: The vocabulary.
        power: The power of the Rényi efficiency.
    """

    sums: TextSums
    vocabulary: Vocabulary
    power: float

    @cached_property
    def log_probabilities(self) -> NDArray[np.float64] | None:
        """Returns the natural logarithm of the model's probability of each token that occurs; None if it has none."""
        return self.vocabulary.log_probabilities(self.sums.ids)

    @cached_property
    def entry_counts(self) -> NDArray[np.int64]:
        """Returns the count of each entry of the vocabulary, largest first."""
        import numpy as np

        entries, ids = self.vocabulary.entries, self.sums.ids
        counts = np.zeros(len(entries), dtype=np.int64)
        _, places, own = np.intersect1d(entries, ids, assume_unique=True, return_indices=True)
        counts[places] = self.sums.counts[own]
        return np.sort(counts)[::-1]


def _ratio(one: float, other: float) -> float | None:
    return one / other if other else None


def _compression(given: _Input) -> Value:
    tokens = _ratio(given.sums.tokens, given.sums.bytes)
    return None if tokens is None else 1 - tokens


def _unknown_rate(given: _Input) -> Value:
    """Returns the share of unknown tokens; 0 for a tokenizer without unknown token."""
    sums, unk_id = given.sums, given.vocabulary.unk_id
    unknown = 0 if unk_id is None else int(sums.counts[sums.ids == unk_id].sum())
    return _ratio(unknown, sums.tokens)


def _vocabulary_used(given: _Input) -> Value:
    counts = given.entry_counts
    return _ratio(int((counts > 0).sum()), len(counts))


def _frequency_at_95(given: _Input) -> Value:
    """Returns the count of the entry at 95% of the entries, of which the most frequent is first."""
    counts = given.entry_counts
    return int(counts[math.ceil(0.95 * len(counts)) - 1]) if len(counts) else None


def _rare_half(given: _Input) -> Value:
    """Returns the share of the tokens that are occurrences of the less frequent half of the entries."""
    counts = given.entry_counts
    return _ratio(int(counts[(len(counts) + 1) // 2 :].sum()), given.sums.tokens)


def _renyi_efficiency(given: _Input) -> Value:
    counts, power = given.sums.counts, given.power
    if len(counts) < 2:
        return None  # the largest possible entropy is 0
    import numpy as np

    shares = counts / counts.sum()
    if power == 1:
        entropy = -float(np.sum(shares * np.log2(shares)))
    else:
        # Relative to the largest share, whose powers do not underflow.
        largest = shares.max()
        logarithm = power * np.log2(largest) + np.log2(np.sum((shares / largest) ** power))
        entropy = float(logarithm) / (1 - power)
    return entropy / math.log2(len(counts))


def _unigram_bits(given: _Input) -> float:
    """Returns the size of the tokens in bits, coded by their own relative frequencies."""
    import numpy as np

    counts = given.sums.counts
    return float(np.sum(counts * np.log2(max(1, counts.sum()) / counts)))


def _log_likelihood(given: _Input) -> float | None:
    import numpy as np

    logarithms = given.log_probabilities
    return None if logarithms is None else float(np.sum(given.sums.counts * logarithms))


def _model_bits_per_byte(given: _Input) -> Value:
    log_likelihood = _log_likelihood(given)
    return (
        None if log_likelihood is None else _ratio(-log_likelihood / math.log(2), given.sums.bytes)
    )


_DEFINED: tuple[tuple[Metric, Callable[[_Input], Value]], ...] = (
    (
        Metric("fertility", "tokens per word", "lower", "number", "tokens / words"),
        lambda given: _ratio(given.sums.tokens, given.sums.words),
    ),
    (
        Metric(
            "whole_words",
            "words kept whole",
            "higher",
            "share",
            "words with one token, which is known / words",
        ),
        lambda given: _ratio(given.sums.whole_words, given.sums.words),
    ),
    (
        Metric(
            "characters_per_token",
            "characters per token",
            "higher",
            "number",
            "characters / tokens",
        ),
        lambda given: _ratio(given.sums.characters, given.sums.tokens),
    ),
    (
        Metric("bytes_per_token", "bytes per token", "higher", "number", "UTF-8 bytes / tokens"),
        lambda given: _ratio(given.sums.bytes, given.sums.tokens),
    ),
    (
        Metric(
            "compression",
            "compression against bytes",
            "higher",
            "share",
            "1 - tokens / UTF-8 bytes",
        ),
        _compression,
    ),
    (
        Metric("unknown_rate", "unknown tokens", "lower", "share", "unknown tokens / tokens"),
        _unknown_rate,
    ),
    (
        Metric(
            "vocabulary_used", "vocabulary used", "higher", "share", "entries that occur / entries"
        ),
        _vocabulary_used,
    ),
    (
        Metric(
            "frequency_at_95",
            "frequency at 95% of the vocabulary",
            "higher",
            "count",
            "count of the entry at 95% of the entries by count",
        ),
        _frequency_at_95,
    ),
    (
        Metric(
            "rare_half",
            "tokens from the rarer half",
            "higher",
            "share",
            "tokens from the less frequent half of the entries / tokens",
        ),
        _rare_half,
    ),
    (
        Metric(
            "renyi_efficiency",
            "Rényi efficiency",
            "higher",
            "share",
            "Rényi entropy of the tokens / its largest value",
        ),
        _renyi_efficiency,
    ),
    (
        Metric(
            "unigram_bits_per_byte",
            "bits per byte by own frequencies",
            "lower",
            "number",
            "bits of the tokens by their own frequencies / UTF-8 bytes",
        ),
        lambda given: _ratio(_unigram_bits(given), given.sums.bytes),
    ),
    (
        Metric(
            "model_bits_per_byte",
            "bits per byte by the model",
            "lower",
            "number",
            "-log2 of the probability of the tokens / UTF-8 bytes",
        ),
        _model_bits_per_byte,
    ),
    (
        Metric(
            "log_likelihood",
            "log-likelihood of the model",
            "higher",
            "number",
            "sum of ln p over the tokens",
        ),
        _log_likelihood,
    ),
    (
        Metric(
            "changed_texts",
            "texts changed by encoding and decoding",
            "lower",
            "count",
            "texts that differ from their decoded tokens",
        ),
        lambda given: given.sums.changed_texts,
    ),
    (
        Metric(
            "round_trip_rate",
            "texts that decode to themselves",
            "higher",
            "share",
            "1 - changed texts / texts",
        ),
        lambda given: _ratio(given.sums.texts - given.sums.changed_texts, given.sums.texts),
    ),
)

METRICS: dict[str, Metric] = {metric.name: metric for metric, _ in _DEFINED}
"""The metrics of texts by their names."""

PARITY_METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric(
            "largest_premium",
            "largest premium of a language",
            "lower",
            "number",
            "largest tokens / tokens of the reference",
        ),
        Metric(
            "gini",
            "Gini coefficient of the languages",
            "lower",
            "share",
            "inequality of the tokens of the languages, from 0 (equal)",
        ),
    )
}
"""The metrics of parallel texts in several languages by their names."""


def formatted(metric: Metric, value: Value) -> str:
    """Returns the value of a metric for people; "-" if it is undefined.

    >>> formatted(METRICS["unknown_rate"], 0.0125), formatted(METRICS["fertility"], None)
    ('1.25%', '-')
    >>> formatted(METRICS["round_trip_rate"], 0.99999)
    '>99.99%'
    """
    if value is None:
        return "-"
    if metric.unit == "count":
        return f"{value:,}"
    if metric.unit == "share":
        if 0 < value < 0.0001:
            return "<0.01%"
        return ">99.99%" if 0.9999 < value < 1 else f"{value:.2%}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3f}"


def metrics_of(sums: TextSums, vocabulary: Vocabulary, power: float) -> dict[str, Value]:
    r"""Returns the metrics of texts by their names.

    >>> import piecework as pw
    >>> metrics = pw.evaluate(pw.Tokenizer.from_str("[UNK]\nlow\n##er\n"), ["low lower"])["fertility"]
    >>> metrics
    1.5
    """
    given = _Input(sums, vocabulary, power)
    return {metric.name: compute(given) for metric, compute in _DEFINED}
