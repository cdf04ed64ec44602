"""Compares how tokenizers cut a text."""

from piecework.analysis._comparison.comparison import Block, Comparison, Split, compare

__all__ = ["Block", "Comparison", "Split", "compare"]
