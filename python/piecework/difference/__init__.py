"""Compares two versions of a tokenizer: entries, settings, merges, scores, and the texts that they encode differently."""

from piecework.difference.compare import diff
from piecework.difference.result import (
    Difference,
    MergesChange,
    Outcome,
    Renumbered,
    ScoreChange,
    SettingChange,
    TextChange,
)

__all__ = [
    "Difference",
    "MergesChange",
    "Outcome",
    "Renumbered",
    "ScoreChange",
    "SettingChange",
    "TextChange",
    "diff",
]
