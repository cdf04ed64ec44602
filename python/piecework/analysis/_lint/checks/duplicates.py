"""Finds entries that differ only by case or white space."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._display import quoted, table_cell
from piecework.analysis._lint.checks.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from piecework.analysis._lint.subject import Entry, Subject

__all__ = ["by_case", "by_space"]


def by_case(subject: Subject) -> Iterator[Problem]:
    """Iterates over the entries that differ from an earlier one only by case."""

    def key(entry: Entry, text: str) -> Hashable:
        return text.lower(), entry.continues, entry.ends

    return _repeated(subject, key, "case")


def by_space(subject: Subject) -> Iterator[Problem]:
    """Iterates over the entries that differ from an earlier one only by white space; those of white space alone are left out."""

    def key(entry: Entry, text: str) -> Hashable:
        spaced = text.replace("▁", " ") if subject.writes_metaspaces else text
        bare = "".join(spaced.split())
        return (bare, entry.continues, entry.ends) if bare else None

    return _repeated(subject, key, "white space")


def _repeated(
    subject: Subject, key: Callable[[Entry, str], Hashable], difference: str
) -> Iterator[Problem]:
    """Iterates over the entries with the key of an earlier one; None is not a key."""
    first: dict[Hashable, Entry] = {}
    for entry in subject.entries:
        text = entry.text
        own = None if text is None else key(entry, text)
        if own is None:
            continue
        other = first.setdefault(own, entry)
        if other is not entry:
            shown = quoted(table_cell(subject.tokenizer.display_token(other.token)))
            yield Problem(
                entry.token, entry.id, f"it differs from {shown} ({other.id}) only by {difference}"
            )
