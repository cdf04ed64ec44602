"""Decides which tokenizer class of ``transformers`` reads a folder, from the names in its configuration files.

``AutoTokenizer`` of ``transformers`` 5.23 takes the class that the files name, with two exceptions: models whose published files
are known to name a wrong one have a class of their own, and models without a class of their own use their tokenizer.json unchanged.
If no file names a class, the type of the model decides.
"""

from __future__ import annotations

from piecework.tokenizer._folders.families import BACKEND, FAMILIES, without_fast

_CLASSES = {
    model: name
    for family in FAMILIES
    for name, models in family.classes.items()
    for model in models.split()
}

BACKEND_MODELS = frozenset(model for model, name in _CLASSES.items() if name == BACKEND)
"""The types of models whose tokenizer.json is used unchanged, whatever class the files name."""

CLASS_OF_MODEL = {model: name for model, name in _CLASSES.items() if name != BACKEND}
"""The class of each other type of model."""

WRONGLY_NAMED = frozenset(
    "hyperclovax_vision_v2 qwen2 qwen3_5 qwen3_5_moe qwen3_5_moe_text qwen4_exp siglip2".split()
)
"""The types of models that have the class of the table, whatever class the files name."""


def class_that_reads(named: str | None, model_type: str | None) -> str | None:
    """Returns the class with which ``AutoTokenizer`` reads a folder.

    Args:
        named: The class that the configuration names, or None.
        model_type: The type of the model, or None.

    Returns:
        The class; None if the files decide nothing, so that a tokenizer.json is used unchanged.

    >>> class_that_reads("LlamaTokenizer", "qwen2"), class_that_reads("LlamaTokenizer", "mistral")
    ('Qwen2Tokenizer', 'TokenizersBackend')
    """
    own = CLASS_OF_MODEL.get(model_type or "")
    if named is None:
        return own
    if model_type in BACKEND_MODELS:
        return BACKEND
    is_replaced = model_type in WRONGLY_NAMED and without_fast(named) != own
    return own if is_replaced else named
