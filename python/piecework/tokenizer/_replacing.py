"""Replaces parts of a tokenizer and settings of its model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from piecework._messages import shown
from piecework._settings.arguments import check_positive
from piecework.errors import ConfigError
from piecework.tokenizer._checks import (
    checked_limit,
    checked_part,
    checked_probabilities,
    checked_text,
    refuse_unknown,
)
from piecework.tokenizer._settings import LIMITS, MODEL, Changes

MOST_RETRIES = (1 << 64) - 1
"""The largest limit of retries that the core has."""

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from piecework._core import Tokenizer as CoreTokenizer
    from piecework._settings.choices import Segmentation, UnknownPolicy
    from piecework.tokenizer._tokenizer import Tokenizer

    Functions = Sequence[Callable[[str], object]]


def replaced(tok: Tokenizer, changes: Changes) -> tuple[CoreTokenizer, Functions]:
    """Returns the core and the Python functions of a tokenizer with some parts or settings replaced."""
    refuse_unknown(changes, Changes.__optional_keys__, "the parts and settings of a tokenizer")
    settings: Any = {name: value for name, value in changes.items() if name in MODEL}
    parts: Any = {name: value for name, value in changes.items() if name not in MODEL}
    core = tok._core
    functions: Functions = tok._functions
    if settings:
        core = _with_settings(tok, settings)
    if parts:
        text, functions = _parts_json(tok, parts)
        core = core.with_parts(text, functions)
    return core, functions


def _with_settings(tok: Tokenizer, settings: dict[str, Any]) -> CoreTokenizer:
    """Returns the core of a tokenizer with other settings of its WordPiece model."""
    prefix, unk_token, unknown, limit, segmentation = tok._core.model()
    new_token = settings.get("unk_token", unk_token)
    if new_token is not None:
        checked_text("unk_token", new_token)
    if "unk_token" in settings and new_token is not None and tok.token_to_id(new_token) is None:
        raise ConfigError(f"the unknown token {shown(new_token)} is not in the vocabulary")
    model = (
        prefix,
        new_token,
        cast("UnknownPolicy", checked_text("unknown", settings.get("unknown", unknown))),
        checked_limit(settings.get("max_input_chars_per_word", limit)),
        cast(
            "Segmentation",
            checked_text("segmentation", settings.get("segmentation", segmentation)),
        ),
    )
    probabilities = settings["probabilities"] or {} if "probabilities" in settings else None
    return tok._core.with_model(model, checked_probabilities(probabilities))


def _parts_json(tok: Tokenizer, parts: dict[str, Any]) -> tuple[str, Functions]:
    """Returns parts as JSON, and the Python functions among them."""
    from piecework._settings.component import numbered
    from piecework.decoders import Decoder
    from piecework.normalizers import Normalizer
    from piecework.pre_tokenizers import PreTokenizer
    from piecework.processors import PostProcessor
    from piecework.tokenizer._padding import limit_values
    from piecework.tokenizer._phrases import warn_of_foreign_phrases

    bases: dict[str, Any] = {
        "normalizer": Normalizer,
        "pre_tokenizer": PreTokenizer,
        "post_processor": PostProcessor,
        "decoder": Decoder,
    }
    tree: dict[str, Any] = {}
    for name, part in parts.items():
        if name in bases:
            tree[name] = None if part is None else checked_part(name, part, bases[name])._write()
        elif name in LIMITS:
            tree[name] = limit_values(name, part, tok)
        elif name == "regex_retries":
            check_positive(name, part)
            tree[name] = part and min(part, MOST_RETRIES)
    if "pre_tokenizer" not in parts and tok._functions:
        tree["pre_tokenizer"] = tok.pre_tokenizer and tok.pre_tokenizer._write()
    if "normalizer" in parts or "pre_tokenizer" in parts:
        both = {"normalizer": tok.normalizer, "pre_tokenizer": tok.pre_tokenizer} | parts
        warn_of_foreign_phrases(both["normalizer"], both["pre_tokenizer"])
    text, functions = numbered(tree)
    return text, functions
