"""Converts tokenizers to what other libraries can load."""
