"""Finds entries that no text produces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework.analysis._lint.checks.problem import Problem
from piecework.analysis._lint.reachability import unproduced_entries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework.analysis._lint.subject import Subject

__all__ = ["not_produced", "unreachable"]


def unreachable(subject: Subject) -> Iterator[Problem]:
    """Iterates over the entries that certainly no text produces."""
    for entry, reason in subject.once(unproduced_entries).certain:
        yield Problem(entry.token, entry.id, reason)


def not_produced(subject: Subject) -> Iterator[Problem]:
    """Iterates over the entries that no tried text produced, and that may have a text nevertheless."""
    for entry, reason in subject.once(unproduced_entries).unknown:
        yield Problem(entry.token, entry.id, reason)
