"""Makes the report of an evaluation, as a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._show import Heading
from piecework.analysis._evaluation.tables import (
    definitions,
    figure_tables,
    length_tables,
    text_tables,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._show import Block
    from piecework.analysis._evaluation.result import Evaluation

__all__ = ["TITLE", "report"]

TITLE = "Evaluation of tokenizers"


def report(evaluation: Evaluation) -> Iterator[Block]:
    """Iterates over the metrics, the distributions of lengths, texts of the input, and the definitions of the metrics."""
    yield Heading(TITLE)
    yield from figure_tables(evaluation)
    yield from length_tables(evaluation)
    yield from text_tables(evaluation)
    yield definitions()
