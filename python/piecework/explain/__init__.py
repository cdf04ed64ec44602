"""Explains how texts are segmented, how tokens were merged, and how tokenizers differ."""

from piecework.explain.build import explain
from piecework.explain.comparison import Block, Comparison, Split, compare
from piecework.explain.explanation import AlignedRun, Explanation, NormalizedText, Piece, Word
from piecework.explain.lineage import Lineage, lineage
from piecework.explain.steps import (
    BpeMerge,
    BpeSteps,
    LatticeEdge,
    LatticeNode,
    PairMerge,
    PlacedSymbol,
    PrefixMatch,
    Replacement,
    Segmentation,
    SegmentationLattice,
    Symbol,
    UnmergedPair,
    WordPieceSteps,
)

__all__ = [
    "AlignedRun",
    "Block",
    "BpeMerge",
    "BpeSteps",
    "Comparison",
    "Explanation",
    "LatticeEdge",
    "LatticeNode",
    "Lineage",
    "NormalizedText",
    "PairMerge",
    "Piece",
    "PlacedSymbol",
    "PrefixMatch",
    "Replacement",
    "Segmentation",
    "SegmentationLattice",
    "Split",
    "Symbol",
    "UnmergedPair",
    "Word",
    "WordPieceSteps",
    "compare",
    "explain",
    "lineage",
]
