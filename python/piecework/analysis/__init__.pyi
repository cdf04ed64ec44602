"""Analyses tokenizers: compares, evaluates and lints them, and finds what differs between two versions."""

from piecework.analysis._comparison.comparison import (
    Block as Block,
    Comparison as Comparison,
    Split as Split,
    compare as compare,
)
from piecework.analysis._difference.compare import diff as diff
from piecework.analysis._difference.result import (
    Difference as Difference,
    IdChange as IdChange,
    MergesChange as MergesChange,
    Outcome as Outcome,
    ScoreChange as ScoreChange,
    SettingChange as SettingChange,
    TextChange as TextChange,
)
from piecework.analysis._evaluation.agreement import (
    Agreement as Agreement,
    Disagreement as Disagreement,
)
from piecework.analysis._evaluation.evaluate import evaluate as evaluate
from piecework.analysis._evaluation.limits import FailedLimit as FailedLimit
from piecework.analysis._evaluation.metrics import (
    METRICS as METRICS,
    PARITY_METRICS as PARITY_METRICS,
    Metric as Metric,
)
from piecework.analysis._evaluation.result import (
    Evaluation as Evaluation,
    Parity as Parity,
    TextResult as TextResult,
    TokenizerResult as TokenizerResult,
)
from piecework.analysis._evaluation.sums import ChangedText as ChangedText, TextSums as TextSums
from piecework.analysis._lint.checking import lint as lint
from piecework.analysis._lint.result import Finding as Finding, LintReport as LintReport
from piecework.analysis._lint.rules import RULES as RULES, Rule as Rule
