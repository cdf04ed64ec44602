"""Explains how words are segmented, how tokens were merged, and how tokenizers differ."""

from piecework.explain.choice import Choice, Segmentation
from piecework.explain.comparison import Comparison, Split, compare
from piecework.explain.lineage import Lineage, lineage
from piecework.explain.merging import Merging
from piecework.explain.word import Explanation, Piece, explain

__all__ = [
    "Choice",
    "Comparison",
    "Explanation",
    "Lineage",
    "Merging",
    "Piece",
    "Segmentation",
    "Split",
    "compare",
    "explain",
    "lineage",
]
