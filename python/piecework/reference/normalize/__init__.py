"""Normalization: from a text to the text that is split into words."""
