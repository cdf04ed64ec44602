"""Defines findings, and the report of all of them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Literal

from piecework._result import Result
from piecework._settings.immutable import Record, dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._show.document import Block, Line

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Finding(Record):
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
        from piecework._show.terminal import line_text

        return line_text(self._line())

    def _line(self) -> Line:
        from piecework._show.document import Token

        if self.display_token is None:
            return self.reason
        return Token(self.display_token, f"id {self.id}"), f" ({self.id}): {self.reason}"


@dataclass(frozen=True, slots=True, repr=False)
class LintReport(Result["Finding"]):
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

    @property
    def counts(self) -> dict[str, int]:
        """Returns the number of findings of each rule that has any."""
        return dict(Counter(finding.rule for finding in self.findings))

    @property
    def _rows(self) -> tuple[Finding, ...]:
        return self.findings

    def _summary(self) -> str:
        counts = (f"{number:,} {rule}" for rule, number in self.counts.items())
        return ", ".join(counts) or "no findings"

    def report(self, limit: int | None = 10) -> str:
        """Returns a report.

        Args:
            limit: The maximum number of findings of each rule; None for all.
        """
        from piecework._show.terminal import as_text

        return as_text(self._document(limit))

    def _document(self, limit: int | None = 10) -> Iterator[Block]:
        """Iterates over the rules with their first findings and the remedies."""
        from piecework._show.document import Text, Tree, listed

        if not self.findings:
            yield Text("no findings")
        for rule in self.counts:
            own = [finding for finding in self.findings if finding.rule == rule]
            (tree,) = listed(f"{rule} ({own[0].severity})", own, Finding._line, limit)
            remedies = [
                Text(f"remedy: {hint}") for hint in dict.fromkeys(each.hint for each in own)
            ]
            yield Tree(tree.line, [*tree.blocks, *remedies])

    def to_dict(self) -> dict[str, Any]:
        """Returns the findings as JSON values.

        Returns:
            The findings, their number by rule, and the rules that were checked.
        """
        return {**Record.to_dict(self), "counts": self.counts}
