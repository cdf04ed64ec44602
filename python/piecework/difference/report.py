"""Writes the difference of two tokenizers as text."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Any

from piecework.display import quoted, table_cell, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence, Sized

    from piecework.difference.result import (
        Difference,
        MergesChange,
        Outcome,
        SettingChange,
        TextChange,
    )

__all__ = ["lines", "summary"]

_LONGEST_VALUE = 60
"""The maximum number of characters of a value of a setting."""


def summary(difference: Difference) -> str:
    """Returns the numbers of changes on one line."""
    numbers = {
        "added": difference.added,
        "removed": difference.removed,
        "renumbered": difference.renumbered,
        "settings": difference.settings,
        "scores": difference.scores,
    }
    parts = [f"{len(each):,} {name}" for name, each in numbers.items() if each]
    if difference.merges is not None:
        parts.append("other merges")
    if difference.texts_changed:
        parts.append(f"{difference.texts_changed:,} of {difference.texts_tried:,} texts")
    if difference.training:
        parts.append("another training record")
    return ", ".join(parts) or "none"


def lines(difference: Difference, limit: int | None) -> Iterator[str]:
    """Iterates over the lines of a report with at most `limit` items of each list."""
    if difference.is_empty:
        yield "no difference"
        return
    yield from _fingerprints(difference)
    yield from _entries(difference, limit)
    for title, changes in (
        ("settings", difference.settings),
        ("training record (changes no result)", difference.training),
    ):
        yield from _listed(title, changes, _setting, limit)
    if difference.merges is not None:
        yield from _merges(difference.merges)
    yield from _listed(
        "entries with other scores",
        difference.scores,
        lambda each: f"{_token(each.token)}: {each.old} -> {each.new}",
        limit,
    )
    yield (
        f"texts: {difference.texts_changed:,} of {difference.texts_tried:,} are encoded differently"
    )
    for change in islice(difference.texts, limit):
        yield from _text(change)
    hidden = difference.texts_changed - min(len(difference.texts), _or_all(limit, difference.texts))
    if hidden:
        yield f"  … and {hidden:,} more"


def _fingerprints(difference: Difference) -> Iterator[str]:
    old, new = difference.fingerprints
    if difference.same_fingerprint:
        yield f"fingerprint: {old} (equal: every text has the same ids)"
    else:
        yield f"fingerprint: {old or 'none'} -> {new or 'none'}"


def _entries(difference: Difference, limit: int | None) -> Iterator[str]:
    for title, entries in (
        ("entries added", difference.added),
        ("entries removed", difference.removed),
    ):
        items = list(entries.items())
        yield from _listed(title, items, lambda item: f"{_token(item[0])} ({item[1]})", limit)
    yield from _listed(
        "entries with other ids",
        difference.renumbered,
        lambda each: f"{_token(each.token)}: {each.old} -> {each.new}",
        limit,
    )
    if not difference.ids_compatible:
        yield "ids: some old ids have another meaning or none; embeddings do not fit"
    elif difference.added:
        yield "ids: every old id keeps its meaning"


def _listed(
    title: str, items: Sequence[Any], line: Callable[[Any], str], limit: int | None
) -> Iterator[str]:
    """Iterates over a title with the number of items, and the first items."""
    if not items:
        return
    yield f"{title}: {len(items):,}"
    for item in islice(items, limit):
        yield f"  {line(item)}"
    if len(items) > _or_all(limit, items):
        yield f"  … and {len(items) - _or_all(limit, items):,} more"


def _or_all(limit: int | None, items: Sized) -> int:
    return len(items) if limit is None else limit


def _token(token: str) -> str:
    return quoted(table_cell(visible(token)))


def _setting(change: SettingChange) -> str:
    return f"{visible(change.path)}: {_value(change.old)} -> {_value(change.new)}"


def _value(value: Any) -> str:
    text = visible(json.dumps(value, ensure_ascii=False))
    if len(text) <= _LONGEST_VALUE:
        return text
    return f"{text[:_LONGEST_VALUE]}… ({len(text):,} characters)"


def _merges(change: MergesChange) -> Iterator[str]:
    if change.added or change.removed:
        yield f"merges: {len(change.added):,} added, {len(change.removed):,} removed"
    else:
        yield "merges: the same in another order"
    pairs = (_pair(change.old), _pair(change.new))
    yield f"  first difference at rank {change.rank}: {pairs[0]} -> {pairs[1]}"


def _pair(pair: tuple[str, str] | None) -> str:
    return "none" if pair is None else " ".join(map(_token, pair))


def _text(change: TextChange) -> Iterator[str]:
    place = "" if change.place is None else f"{visible(change.place)}: "
    note = " (the tokens are equal)" if change.only_ids else ""
    text = quoted(table_cell(visible(change.text)))
    yield f"  {place}{text}{note}"
    for sign, outcome in (("-", change.old), ("+", change.new)):
        yield f"    {sign} {_outcome(outcome, with_ids=change.only_ids)}"


def _outcome(outcome: Outcome, *, with_ids: bool) -> str:
    if outcome.error is not None:
        return f"error: {visible(outcome.error)}"
    if with_ids:
        return " ".join(map(str, outcome.ids))
    return " ".join(quoted(table_cell(token)) for token in outcome.display_tokens)
