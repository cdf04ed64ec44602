"""Compares two versions of a tokenizer: entries, settings, merges, scores, and the texts that they encode differently."""
