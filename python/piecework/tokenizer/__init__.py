"""Contains the immutable :class:`Tokenizer`, and what it loads, saves, explains and reports."""

from piecework import _lazy

__getattr__, __dir__, __all__ = _lazy.lazily(
    __name__,
    {
        "_explain.explanation": "AlignedRun Explanation NormalizedText Piece Word",
        "_explain.steps": "BpeMerge BpeSteps LatticeEdge LatticeNode PairMerge PlacedSymbol PrefixMatch Replacement "
        "Segmentation SegmentationLattice Symbol UnmergedPair WordPieceSteps",
        "_explain.lineage": "Lineage",
        "_lm": "LanguageModel",
        "_options": "EncodeOptions",
        "_settings": "LoadSettings",
        "_tokenizer": "Tokenizer",
        "_training_info": "TrainingInfo",
    },
)
