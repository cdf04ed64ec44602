"""Counts the outcomes of trials, and prints them as a table, with a line for each promise that was broken."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from torture.trials import BROKEN, DONE, MEMORY, OWN

if TYPE_CHECKING:
    from torture.trials import Outcome

HEAD = (
    f"{'kind':<11} {'what':<44} {'trials':>7} {DONE:>7} {OWN:>10} {MEMORY:>11} {BROKEN:>7} {'worst s':>8} "
    f"{'peak MB':>8} {'left over':>9}"
)


@dataclass
class Row:
    """Holds the counts of the trials of one subject."""

    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys((DONE, OWN, MEMORY, BROKEN), 0)
    )
    seconds: float = 0.0
    megabytes: int = 0
    left: int = 0

    def add(self, outcome: Outcome) -> None:
        """Counts a trial."""
        self.counts[outcome.how] += 1
        self.seconds = max(self.seconds, outcome.seconds)
        self.megabytes = max(self.megabytes, outcome.megabytes)
        self.left += outcome.left

    def shown(self, kind: str, what: str) -> str:
        """Returns the line of the table."""
        counts = self.counts
        return (
            f"{kind:<11} {what:<44} {sum(counts.values()):>7,} {counts[DONE]:>7,} {counts[OWN]:>10,} "
            f"{counts[MEMORY]:>11,} {counts[BROKEN]:>7,} {self.seconds:>8.2f} {self.megabytes:>8,} {self.left:>9,}"
        )


class Table:
    """Counts the outcomes of one kind of trials, and prints what was broken as it happens, once for each cause."""

    def __init__(self, kind: str) -> None:
        """Starts without trials."""
        self._kind = kind
        self._rows: dict[str, Row] = {}
        self._causes: dict[str, int] = {}

    def add(self, outcome: Outcome) -> None:
        """Counts a trial."""
        self._rows.setdefault(outcome.what, Row()).add(outcome)
        if outcome.how != BROKEN:
            return
        cause = f"{outcome.what}: {_cause(outcome.details)}"
        self._causes[cause] = self._causes.get(cause, 0) + 1
        if self._causes[cause] == 1:
            repeat = f"--only {self._kind} --seed {outcome.seed} --trials 1"
            print(f"broken: {self._kind}, {outcome.what}: {outcome.details} [{repeat}]", flush=True)

    def print(self) -> None:
        """Prints a line for each subject."""
        for what, row in sorted(self._rows.items()):
            print(row.shown(self._kind, what), flush=True)

    @property
    def broken(self) -> int:
        """Returns the number of trials that broke a promise."""
        return sum(row.counts[BROKEN] for row in self._rows.values())


def _cause(details: str) -> str:
    """Returns what is equal for failures of one cause: without numbers, and without the message of an exception."""
    return re.sub("[0-9]+", "N", re.sub(r":.*(?= \()", "", details))
