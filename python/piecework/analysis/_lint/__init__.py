"""Finds faults of a vocabulary: entries that no text produces, merges that never apply, missing bytes, and others."""
