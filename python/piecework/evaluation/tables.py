"""Makes tables of an evaluation, and renders them as text and HTML."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, NamedTuple

from piecework.display import visible
from piecework.evaluation.metrics import METRICS, PARITY_METRICS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework.evaluation.metrics import Metric, Value
    from piecework.evaluation.result import Evaluation, TextResult, TokenizerResult

__all__ = [
    "Table",
    "as_html",
    "as_text",
    "cell_text",
    "figure_tables",
    "formatted",
    "name_text",
    "text_tables",
]

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
"""The number of characters of a text in a table."""


class Table(NamedTuple):
    """Holds a table of texts.

    Attributes:
        title: What it shows.
        header: The names of the columns.
        rows: The cells, with as many columns.
        is_figures: Whether all columns but the first have figures.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    is_figures: bool = True


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


def cell_text(text: str) -> str:
    r"""Returns a text of the input for a table: on one line, with control characters escaped, and shortened.

    >>> cell_text("a\nb"), len(cell_text("a" * 1000))
    ('a\\nb', 60)
    """
    shown = visible(text[:_MOST_CHARACTERS])
    is_short = len(text) <= _MOST_CHARACTERS and len(shown) <= _MOST_CHARACTERS
    return shown if is_short else f"{shown[: _MOST_CHARACTERS - 1]}…"


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
    rows = tuple(
        (
            name_text(name),
            f"{each.texts:,}",
            f"{each.text_agreement:.1%}",
            f"{each.character_agreement:.1%}",
        )
        for name, each in (*evaluation.agreements.items(), ("all", evaluation.agreement))
    )
    yield Table(
        "Agreement of all tokenizers", ("group", "texts", "of texts", "of characters"), rows
    )


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
    return Table("Metrics", ("metric", *(name_text(each.name) for each in results)), tuple(rows))


def _by_group(result: TokenizerResult) -> Table:
    parity = result.parity
    premiums = parity.premiums if parity else {}
    premium_header = [f"premium (reference {name_text(parity.reference)})"] if parity else []
    header = ("group", "texts", "tokens", *_BY_GROUP, *premium_header)

    def row(name: str, each: TextResult) -> tuple[str, ...]:
        cells = (formatted(METRICS[metric], each.metrics[metric]) for metric in _BY_GROUP)
        premium = [formatted(PARITY_METRICS["largest_premium"], premiums[name])] if premiums else []
        return name_text(name), f"{each.sums.texts:,}", f"{each.sums.tokens:,}", *cells, *premium

    rows = tuple(row(*each) for each in result.groups.items())
    return Table(f"Groups: {name_text(result.name)}", header, rows)


def text_tables(evaluation: Evaluation) -> Iterator[Table]:
    """Iterates over tables of texts of the input: the most frequent tokens, and changed texts."""
    results = evaluation.tokenizers
    lists = [
        [f"{cell_text(token)} ({count:,})" for token, count in each.frequent] for each in results
    ]
    ranks = range(max(map(len, lists), default=0))
    rows = (
        (str(rank + 1), *(each[rank] if rank < len(each) else "" for each in lists))
        for rank in ranks
    )
    names = (name_text(each.name) for each in results)
    yield Table("Most frequent tokens", ("rank", *names), tuple(rows), is_figures=False)
    for result in results:
        changed = tuple(
            (name_text(each.place), cell_text(each.text), cell_text(each.decoded))
            for each in result.total.sums.changed
        )
        if changed:
            title = f"First texts changed by encoding and decoding: {name_text(result.name)}"
            yield Table(title, ("place", "text", "decoded"), changed, is_figures=False)


def as_text(table: Table) -> str:
    """Returns a table in columns of plain text.

    >>> print(as_text(Table("", ("metric", "bert"), (("fertility", "1.203"),))))
    metric      bert
    fertility  1.203
    """
    lines = [table.header, *table.rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    aligned = (
        "  ".join(
            cell.rjust(width) if place and table.is_figures else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )
    title = [table.title] if table.title and table.title != "Metrics" else []
    return "\n".join([*title, *(line.rstrip() for line in aligned)])


def as_html(table: Table) -> str:
    """Returns a table as HTML, in which every text is escaped and isolated from the direction of others.

    >>> as_html(Table("<b>", ("a",), (("&",),)))
    '<table><caption>&lt;b&gt;</caption><tr><th>a</th></tr><tr><th><bdi>&amp;</bdi></th></tr></table>'
    """
    kind = ' class="figures"' if table.is_figures and len(table.header) > 1 else ""
    header = "".join(f"<th>{_breakable(escape(name))}</th>" for name in table.header)
    rows = "".join(f"<tr>{_cells(row)}</tr>" for row in table.rows)
    return f"<table{kind}><caption>{escape(table.title)}</caption><tr>{header}</tr>{rows}</table>"


def _breakable(name: str) -> str:
    """Returns a name in HTML that may be broken after an underscore or a slash."""
    return name.replace("_", "_<wbr>").replace("/", "/<wbr>")


def _cells(row: tuple[str, ...]) -> str:
    first, *others = (f"<bdi>{escape(cell)}</bdi>" for cell in row)
    return f"<th>{first}</th>{''.join(f'<td>{cell}</td>' for cell in others)}"
