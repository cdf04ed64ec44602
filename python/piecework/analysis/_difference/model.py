"""Finds the entries, merges and scores of two models that differ."""

from __future__ import annotations

import json
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from piecework.analysis._difference.result import IdChange, MergesChange, ScoreChange

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from piecework.tokenizer import Tokenizer

__all__ = ["ModelParts", "merges_change", "model_parts", "renumbered", "score_changes"]

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
