"""Why a word is split as it is, and where its pieces come from."""

from piecework.explain.lineage import Lineage, lineage
from piecework.explain.word import Explanation, Piece, explain

__all__ = ["Explanation", "Lineage", "Piece", "explain", "lineage"]
