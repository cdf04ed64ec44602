"""Decoding: from tokens back to a text."""
