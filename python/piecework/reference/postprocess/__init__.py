"""Encodings: truncation, special tokens around texts, padding."""
