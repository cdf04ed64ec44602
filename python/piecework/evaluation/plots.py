"""Makes the plots of a report, as specifications of Vega-Lite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from piecework.evaluation.metrics import METRICS, PARITY_METRICS
from piecework.evaluation.shapes import Lengths, lengths_of, rank_counts
from piecework.evaluation.tables import name_text
from piecework.io.extras import import_extra

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework.evaluation.metrics import Metric
    from piecework.evaluation.result import Evaluation

__all__ = ["Plot", "plot_library", "plots_of"]

_WIDTH, _HEIGHT = 800, 260
_SMALL = 240
"""The width of each of several plots beside each other."""
_COMPARED = (
    "fertility",
    "bytes_per_token",
    "whole_words",
    "vocabulary_used",
    "renyi_efficiency",
    "unigram_bits_per_byte",
)
"""The metrics in the plot of tokenizers."""
_BY_GROUP = ("fertility", "bytes_per_token", "characters_per_token")
"""The metrics in the plots of groups."""


class Plot(NamedTuple):
    """Holds a plot.

    Attributes:
        title: What it shows.
        spec: Its specification.
    """

    title: str
    spec: dict[str, Any]


def plot_library() -> str:
    """Returns the programs that draw plots in a browser.

    Raises:
        MissingExtraError: The package is not installed.
    """
    converter = import_extra("vl_convert", "report", "the HTML report")
    return str(converter.javascript_bundle())


def plots_of(evaluation: Evaluation) -> list[Plot]:
    """Returns the plots of an evaluation.

    Raises:
        MissingExtraError: The package altair is not installed.
    """
    alt = import_extra("altair", "report", "the HTML report")
    plots = [
        _lengths(alt, evaluation, lengths) for lengths in lengths_of(evaluation) if lengths.labels
    ]
    if not any(result.total.sums.tokens for result in evaluation.tokenizers):
        return plots
    plots.append(_ranks(alt, evaluation))
    if len(evaluation.tokenizers) > 1:
        plots.append(_comparison(alt, evaluation))
    plots.extend(_groups(alt, evaluation))
    return plots


def _names(evaluation: Evaluation) -> list[str]:
    return [name_text(result.name) for result in evaluation.tokenizers]


def _color(alt: Any, evaluation: Evaluation) -> Any:
    """Returns the color of tokenizers, with a legend if there are several."""
    names = _names(evaluation)
    legend = alt.Legend(title=None, orient="top", labelLimit=400) if len(names) > 1 else None
    return alt.Color("tokenizer:N", sort=names, legend=legend)


def _plot(title: str, chart: Any) -> Plot:
    """Returns a plot in the font of the page."""
    chart = chart.configure(font="system-ui, sans-serif").configure_axis(
        gridOpacity=0.5, titleFontWeight="normal"
    )
    return Plot(title, chart.to_dict())


def _lengths(alt: Any, evaluation: Evaluation, lengths: Lengths) -> Plot:
    names = _names(evaluation)
    rows = [
        {"length": label, "share": share, "tokenizer": name}
        for name, shares in zip(names, lengths.shares, strict=True)
        for label, share in zip(lengths.labels, shares, strict=True)
    ]
    chart = (
        alt.Chart(alt.InlineData(rows), width=_WIDTH, height=_HEIGHT)
        .mark_bar()
        .encode(
            x=alt.X(
                "length:N",
                sort=list(lengths.labels),
                title=lengths.unit,
                axis=alt.Axis(
                    labelAngle=-45 if lengths.unit == "tokens" and len(lengths.labels) > 12 else 0
                ),
            ),
            xOffset=alt.XOffset("tokenizer:N", sort=names),
            y=alt.Y("share:Q", title="share", axis=alt.Axis(format="%")),
            color=_color(alt, evaluation),
            tooltip=["tokenizer:N", "length:N", alt.Tooltip("share:Q", format=".2%")],
        )
    )
    return _plot(lengths.title, chart)


def _ranks(alt: Any, evaluation: Evaluation) -> Plot:
    rows = [
        {"rank": rank, "count": count, "tokenizer": name}
        for name, result in zip(_names(evaluation), evaluation.tokenizers, strict=True)
        for rank, count in rank_counts(result.total.sums)
    ]
    chart = (
        alt.Chart(alt.InlineData(rows), width=_WIDTH, height=_HEIGHT)
        .mark_line()
        .encode(
            x=alt.X("rank:Q", scale=alt.Scale(type="log", nice=False), title="rank of the token"),
            y=alt.Y("count:Q", scale=alt.Scale(type="log"), title="occurrences"),
            color=_color(alt, evaluation),
            tooltip=["tokenizer:N", "rank:Q", "count:Q"],
        )
    )
    return _plot("Tokens by rank and frequency", chart)


def _comparison(alt: Any, evaluation: Evaluation) -> Plot:
    """Returns bars of some metrics, each in a plot of its own."""
    metrics = [METRICS[name] for name in _COMPARED]
    metrics += [
        metric
        for metric in PARITY_METRICS.values()
        if all(result.parity is not None for result in evaluation.tokenizers)
    ]
    rows = [
        {"tokenizer": name, "metric": metric.label, "value": result.metrics[metric.name]}
        for metric in metrics
        for name, result in zip(_names(evaluation), evaluation.tokenizers, strict=True)
    ]
    return _plot(
        "Tokenizers against each other",
        _bars(alt, evaluation, rows, metrics, field="tokenizer", order=_names(evaluation)),
    )


def _groups(alt: Any, evaluation: Evaluation) -> Iterator[Plot]:
    """Iterates over bars of some metrics by group, for each tokenizer."""
    metrics = [METRICS[name] for name in _BY_GROUP]
    groups = [name_text(group) for group in evaluation.groups]
    if not groups:
        return
    rows = [
        {
            "tokenizer": name,
            "group": name_text(group),
            "metric": metric.label,
            "value": each.metrics[metric.name],
        }
        for name, result in zip(_names(evaluation), evaluation.tokenizers, strict=True)
        for group, each in result.groups.items()
        for metric in metrics
    ]
    chart = _bars(alt, evaluation, rows, metrics, field="group", order=groups)
    yield _plot("Groups against each other", chart)
    premiums = [
        {"tokenizer": name, "group": name_text(group), "premium": premium}
        for name, result in zip(_names(evaluation), evaluation.tokenizers, strict=True)
        for group, premium in (result.parity.premiums if result.parity else {}).items()
    ]
    if premiums:
        chart = (
            alt.Chart(alt.InlineData(premiums), width=_WIDTH)
            .mark_bar()
            .encode(
                x=alt.X("premium:Q", title="tokens / tokens of the reference"),
                y=alt.Y("group:N", sort=groups, title=None, axis=alt.Axis(labelLimit=200)),
                yOffset=alt.YOffset("tokenizer:N", sort=_names(evaluation)),
                color=_color(alt, evaluation),
                tooltip=["tokenizer:N", "group:N", alt.Tooltip("premium:Q", format=".3f")],
            )
        )
        yield _plot("Premiums of languages", chart)


def _bars(
    alt: Any,
    evaluation: Evaluation,
    rows: list[dict[str, Any]],
    metrics: list[Metric],
    *,
    field: str,
    order: list[str],
) -> Any:
    """Returns horizontal bars by a field, in a plot of its own for each metric."""
    names = _names(evaluation)
    rows = [row for row in rows if row["value"] is not None]
    offset = {} if field == "tokenizer" else {"yOffset": alt.YOffset("tokenizer:N", sort=names)}
    return (
        alt.Chart(alt.InlineData(rows), width=_SMALL)
        .mark_bar()
        .encode(
            x=alt.X("value:Q", title=None, axis=alt.Axis(tickCount=4)),
            y=alt.Y(f"{field}:N", sort=order, title=None, axis=alt.Axis(labelLimit=160)),
            color=_color(alt, evaluation),
            tooltip=[
                *dict.fromkeys(["tokenizer:N", f"{field}:N"]),
                "metric:N",
                alt.Tooltip("value:Q", format=".4f"),
            ],
            facet=alt.Facet(
                "metric:N",
                sort=[metric.label for metric in metrics],
                columns=3,
                header=alt.Header(title=None, labelLimit=_SMALL),
            ),
            **offset,
        )
        .resolve_scale(x="independent")
    )
