"""Contains the immutable :class:`Tokenizer`, and what it loads, saves and reports."""

from piecework.tokenizer.tokenizer import LoadSettings, ModelSettings, Parts, Tokenizer

__all__ = ["LoadSettings", "ModelSettings", "Parts", "Tokenizer"]
