"""Contains the immutable :class:`Tokenizer`, and what it loads, saves, explains and reports."""

from piecework import _lazy

__getattr__, __dir__, __all__ = _lazy.lazily(
    __name__,
    {
        "_explain": "AlignedRun BpeMerge BpeSteps Explanation LatticeEdge LatticeNode Lineage NormalizedText PairMerge Piece "
        "PlacedSymbol PrefixMatch Replacement Segmentation SegmentationLattice Symbol UnmergedPair Word WordPieceSteps",
        "_lm": "LanguageModel",
        "_options": "EncodeOptions",
        "_settings": "LoadSettings",
        "_tokenizer": "Tokenizer",
        "_training_info": "TrainingInfo",
    },
)
