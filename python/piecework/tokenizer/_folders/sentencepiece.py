"""Builds the model that classes of ``transformers`` such as Llama's make of a SentencePiece ``.model`` file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._settings.added_tokens import AddedToken
from piecework.models import BPE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from piecework.tokenizer import Tokenizer
    from piecework.tokenizer._folders.read import ModelFolder

__all__ = ["is_of_class", "with_class_model"]


def is_of_class(tokenizer: Tokenizer, folder: ModelFolder) -> bool:
    """Returns whether the class of a folder builds its tokenizer from a BPE ``.model`` file."""
    is_model = folder.format.endswith(".model") and tokenizer.model_type == "BPE"
    return is_model and folder.family.reads_bpe_model


def with_class_model(tokenizer: Tokenizer) -> Tokenizer:
    """Returns the tokenizer of a ``.model`` file with the model and the added tokens that such a class makes of it.

    Args:
        tokenizer: The tokenizer as SentencePiece reads it.

    Returns:
        A tokenizer without other stages. All symbols of the file are matched in the original text.
    """
    model = tokenizer.model
    assert isinstance(model, BPE)
    vocab = model.vocab
    tokens = [
        AddedToken(token.content, normalized=False, special=token.special)
        for _, token in sorted(tokenizer.added_tokens.items())
    ]
    # Without a byte entry the class drops a character that is unknown: it names no unknown token.
    merges = [pair for _, pair in sorted(_merges(vocab))]
    rebuilt = BPE(vocab, merges, fuse_unk=True, byte_fallback=True)
    return type(tokenizer)(rebuilt, added_tokens=tokens)


def _merges(
    vocab: Mapping[str, int],
) -> Iterator[tuple[tuple[int, int], tuple[str, str]]]:
    """Iterates over the pairs of entries that make an entry, with their order: by its id, then the shorter first part."""
    for text, number in vocab.items():
        for size in range(1, len(text)):
            pair = text[:size], text[size:]
            if pair[0] in vocab and pair[1] in vocab:
                yield (number, size), pair
