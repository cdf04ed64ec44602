"""Defines the metrics of a tokenizer on texts; `docs/evaluation.md` has their formulas and sources."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from piecework.analysis._evaluation.sums import TextSums
    from piecework.tokenizer import Tokenizer

Value = float | int | None
"""The value of a metric; None where it is undefined, such as tokens per word without words."""
Better = Literal["higher", "lower"]
_Unit = Literal["count", "share", "number"]


@dataclass(frozen=True, slots=True)
class Metric:
    """Describes a metric.

    Attributes:
        name: The name in results and limits.
        better: Whether a higher or a lower value is better.
        unit: ``"count"``, ``"share"`` (from 0 to 1) or ``"number"``.
        definition: The definition in a few words.
    """

    name: str
    better: Better
    unit: _Unit
    definition: str


class Vocabulary:
    r"""Describes the vocabulary of a tokenizer for the metrics: which entries count.

    >>> from piecework import Tokenizer
    >>> tok = Tokenizer.from_str("[UNK]\n[SEP]\nlow\n##er\n")
    >>> Vocabulary(tok).entries.tolist(), Vocabulary(tok).unk_id
    ([2, 3], 0)
    """

    def __init__(self, tok: Tokenizer) -> None:
        self.tok = tok

    @cached_property
    def unk_id(self) -> int | None:
        """Returns the id of the unknown token, or None if there is none."""
        unk_token = self.tok.unk_token
        return None if unk_token is None else self.tok.token_to_id(unk_token)

    @cached_property
    def entries(self) -> NDArray[np.int64]:
        """Returns the ids of all tokens but special tokens and the unknown token, in ascending order."""
        ids = self.tok._core.vocab_ids().astype(np.int64)
        unknown = [] if self.unk_id is None else [self.unk_id]
        others = [*self.tok.special_tokens.values(), *unknown]
        return ids[~np.isin(ids, others)]


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
    def log_likelihood(self) -> float | None:
        """Returns the natural logarithm of the model's probability of all tokens; None if it has no probabilities.

        Unigram has scores; other models have given probabilities, or the shares of tokens in their training.
        """
        logarithms = self.vocabulary.tok._core.log_probabilities(self.sums.ids.tolist())
        return None if logarithms is None else float(np.sum(self.sums.counts * logarithms))

    @cached_property
    def entry_counts(self) -> NDArray[np.int64]:
        """Returns the count of each entry of the vocabulary, largest first."""
        entries, ids = self.vocabulary.entries, self.sums.ids
        counts = np.zeros(len(entries), dtype=np.int64)
        _, places, own = np.intersect1d(entries, ids, assume_unique=True, return_indices=True)
        counts[places] = self.sums.counts[own]
        return np.sort(counts)[::-1]


def _ratio(one: float, other: float) -> float | None:
    return one / other if other else None


METRICS: dict[str, Metric] = {}
"""The metrics of texts by their names."""
_FUNCTIONS: dict[str, Callable[[_Input], Value]] = {}
"""The functions that compute them."""


def _metric(
    better: Better, unit: _Unit, definition: str
) -> Callable[[Callable[[_Input], Value]], Callable[[_Input], Value]]:
    """Returns a decorator that defines a metric by the function that computes it, which has its name."""

    def define(function: Callable[[_Input], Value]) -> Callable[[_Input], Value]:
        name = function.__name__
        METRICS[name] = Metric(name, better, unit, definition)
        _FUNCTIONS[name] = function
        return function

    return define


@_metric("lower", "number", "tokens / words")
def fertility(given: _Input) -> Value:
    return _ratio(given.sums.tokens, given.sums.words)


@_metric("higher", "share", "words with one token, which is known / words")
def whole_words(given: _Input) -> Value:
    return _ratio(given.sums.whole_words, given.sums.words)


@_metric("higher", "number", "characters / tokens")
def characters_per_token(given: _Input) -> Value:
    return _ratio(given.sums.characters, given.sums.tokens)


@_metric("higher", "number", "UTF-8 bytes / tokens")
def bytes_per_token(given: _Input) -> Value:
    return _ratio(given.sums.bytes, given.sums.tokens)


@_metric("higher", "share", "1 - tokens / UTF-8 bytes")
def compression(given: _Input) -> Value:
    tokens = _ratio(given.sums.tokens, given.sums.bytes)
    return None if tokens is None else 1 - tokens


@_metric("lower", "share", "unknown tokens / tokens")
def unknown_rate(given: _Input) -> Value:
    """Returns the share of unknown tokens; 0 for a tokenizer without unknown token."""
    sums, unk_id = given.sums, given.vocabulary.unk_id
    unknown = 0 if unk_id is None else int(sums.counts[sums.ids == unk_id].sum())
    return _ratio(unknown, sums.tokens)


@_metric("higher", "share", "entries that occur / entries")
def vocabulary_used(given: _Input) -> Value:
    counts = given.entry_counts
    return _ratio(int((counts > 0).sum()), len(counts))


@_metric("higher", "count", "count of the entry at 95% of the entries by count")
def frequency_at_95(given: _Input) -> Value:
    """Returns the count of the entry at 95% of the entries, of which the most frequent is first."""
    counts = given.entry_counts
    return int(counts[math.ceil(0.95 * len(counts)) - 1]) if len(counts) else None


@_metric("higher", "share", "tokens from the less frequent half of the entries / tokens")
def rare_half(given: _Input) -> Value:
    """Returns the share of the tokens that are occurrences of the less frequent half of the entries."""
    counts = given.entry_counts
    return _ratio(int(counts[(len(counts) + 1) // 2 :].sum()), given.sums.tokens)


@_metric("higher", "share", "Rényi entropy of the tokens / its largest value")
def renyi_efficiency(given: _Input) -> Value:
    counts, power = given.sums.counts, given.power
    if len(counts) < 2:
        return None  # the largest possible entropy is 0
    shares = counts / counts.sum()
    if power == 1:
        entropy = -float(np.sum(shares * np.log2(shares)))
    else:
        # Relative to the largest share, whose powers do not underflow.
        largest = shares.max()
        logarithm = power * np.log2(largest) + np.log2(np.sum((shares / largest) ** power))
        entropy = float(logarithm) / (1 - power)
    return entropy / math.log2(len(counts))


@_metric("lower", "number", "bits of the tokens by their own frequencies / UTF-8 bytes")
def unigram_bits_per_byte(given: _Input) -> Value:
    counts = given.sums.counts
    bits = float(np.sum(counts * np.log2(max(1, counts.sum()) / counts)))
    return _ratio(bits, given.sums.bytes)


@_metric("lower", "number", "-log2 of the probability of the tokens / UTF-8 bytes")
def model_bits_per_byte(given: _Input) -> Value:
    logarithm = given.log_likelihood
    return None if logarithm is None else _ratio(-logarithm / math.log(2), given.sums.bytes)


@_metric("higher", "number", "sum of ln p over the tokens")
def log_likelihood(given: _Input) -> Value:
    return given.log_likelihood


@_metric("lower", "count", "texts that differ from their decoded tokens")
def changed_texts(given: _Input) -> Value:
    return given.sums.changed_texts


@_metric("higher", "share", "1 - changed texts / texts")
def round_trip_rate(given: _Input) -> Value:
    return _ratio(given.sums.texts - given.sums.changed_texts, given.sums.texts)


PARITY_METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("largest_premium", "lower", "number", "largest tokens / tokens of the reference"),
        Metric(
            "gini", "lower", "share", "inequality of the tokens of the languages, from 0 (equal)"
        ),
    )
}
"""The metrics of parallel texts in several languages by their names."""
ALL_METRICS = METRICS | PARITY_METRICS


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
    return {name: function(given) for name, function in _FUNCTIONS.items()}
