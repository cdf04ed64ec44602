"""Checks a tokenizer by the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._messages import did_you_mean, shown, wrong_type
from piecework._settings.arguments import check_iterable, check_str
from piecework.analysis._lint.result import Finding, LintReport
from piecework.analysis._lint.rules import RULES, Problem, Rule
from piecework.analysis._lint.subject import Subject
from piecework.errors import ConfigError
from piecework.tokenizer._arguments import TokenizerLike, as_tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from piecework.tokenizer import Tokenizer

_SEVERITIES = ("error", "warning", "note")


def lint(
    tokenizer: TokenizerLike, *, select: Iterable[str] | None = None, ignore: Iterable[str] = ()
) -> LintReport:
    r"""Checks a tokenizer for faults of its vocabulary and its settings.

    Args:
        tokenizer: The tokenizer; of a view for untrusted texts, the ordinary one is checked.
        select: The names of the rules to check (:data:`piecework.analysis._lint.RULES`), or severities: ``"error"``, ``"warning"``,
            ``"note"``. None for all.
        ignore: The names of rules not to check, or severities.

    Returns:
        The findings, by rule; print them for a report. Encodings are those without sampling and without added special tokens.

    Raises:
        ConfigError: A name is neither that of a rule nor a severity.

    >>> import piecework as pw
    >>> report = pw.lint(pw.Tokenizer.from_str("[UNK]\nhug\n##s\nHug\n"), select=["unreachable"])
    >>> print(report)
    unreachable (error): 1
      Hug (3): the normalizer never writes 'H' (U+0048)
      remedy: remove them, or use them for added tokens
    """
    tokenizer = as_tokenizer("tokenizer", tokenizer)._viewed(None)
    selected = None if select is None else _names("select", select)
    ignored = _names("ignore", ignore)
    rules = [
        rule
        for rule in RULES
        if (selected is None or rule.name in selected) and rule.name not in ignored
    ]
    subject = Subject(tokenizer)
    findings = [
        _finding(tokenizer, rule, problem) for rule in rules for problem in rule.check(subject)
    ]
    return LintReport(tuple(findings), tuple(rule.name for rule in rules))


def _names(setting: str, given: Iterable[str]) -> frozenset[str]:
    """Returns the names of the rules that are given by name or severity."""
    if isinstance(given, str):
        raise wrong_type(setting, "an iterable of names of rules", given)
    names = set[str]()
    for each in check_iterable(setting, given, "an iterable of names of rules"):
        check_str(setting, each)
        found = {rule.name for rule in RULES if each in {rule.name, rule.severity}}
        if not found and each not in _SEVERITIES:
            known = [rule.name for rule in RULES]
            problem = f"{shown(each)} is neither a rule nor a severity"
            hint = did_you_mean(each, [*known, *_SEVERITIES]) or f"choose from {', '.join(known)}"
            raise ConfigError(problem, setting=setting, hint=hint)
        names |= found
    return frozenset(names)


def _finding(tokenizer: Tokenizer, rule: Rule, problem: Problem) -> Finding:
    token = problem.token
    displayed = None if token is None else tokenizer.display_token(token)
    return Finding(
        rule.name, rule.severity, token, displayed, problem.id, problem.reason, rule.remedy
    )
