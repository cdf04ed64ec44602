"""Floats, logarithms and pseudo-random numbers with equal results on every machine."""
