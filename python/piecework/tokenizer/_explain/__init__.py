"""Explains how texts are segmented, and how tokens were merged."""

from piecework.tokenizer._explain.build import explain
from piecework.tokenizer._explain.explanation import (
    AlignedRun,
    Explanation,
    NormalizedText,
    Piece,
    Word,
)
from piecework.tokenizer._explain.lineage import Lineage, lineage
from piecework.tokenizer._explain.steps import (
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
    "BpeMerge",
    "BpeSteps",
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
    "Symbol",
    "UnmergedPair",
    "Word",
    "WordPieceSteps",
    "explain",
    "lineage",
]
