"""Analyses tokenizers: compares, evaluates and lints them, and finds what differs between two versions."""

from piecework import _lazy

__getattr__, __dir__, __all__ = _lazy.lazily(
    __name__,
    {
        "_comparison.comparison": "Block Comparison Split compare",
        "_difference.result": "Difference IdChange MergesChange Outcome ScoreChange SettingChange TextChange",
        "_difference.compare": "diff",
        "_evaluation.metrics": "METRICS PARITY_METRICS Metric",
        "_evaluation.agreement": "Agreement Disagreement",
        "_evaluation.sums": "ChangedText TextSums",
        "_evaluation.result": "Evaluation Parity TextResult TokenizerResult",
        "_evaluation.limits": "FailedLimit",
        "_evaluation.evaluate": "evaluate",
        "_lint.rules": "RULES Rule",
        "_lint.result": "Finding LintReport",
        "_lint.checking": "lint",
    },
)
