"""Analyses tokenizers: compares, evaluates and lints them, and finds what differs between two versions."""

from piecework.analysis._comparison import (
    Block as Block,
    Comparison as Comparison,
    Split as Split,
    compare as compare,
)
from piecework.analysis._difference import (
    Difference as Difference,
    IdChange as IdChange,
    MergesChange as MergesChange,
    Outcome as Outcome,
    ScoreChange as ScoreChange,
    SettingChange as SettingChange,
    TextChange as TextChange,
    diff as diff,
)
from piecework.analysis._evaluation import (
    METRICS as METRICS,
    PARITY_METRICS as PARITY_METRICS,
    Agreement as Agreement,
    ChangedText as ChangedText,
    Disagreement as Disagreement,
    Evaluation as Evaluation,
    FailedLimit as FailedLimit,
    Metric as Metric,
    Parity as Parity,
    TextResult as TextResult,
    TextSums as TextSums,
    TokenizerResult as TokenizerResult,
    evaluate as evaluate,
)
from piecework.analysis._lint import (
    RULES as RULES,
    Finding as Finding,
    LintReport as LintReport,
    Rule as Rule,
    lint as lint,
)
