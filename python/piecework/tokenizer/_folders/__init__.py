"""Reads and writes the folder of a model of ``transformers``, and applies its configuration files to the tokenizer."""
