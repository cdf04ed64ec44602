"""Compares two versions of a tokenizer: entries, settings, merges, scores, and the texts that they encode differently."""

from piecework.analysis._difference.compare import diff
from piecework.analysis._difference.result import (
    Difference,
    IdChange,
    MergesChange,
    Outcome,
    ScoreChange,
    SettingChange,
    TextChange,
)

__all__ = [
    "Difference",
    "IdChange",
    "MergesChange",
    "Outcome",
    "ScoreChange",
    "SettingChange",
    "TextChange",
    "diff",
]
