"""Prunes and extends vocabularies of existing tokenizers, with the map from old ids to new ones."""

from piecework.surgery._change import VocabularyChange
from piecework.surgery._extension import extend
from piecework.surgery._pruning import prune

__all__ = ["VocabularyChange", "extend", "prune"]
