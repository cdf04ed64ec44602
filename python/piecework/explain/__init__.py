"""Why a word is split as it is, and where its pieces come from."""

from piecework.explain.word import Explanation, Piece, explain
from piecework.explain.lineage import Lineage, lineage

__all__ = ["Explanation", "Lineage", "Piece", "explain", "lineage"]
