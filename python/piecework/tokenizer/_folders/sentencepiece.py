"""Builds the model that classes of ``transformers`` such as Llama's make of a SentencePiece ``.model`` file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._settings.added_tokens import AddedToken
from piecework.models import BPE
from piecework.tokenizer._folders.classes import model_settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from piecework.tokenizer import Tokenizer
    from piecework.tokenizer._folders.read import ModelFolder


def is_of_class(tokenizer: Tokenizer, folder: ModelFolder) -> bool:
    """Returns whether the class of a folder builds its tokenizer from a BPE ``.model`` file."""
    is_model = folder.format.endswith(".model") and tokenizer.model_type == "BPE"
    return is_model and folder.family.reads_bpe_model


def with_class_model(tokenizer: Tokenizer, folder: ModelFolder) -> Tokenizer:
    """Returns the tokenizer of a ``.model`` file with the model and the added tokens that its class makes of it.

    Args:
        tokenizer: The tokenizer as SentencePiece reads it.
        folder: The folder of the file.

    Returns:
        A tokenizer without other stages. All symbols of the file are matched in the original text.
    """
    model = tokenizer.model
    assert isinstance(model, BPE)
    tokens = [
        AddedToken(token.content, normalized=False, special=token.special)
        for _, token in sorted(tokenizer.added_tokens.items())
    ]
    merges = [pair for _, pair in sorted(_merges(model.vocab))]
    settings = model_settings(model.vocab, folder.settings)
    return type(tokenizer)(BPE(model.vocab, merges, **settings), added_tokens=tokens)


def _merges(
    vocab: Mapping[str, int],
) -> Iterator[tuple[tuple[int, int], tuple[str, str]]]:
    """Iterates over the pairs of entries that make an entry, with their order: by its id, then the shorter first part."""
    for text, number in vocab.items():
        for size in range(1, len(text)):
            pair = text[:size], text[size:]
            if pair[0] in vocab and pair[1] in vocab:
                yield (number, size), pair
