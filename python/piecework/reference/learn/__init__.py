"""Training: from counts of words to a vocabulary."""
