"""Finds what differs between two tokenizers: settings of all stages, and entries, merges and scores of their models."""

from __future__ import annotations

import json
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from piecework.analysis._difference.result import (
    IdChange,
    MergesChange,
    ScoreChange,
    SettingChange,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from piecework.tokenizer import Tokenizer
    from piecework.tokenizer._training_info import TrainingInfo

Pair = tuple[str, str]

_NOT_SETTINGS = ("version", "training", "fingerprint", "decoder", "probabilities")
"""The members of `model.piecework` that are compared elsewhere, or not at all."""
_DEFAULTS: dict[str, dict[str, Any]] = {
    "WordPiece": {"unknown": "word", "has_unk": True, "segmentation": "longest", "dropout": None},
    "BPE": {"ranks": None, "suffix_style": None, "unused": None},
    "Unigram": {"precision": "float64", "user_defined": [], "reserved": []},
    "WordLevel": {},
}
"""The members of `model.piecework` that are absent, by the type of the model."""


class ModelParts(NamedTuple):
    """Holds what a model consists of besides its vocabulary.

    Attributes:
        settings: The settings as JSON values.
        merges: The merges of BPE, in order.
        scores: The values of entries that decide segmentations: scores of Unigram, probabilities or counts of WordPiece.
    """

    settings: dict[str, Any]
    merges: list[Pair]
    scores: dict[str, float]


def model_parts(tokenizer: Tokenizer) -> ModelParts:
    """Returns the parts of the model of a tokenizer."""
    model = json.loads(tokenizer._core.model_json())
    vocab, merges = model.pop("vocab"), model.pop("merges", [])
    ours = model.pop("piecework", None) or {}
    # The type names the settings that `tokenizers` lacks, which are compared themselves.
    model["type"] = model["type"].removeprefix("piecework.")
    settings = {**_DEFAULTS[model["type"]], **ours}
    model |= {name: value for name, value in settings.items() if name not in _NOT_SETTINGS}
    # A merge is a list of two entries, or in old files a string with a space.
    pairs = [tuple(merge.split(" ") if isinstance(merge, str) else merge) for merge in merges]
    if isinstance(vocab, list):
        return ModelParts(model, pairs, dict(map(tuple, vocab)))
    return ModelParts(model, pairs, _deciding(tokenizer, ours))


def _deciding(tokenizer: Tokenizer, ours: Mapping[str, Any]) -> dict[str, float]:
    """Returns the probabilities or counts of WordPiece that decide segmentations; otherwise none."""
    if ours.get("segmentation") != "likeliest":
        return {}
    probabilities: dict[str, float] | None = ours.get("probabilities")
    return dict(tokenizer.training.token_counts or {}) if probabilities is None else probabilities


def renumbered(old: Mapping[str, int], new: Mapping[str, int]) -> Iterator[IdChange]:
    """Iterates over the entries of both vocabularies with other ids."""
    for token, number in old.items():
        other = new.get(token, number)
        if other != number:
            yield IdChange(token, number, other)


def merges_change(old: list[Pair], new: list[Pair]) -> MergesChange | None:
    """Returns how two lists of merges differ; None if they are equal."""
    if old == new:
        return None
    pairs = enumerate(zip_longest(old, new))
    rank, one, other = next((rank, *pair) for rank, pair in pairs if pair[0] != pair[1])
    ours, theirs = set(old), set(new)
    added = tuple(pair for pair in new if pair not in ours)
    removed = tuple(pair for pair in old if pair not in theirs)
    return MergesChange(rank, one, other, added, removed)


def score_changes(
    old: Mapping[str, float], new: Mapping[str, float], entries: Iterator[str]
) -> Iterator[ScoreChange]:
    """Iterates over those of some entries with other values."""
    for token in entries:
        if old.get(token) != new.get(token):
            yield ScoreChange(token, old.get(token), new.get(token))


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
        "untrusted": tokenizer._view and tokenizer._view._asdict(),
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
