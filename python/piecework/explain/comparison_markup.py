"""Writes comparisons of a text as HTML, for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework.html import MAX_TOKENS, fragment, more, table, text_html, token_html

if TYPE_CHECKING:
    from piecework.explain.comparison import Block, Comparison

__all__ = ["comparison_html"]

_MAX_BLOCKS = 100
"""The maximum number of blocks of a table."""
_MAX_TEXT = 500
"""The maximum number of characters of the text."""


def comparison_html(comparison: Comparison) -> str:
    """Returns a comparison as HTML.

    Args:
        comparison: The comparison.

    Returns:
        The text, and a table with a row for each tokenizer and a column for each block; blocks that are cut differently are
        marked.
    """
    blocks = comparison.blocks[:_MAX_BLOCKS]
    limit = MAX_TOKENS // max(1, len(blocks))
    rows = []
    for number, split in enumerate(comparison.splits):
        cells = [_cell(block, number, limit) for block in blocks]
        rows.append((text_html(split.name), f"{len(split):,}", *cells))
    return fragment(
        f'<p><span class="pw-c">{text_html(comparison.text, _MAX_TEXT)}</span></p>',
        table(("tokenizer", "tokens", *[""] * len(blocks)), rows),
        more(len(comparison.blocks) - len(blocks), "blocks"),
    )


def _cell(block: Block, number: int, limit: int) -> str:
    """Returns the first tokens of a tokenizer in a block."""
    ids, tokens = block.ids[number], block.tokens[number]
    boxes = map(token_html, tokens[:limit], (f"id {number}" for number in ids))
    shown = " ".join(boxes) + more(len(ids) - limit, "tokens")
    return shown if block.agrees else f"<mark>{shown}</mark>"
