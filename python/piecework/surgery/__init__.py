"""Prunes and extends vocabularies of existing tokenizers, with the map from old ids to new ones."""

from piecework.surgery.change import VocabularyChange
from piecework.surgery.extension import extend
from piecework.surgery.pruning import prune

__all__ = ["VocabularyChange", "extend", "prune"]
