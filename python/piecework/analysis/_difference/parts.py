"""Finds the settings of two tokenizers that differ."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from piecework.analysis._difference.result import SettingChange

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework.analysis._difference.model import ModelParts
    from piecework.tokenizer import Tokenizer
    from piecework.tokenizer._training_info import TrainingInfo

__all__ = ["setting_changes", "training_changes"]


def setting_changes(
    old: Tokenizer, new: Tokenizer, models: tuple[ModelParts, ModelParts]
) -> Iterator[SettingChange]:
    """Iterates over the settings that differ, of all stages, added tokens and the model."""
    one, other = models
    yield from _changes(
        "$", {**_parts(old), "model": one.settings}, {**_parts(new), "model": other.settings}
    )
    if old._functions != new._functions:
        yield SettingChange("$.pre_tokenizer.function", _function_names(old), _function_names(new))


def _parts(tokenizer: Tokenizer) -> dict[str, Any]:
    """Returns all stages, and the added tokens by their contents, since ids are compared as entries."""
    flags = ("single_word", "lstrip", "rstrip", "normalized", "special")
    added = {
        token.content: {name: getattr(token, name) for name in flags}
        for token in tokenizer.added_tokens.values()
    }
    return {
        **tokenizer._parts,
        "added_tokens": added,
        "control_symbols": list(tokenizer.control_symbols),
    }


def _function_names(tokenizer: Tokenizer) -> list[str]:
    """Returns the names of Python functions of the pre-tokenizer."""
    return [getattr(each, "__qualname__", repr(each)) for each in tokenizer._functions]


def training_changes(old: Tokenizer, new: Tokenizer) -> Iterator[SettingChange]:
    """Iterates over the parts of the training record that differ; lists of merges, steps and counts as their lengths."""
    one, other = old.training, new.training
    yield from _changes("$.training.trainer", one.trainer, other.trainer)
    yield from _changes("$.training.counts_sha256", one.counts_sha256, other.counts_sha256)
    lists: dict[str, tuple[Any, Any]] = {
        "token_counts": (one.token_counts, other.token_counts),
        "history": (one.history, other.history),
        # A file does not store the removed pieces.
        "steps": (_steps(one), _steps(other)),
    }
    for name, (ours, theirs) in lists.items():
        if ours != theirs:
            yield SettingChange(f"$.training.{name}", _length(ours), _length(theirs))


def _steps(info: TrainingInfo) -> list[tuple[int, float | None]]:
    return [(step.pieces, step.log_likelihood) for step in info.steps]


def _length(values: Any) -> str | None:
    return None if values is None else f"<{len(values):,}>"


def _changes(path: str, old: Any, new: Any) -> Iterator[SettingChange]:
    """Iterates over the values of two JSON trees that differ, with their paths; components of two types as a whole."""
    is_one_kind = (
        isinstance(old, dict) and isinstance(new, dict) and old.get("type") == new.get("type")
    )
    if is_one_kind:
        for name in {**old, **new}:
            yield from _changes(f"{path}{_member(name)}", old.get(name), new.get(name))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _changes(f"{path}[{index}]", one, other)
    elif type(old) is not type(new) or old != new:
        yield SettingChange(path, old, new)


def _member(name: str) -> str:
    is_plain = name.isascii() and name.replace("_", "a").isalnum()
    return f".{name}" if is_plain else f"[{json.dumps(name, ensure_ascii=False)}]"
