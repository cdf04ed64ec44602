"""Pre-tokenization: from a normalized text to words."""
