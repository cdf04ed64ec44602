"""Writes a report as one HTML page, which opens without a network."""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING

from piecework.evaluation.metrics import METRICS, PARITY_METRICS
from piecework.evaluation.plots import plot_library, plots_of
from piecework.evaluation.tables import as_html, figure_tables, text_tables

if TYPE_CHECKING:
    from piecework.evaluation.plots import Plot
    from piecework.evaluation.result import Evaluation

__all__ = ["html_report"]

_POLICY = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data:"
"""Forbids the page to load anything; Vega compiles the expressions of plots."""

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #1b1f24; margin: 2rem auto; max-width: 62rem; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
.wide { overflow-x: auto; margin: 1rem 0 1.8rem; }
table { border-collapse: collapse; }
caption { text-align: left; font-weight: 600; font-size: 1.15rem; padding: 0 0 .5rem; white-space: nowrap; }
th, td { text-align: left; font-weight: normal; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid #d8dee4;
  max-width: 24rem; overflow: hidden; overflow-wrap: anywhere; vertical-align: top; }
tr:nth-child(1) > th { font-weight: 600; border-bottom: 2px solid #8c959f; vertical-align: bottom; overflow-wrap: normal; }
.figures td, .figures tr:nth-child(1) > th:not(:first-child) { text-align: right; font-variant-numeric: tabular-nums;
  padding: .2rem 0 .2rem 1rem; }
.figures td, .figures th:first-child { white-space: nowrap; overflow-wrap: normal; }
bdi { display: inline-block; max-width: 24rem; max-height: 4.4em; overflow: hidden; text-overflow: ellipsis;
  vertical-align: top; }
td bdi { white-space: pre-wrap; }
.plot { overflow-x: auto; }
"""

_DRAW = """
for (const place of document.querySelectorAll(".plot")) {
  const spec = JSON.parse(place.querySelector("script").textContent);
  vegaEmbed(place, spec, {actions: false, renderer: "svg"}).catch(console.error);
}
"""


def html_report(evaluation: Evaluation) -> str:
    """Returns the page; see :meth:`Evaluation.to_html`."""
    plots = plots_of(evaluation)
    figures, texts = figure_tables(evaluation), list(text_tables(evaluation))
    body = [
        "<h1>Evaluation of tokenizers</h1>",
        *(f'<div class="wide">{as_html(table)}</div>' for table in figures),
        *map(_plotted, plots),
        *(f'<div class="wide">{as_html(table)}</div>' for table in texts),
        _definitions(),
    ]
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            f"<title>Evaluation of tokenizers</title><style>{_STYLE}</style>",
            f"<script>{plot_library()}</script></head><body><main>",
            *body,
            f"</main><script>{_DRAW}</script></body></html>",
            "",
        ]
    )


def _plotted(plot: Plot) -> str:
    """Returns a plot, whose specification the page draws."""
    spec = _script_text(json.dumps(plot.spec))
    return f'<h2>{escape(plot.title)}</h2><div class="plot"><script type="application/json">{spec}</script></div>'


def _script_text(data: str) -> str:
    r"""Returns JSON that contains no end of a script element.

    >>> _script_text('"</script>"')
    '"\\u003c/script>"'
    """
    return data.replace("<", "\\u003c")


def _definitions() -> str:
    rows = "".join(
        f"<tr><th>{escape(each.name)}</th><td>{escape(each.definition)}</td><td>{each.better}</td></tr>"
        for each in (*METRICS.values(), *PARITY_METRICS.values())
    )
    header = "<tr><th>metric</th><th>definition</th><th>better</th></tr>"
    return f'<div class="wide"><table><caption>Definitions</caption>{header}{rows}</table></div>'
