"""Defines findings, and the report of all of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

from piecework._immutable import Immutable, dataclass
from piecework.display import quoted, table_cell, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Finding", "LintReport", "Severity"]

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Finding(Immutable):
    """Describes one problem of a tokenizer.

    Attributes:
        rule: The name of the rule.
        severity: ``"error"`` for what certainly has no use or loses text, ``"warning"`` for what probably does, ``"note"`` for
            what is often intended.
        token: The entry; None if the finding is about something that is missing.
        display_token: The entry in readable form.
        id: The id of the entry, or the first missing id; None for none.
        reason: Why it is a problem.
        hint: A remedy.
    """

    rule: str
    severity: Severity
    token: str | None
    display_token: str | None
    id: int | None
    reason: str
    hint: str

    def __str__(self) -> str:
        """Returns the entry and the reason on one line."""
        if self.display_token is None:
            return visible(self.reason)
        return f"{quoted(table_cell(self.display_token))} ({self.id}): {visible(self.reason)}"


@dataclass(frozen=True, slots=True, repr=False)
class LintReport(Immutable):
    """Holds the findings about a tokenizer; true if there are any. Print it for a report.

    Attributes:
        findings: The findings, by rule and then in order of the ids.
        rules: The names of the rules that were checked.
    """

    findings: tuple[Finding, ...]
    rules: tuple[str, ...]

    def __bool__(self) -> bool:
        """Returns whether there are findings."""
        return bool(self.findings)

    def __len__(self) -> int:
        """Returns the number of findings."""
        return len(self.findings)

    @property
    def counts(self) -> dict[str, int]:
        """Returns the number of findings of each rule that has any."""
        return dict(Counter(finding.rule for finding in self.findings))

    def __repr__(self) -> str:
        """Returns the number of findings of each rule."""
        counts = ", ".join(f"{number:,} {rule}" for rule, number in self.counts.items())
        return f"<LintReport: {counts or 'no findings'}>"

    def __str__(self) -> str:
        """Returns a report with the first ten findings of each rule."""
        return self.report()

    def report(self, limit: int | None = 10) -> str:
        """Returns a report.

        Args:
            limit: The maximum number of findings of each rule; None for all.
        """
        return "\n".join(self._lines(limit))

    def _lines(self, limit: int | None) -> Iterator[str]:
        if not self.findings:
            yield "no findings"
        for rule, number in self.counts.items():
            own = [finding for finding in self.findings if finding.rule == rule]
            shown = own[:limit]
            yield f"{rule} ({own[0].severity}): {number:,}"
            yield from (f"  {finding}" for finding in shown)
            if number > len(shown):
                yield f"  … and {number - len(shown):,} more"
            yield from (f"  remedy: {hint}" for hint in dict.fromkeys(each.hint for each in own))

    def to_dict(self) -> dict[str, Any]:
        """Returns the findings as JSON values.

        Returns:
            The findings, their number by rule, and the rules that were checked.
        """
        return {
            "findings": [asdict(finding) for finding in self.findings],
            "counts": self.counts,
            "rules": list(self.rules),
        }
