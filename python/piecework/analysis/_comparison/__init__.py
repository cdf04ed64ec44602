"""Compares how tokenizers cut a text."""
