"""Writes comparisons of a text as HTML, for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework.html import MAX_TOKENS, fragment, more, table, text_html, token_html

if TYPE_CHECKING:
    from collections.abc import Sequence

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
        names = dict(zip(split.ids, split.tokens, strict=True))
        cells = [_cell(block, number, names, limit) for block in blocks]
        rows.append((text_html(split.name), f"{len(split):,}", *cells))
    return fragment(
        f'<p><span class="pw-c">{text_html(comparison.text, _MAX_TEXT)}</span></p>',
        table(("tokenizer", "tokens", *[""] * len(blocks)), rows),
        more(len(comparison.blocks) - len(blocks), "blocks"),
    )


def _cell(block: Block, number: int, names: dict[int, str], limit: int) -> str:
    """Returns the first tokens of a tokenizer in a block."""
    ids, tokens = block.ids[number], block.tokens[number]
    shown = _tokens(ids[:limit], tokens, names) + more(len(ids) - limit, "tokens")
    return shown if block.agrees else f"<mark>{shown}</mark>"


def _tokens(ids: Sequence[int], tokens: Sequence[str], names: dict[int, str]) -> str:
    pairs = zip(ids, tokens, strict=False)
    return " ".join(token_html(names[number], token, f"id {number}") for number, token in pairs)
