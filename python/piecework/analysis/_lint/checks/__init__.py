"""Checks a tokenizer, one file for each family of rules."""
