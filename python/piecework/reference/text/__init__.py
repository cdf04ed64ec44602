"""Text before the models: characters, and BERT's normalization and pre-tokenization."""
