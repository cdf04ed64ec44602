"""Makes tables of an evaluation."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from piecework._display import visible
from piecework._show import Bar, Table, Token
from piecework.analysis._evaluation.metrics import METRICS, PARITY_METRICS, formatted
from piecework.analysis._evaluation.shapes import lengths_of, rank_counts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from piecework._show import Line
    from piecework.analysis._evaluation.result import Evaluation, TextResult, TokenizerResult

__all__ = ["definitions", "figure_tables", "length_tables", "name_text", "text_tables"]

_BY_GROUP = (
    "fertility",
    "whole_words",
    "characters_per_token",
    "bytes_per_token",
    "unknown_rate",
    "round_trip_rate",
)
"""The metrics of the table of groups."""
_MOST_CHARACTERS = 60
"""The number of characters of a name."""
_FIGURES = "lr"
"""The alignment of a table with figures in all columns but the first."""


def name_text(name: str) -> str:
    """Returns the name of a tokenizer or group for a table; of a long one the end, as of a path.

    >>> name_text("/folder" * 20 + "/bert.json")[-17:], len(name_text("a" * 1000))
    ('/folder/bert.json', 60)
    """
    shown = visible(name[-_MOST_CHARACTERS:])
    is_short = len(name) <= _MOST_CHARACTERS and len(shown) <= _MOST_CHARACTERS
    return shown if is_short else f"…{shown[-(_MOST_CHARACTERS - 1) :]}"


def figure_tables(evaluation: Evaluation) -> list[Table]:
    """Returns the tables of metrics: of all texts by tokenizer, and for each tokenizer by group."""
    return [
        _summary(evaluation),
        *(_by_group(each) for each in evaluation.tokenizers if each.groups),
        *_agreement(evaluation),
    ]


def _agreement(evaluation: Evaluation) -> Iterator[Table]:
    """Iterates over the table of what the tokenizers cut in the same way, if it was counted."""
    if evaluation.agreement is None:
        return
    rows = [
        (
            name_text(name),
            f"{each.texts:,}",
            f"{each.text_agreement:.1%}",
            f"{each.character_agreement:.1%}",
        )
        for name, each in (*evaluation.agreements.items(), ("all", evaluation.agreement))
    ]
    header = ("group", "texts", "of texts", "of characters")
    yield Table(header, rows, _FIGURES, "Agreement of all tokenizers")


def _summary(evaluation: Evaluation) -> Table:
    results = evaluation.tokenizers
    rows: list[tuple[str, ...]] = [
        ("vocabulary size", *(f"{each.vocab_size:,}" for each in results)),
        ("texts", *(f"{each.total.sums.texts:,}" for each in results)),
        ("bytes", *(f"{each.total.sums.bytes:,}" for each in results)),
        ("words", *(f"{each.total.sums.words:,}" for each in results)),
        ("tokens", *(f"{each.total.sums.tokens:,}" for each in results)),
    ]
    for metric in (*METRICS.values(), *PARITY_METRICS.values()):
        if all(metric.name in each.metrics for each in results):
            cells = (formatted(metric, each.metrics[metric.name]) for each in results)
            rows.append((metric.name, *cells))
    return Table(_names("metric", evaluation), rows, _FIGURES, "Metrics")


def _names(first: str, evaluation: Evaluation) -> tuple[str, ...]:
    """Returns the name of the first column, and those of the tokenizers."""
    return first, *(name_text(each.name) for each in evaluation.tokenizers)


def _by_group(result: TokenizerResult) -> Table:
    parity = result.parity
    premiums = parity.premiums if parity else {}
    premium_header = [f"premium (reference {name_text(parity.reference)})"] if parity else []
    header = ("group", "texts", "tokens", *_BY_GROUP, *premium_header)

    def row(name: str, each: TextResult) -> tuple[str, ...]:
        cells = (formatted(METRICS[metric], each.metrics[metric]) for metric in _BY_GROUP)
        premium = [formatted(PARITY_METRICS["largest_premium"], premiums[name])] if premiums else []
        return name_text(name), f"{each.sums.texts:,}", f"{each.sums.tokens:,}", *cells, *premium

    rows = [row(*each) for each in result.groups.items()]
    return Table(header, rows, _FIGURES, f"Groups: {name_text(result.name)}")


def length_tables(evaluation: Evaluation) -> Iterator[Table]:
    """Iterates over the distributions of lengths, and of tokens by their ranks."""
    for lengths in lengths_of(evaluation):
        shares = zip(*(map(Bar, each) for each in lengths.shares), strict=True)
        rows: list[Sequence[Line]] = [
            (label, *((bar,) for bar in bars))
            for label, bars in zip(lengths.labels, shares, strict=True)
        ]
        yield Table(_names(lengths.unit, evaluation), rows, _FIGURES, lengths.title)
    counts = [rank_counts(each.total.sums) for each in evaluation.tokenizers]
    ranks = max(counts, key=len, default={})
    ranked = [
        (f"{rank:,}", *(f"{each[rank]:,}" if rank in each else "" for each in counts))
        for rank in ranks
    ]
    yield Table(_names("rank", evaluation), ranked, _FIGURES, "Occurrences of the tokens by rank")


def definitions() -> Table:
    """Returns the definitions of the metrics."""
    metrics = (*METRICS.values(), *PARITY_METRICS.values())
    rows = [(each.name, each.definition, each.better) for each in metrics]
    return Table(("metric", "definition", "better"), rows, "l", "Definitions")


def text_tables(evaluation: Evaluation) -> Iterator[Table]:
    """Iterates over tables of texts of the input: the most frequent tokens, and changed texts."""
    results = evaluation.tokenizers
    lists: list[list[Line]] = [
        [(Token(token), f" ({count:,})") for token, count in each.frequent] for each in results
    ]
    rows = (
        (str(rank), *row) for rank, row in enumerate(zip_longest(*lists, fillvalue=""), start=1)
    )
    yield Table(_names("rank", evaluation), list(rows), "l", "Most frequent tokens")
    for result in results:
        changed = [
            (name_text(each.place), each.text, each.decoded) for each in result.total.sums.changed
        ]
        if changed:
            title = f"First texts changed by encoding and decoding: {name_text(result.name)}"
            yield Table(("place", "text", "decoded"), changed, "l", title)
