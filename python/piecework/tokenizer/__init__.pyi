"""Contains the immutable :class:`Tokenizer`, and what it loads, saves, explains and reports."""

from piecework.tokenizer._explain.explanation import (
    AlignedRun as AlignedRun,
    Explanation as Explanation,
    NormalizedText as NormalizedText,
    Piece as Piece,
    Word as Word,
)
from piecework.tokenizer._explain.lineage import Lineage as Lineage
from piecework.tokenizer._explain.steps import (
    BpeMerge as BpeMerge,
    BpeSteps as BpeSteps,
    LatticeEdge as LatticeEdge,
    LatticeNode as LatticeNode,
    PairMerge as PairMerge,
    PlacedSymbol as PlacedSymbol,
    PrefixMatch as PrefixMatch,
    Replacement as Replacement,
    Segmentation as Segmentation,
    SegmentationLattice as SegmentationLattice,
    Symbol as Symbol,
    UnmergedPair as UnmergedPair,
    WordPieceSteps as WordPieceSteps,
)
from piecework.tokenizer._lm import LanguageModel as LanguageModel
from piecework.tokenizer._options import EncodeOptions as EncodeOptions
from piecework.tokenizer._settings import LoadSettings as LoadSettings
from piecework.tokenizer._tokenizer import Tokenizer as Tokenizer
from piecework.tokenizer._training_info import TrainingInfo as TrainingInfo
