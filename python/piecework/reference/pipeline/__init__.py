"""Tokenizers: all stages in order."""
