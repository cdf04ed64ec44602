"""Contains the immutable :class:`Tokenizer`, and what it loads, saves and reports."""

from piecework.tokenizer.settings import LoadSettings
from piecework.tokenizer.tokenizer import Tokenizer

__all__ = ["LoadSettings", "Tokenizer"]
