"""Models: from a word to its tokens."""
