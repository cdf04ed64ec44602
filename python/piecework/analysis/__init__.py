"""Analyses tokenizers: compares, evaluates and lints them, and finds what differs between two versions."""

from piecework import _lazy

__getattr__, __dir__, __all__ = _lazy.lazily(
    __name__,
    {
        "_comparison": "Block Comparison Split compare",
        "_difference": "Difference IdChange MergesChange Outcome ScoreChange SettingChange TextChange diff",
        "_evaluation": "METRICS PARITY_METRICS Agreement ChangedText Disagreement Evaluation FailedLimit Metric Parity "
        "TextResult TextSums TokenizerResult evaluate",
        "_lint": "RULES Finding LintReport Rule lint",
    },
)
