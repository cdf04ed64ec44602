"""Makes the report of an evaluation, as a document of tables."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np

from piecework._display import visible
from piecework._show.document import Bar, Block, Heading, Line, Table, Token
from piecework.analysis._evaluation.metrics import ALL_METRICS, METRICS, PARITY_METRICS, formatted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from piecework.analysis._evaluation.result import Evaluation, TextResult, TokenizerResult
    from piecework.analysis._evaluation.sums import TextSums

TITLE = "Evaluation of tokenizers"

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
_MOST_LENGTHS = 20
"""The number of lengths that are shown; the last one includes all longer ones."""


def report(evaluation: Evaluation) -> Iterator[Block]:
    """Iterates over the metrics, the distributions of lengths, texts of the input, and the definitions of the metrics."""
    yield Heading(TITLE)
    yield from figure_tables(evaluation)
    yield from length_tables(evaluation)
    yield from _text_tables(evaluation)
    yield _definitions()


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
    sums = [each.total.sums for each in results]
    rows = [("vocabulary size", *(f"{each.vocab_size:,}" for each in results))]
    for name in ("texts", "bytes", "words", "tokens"):
        numbers = (getattr(each, name) for each in sums)
        rows.append((name, *(f"{number:,}" for number in numbers)))
    for metric in ALL_METRICS.values():
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
    yield _lengths(evaluation, "Words by number of tokens", "tokens", "words_by_tokens")
    yield _lengths(evaluation, "Tokens by number of bytes", "bytes", "tokens_by_bytes")
    yield _lengths(
        evaluation,
        "Texts by number of tokens",
        "tokens",
        "texts_by_tokens",
        label=_power_label,
        is_limited=False,
    )
    counts = [_rank_counts(each.total.sums) for each in evaluation.tokenizers]
    ranks = max(counts, key=len, default={})
    ranked = [
        (f"{rank:,}", *(f"{each[rank]:,}" if rank in each else "" for each in counts))
        for rank in ranks
    ]
    yield Table(_names("rank", evaluation), ranked, _FIGURES, "Occurrences of the tokens by rank")


def _lengths(
    evaluation: Evaluation,
    title: str,
    unit: str,
    counts: str,
    *,
    label: Callable[[int], str] = str,
    is_limited: bool = True,
) -> Table:
    """Returns the table of a distribution: the share of each length, for each tokenizer.

    Args:
        evaluation: The evaluation.
        title: What is counted.
        unit: What its lengths are.
        counts: The name of the sums that have the number of each length.
        label: Returns the name of a length by its place.
        is_limited: Whether long lengths are added up.
    """
    every = [getattr(each.total.sums, counts).tolist() for each in evaluation.tokenizers]
    used = max((place for each in every for place, count in enumerate(each, 1) if count), default=0)
    shown = min(used, _MOST_LENGTHS + 1) if is_limited else used
    labels = [label(place) for place in range(shown)]
    if used > shown:
        labels[-1] = f"{labels[-1]}+"
    shares = (_shares([*each[: shown - 1], sum(each[shown - 1 :])]) for each in every if shown)
    rows: list[Sequence[Line]] = [
        (name, *((Bar(share),) for share in row))
        for name, row in zip(labels, zip_longest(*shares, fillvalue=0.0), strict=True)
    ]
    return Table(_names(unit, evaluation), rows, _FIGURES, title)


def _shares(counts: Sequence[int]) -> list[float]:
    total = sum(counts)
    return [count / total if total else 0.0 for count in counts]


def _power_label(bits: int) -> str:
    """Returns the numbers with this number of bits.

    >>> [_power_label(bits) for bits in range(4)]
    ['0', '1', '2-3', '4-7']
    """
    return str(bits) if bits < 2 else f"{1 << (bits - 1)}-{(1 << bits) - 1}"


def _rank_counts(sums: TextSums) -> dict[int, int]:
    """Returns the counts of the tokens of the ranks 1, 10, 100, ..., of which the first is the most frequent."""
    counts = np.sort(sums.counts)[::-1]
    ranks = (10**power for power in range(len(str(len(counts)))))
    return {rank: int(counts[rank - 1]) for rank in ranks if rank <= len(counts)}


def _definitions() -> Table:
    """Returns the definitions of the metrics."""
    rows = [(each.name, each.definition, each.better) for each in ALL_METRICS.values()]
    return Table(("metric", "definition", "better"), rows, "l", "Definitions")


def _text_tables(evaluation: Evaluation) -> Iterator[Table]:
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
