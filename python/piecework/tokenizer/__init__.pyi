"""Contains the immutable :class:`Tokenizer`, and what it loads, saves, explains and reports."""

from piecework.tokenizer._explain import (
    AlignedRun as AlignedRun,
    BpeMerge as BpeMerge,
    BpeSteps as BpeSteps,
    Explanation as Explanation,
    LatticeEdge as LatticeEdge,
    LatticeNode as LatticeNode,
    Lineage as Lineage,
    NormalizedText as NormalizedText,
    PairMerge as PairMerge,
    Piece as Piece,
    PlacedSymbol as PlacedSymbol,
    PrefixMatch as PrefixMatch,
    Replacement as Replacement,
    Segmentation as Segmentation,
    SegmentationLattice as SegmentationLattice,
    Symbol as Symbol,
    UnmergedPair as UnmergedPair,
    Word as Word,
    WordPieceSteps as WordPieceSteps,
)
from piecework.tokenizer._lm import LanguageModel as LanguageModel
from piecework.tokenizer._options import EncodeOptions as EncodeOptions
from piecework.tokenizer._settings import LoadSettings as LoadSettings
from piecework.tokenizer._tokenizer import Tokenizer as Tokenizer
from piecework.tokenizer._training_info import TrainingInfo as TrainingInfo
