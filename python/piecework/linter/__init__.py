"""Finds faults of a vocabulary: entries that no text produces, merges that never apply, missing bytes, and others."""

from piecework.linter.checking import lint
from piecework.linter.result import Finding, LintReport
from piecework.linter.rules import RULES, Rule

__all__ = ["RULES", "Finding", "LintReport", "Rule", "lint"]
