"""Finds faults of a vocabulary: entries that no text produces, merges that never apply, missing bytes, and others."""

from piecework.analysis._lint.checking import lint
from piecework.analysis._lint.result import Finding, LintReport
from piecework.analysis._lint.rules import RULES, Rule

__all__ = ["RULES", "Finding", "LintReport", "Rule", "lint"]
