"""Shows the difference of two tokenizers as a document."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from piecework._display import abridged, visible
from piecework._show.document import Block, Line, Spans, Text, Token, Tree, listed, spaced

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework.analysis._difference.result import (
        Difference,
        IdChange,
        MergesChange,
        Outcome,
        ScoreChange,
        SettingChange,
        TextChange,
    )

_LONGEST_VALUE = 60
"""The maximum number of characters of a value of a setting."""
_LONGEST_TEXT = 200
"""The maximum number of characters of a text."""
_BEFORE, _SHOWN = 3, 30
"""The number of equal tokens before the first difference, and of all tokens that are shown of an encoding."""


def document(difference: Difference, limit: int | None) -> Iterator[Block]:
    """Iterates over a report with at most `limit` items of each list."""
    if difference.is_empty:
        yield Text("no difference")
        return
    yield Text(_fingerprints(difference))
    yield from _entries(difference, limit)
    yield from listed("settings", difference.settings, _setting, limit)
    title = "training record (changes no result)"
    yield from listed(title, difference.training, _setting, limit)
    if difference.merges is not None:
        yield _merges(difference.merges)
    yield from listed("entries with other scores", difference.scores, _change, limit)
    yield _texts(difference, limit)


def _fingerprints(difference: Difference) -> str:
    old, new = difference.fingerprints
    if difference.same_fingerprint:
        return f"fingerprint: {old} (equal: every text has the same ids)"
    return f"fingerprint: {old or 'none'} -> {new or 'none'}"


def _entries(difference: Difference, limit: int | None) -> Iterator[Block]:
    for title, entries in (("added", difference.added), ("removed", difference.removed)):
        yield from listed(f"entries {title}", list(entries.items()), _entry, limit)
    yield from listed("entries with other ids", difference.renumbered, _change, limit)
    if not difference.ids_compatible:
        yield Text("ids: some old ids have another meaning or none; embeddings do not fit")
    elif difference.added:
        yield Text("ids: every old id keeps its meaning")


def _entry(item: tuple[str, int]) -> Line:
    return Token(item[0]), f" ({item[1]})"


def _change(change: IdChange | ScoreChange) -> Line:
    return Token(change.token), f": {change.old} -> {change.new}"


def _setting(change: SettingChange) -> Line:
    return f"{change.path}: {_value(change.old)} -> {_value(change.new)}"


def _value(value: Any) -> str:
    text = visible(json.dumps(value, ensure_ascii=False))
    if len(text) <= _LONGEST_VALUE:
        return text
    return f"{text[:_LONGEST_VALUE]}… ({len(text):,} characters)"


def _merges(change: MergesChange) -> Block:
    title = "merges: the same in another order"
    if change.added or change.removed:
        title = f"merges: {len(change.added):,} added, {len(change.removed):,} removed"
    first = f"first difference at rank {change.rank}: "
    return Tree(title, [Text((first, *_pair(change.old), " -> ", *_pair(change.new)))])


def _pair(pair: tuple[str, str] | None) -> Spans:
    return ("none",) if pair is None else spaced(map(Token, pair))


def _texts(difference: Difference, limit: int | None) -> Block:
    changed, tried = difference.texts_changed, difference.texts_tried
    shown = difference.texts[:limit]
    hidden = changed - len(shown)
    more = [Text(f"… and {hidden:,} more")] if hidden else []
    title = f"texts: {changed:,} of {tried:,} are encoded differently"
    return Tree(title, [*map(_text, shown), *more])


def _text(change: TextChange) -> Block:
    place = "" if change.place is None else f"{change.place}: "
    note = " (the tokens are equal)" if change.only_ids else ""
    start = max(0, _first_difference(change) - _BEFORE)
    outcomes = (("- ", change.old), ("+ ", change.new))
    below = [Text((sign, *_outcome(change, outcome, start))) for sign, outcome in outcomes]
    return Tree((place, Token(abridged(change.text, _LONGEST_TEXT)), note), below)


def _first_difference(change: TextChange) -> int:
    """Returns the number of tokens at the start that both encodings have."""
    pairs = zip(change.old.ids, change.new.ids, change.old.tokens, change.new.tokens, strict=False)
    number = 0
    for old_id, new_id, old, new in pairs:
        if old != new or (change.only_ids and old_id != new_id):
            break
        number += 1
    return number


def _outcome(change: TextChange, outcome: Outcome, start: int) -> Spans:
    """Returns the tokens of an encoding around the first difference, their ids if only these differ, or the error."""
    if outcome.error is not None:
        return (f"error: {outcome.error}",)
    shown = slice(start, start + _SHOWN)
    before = (f"… ({start:,} equal tokens) ",) if start else ()
    rest = len(outcome.ids) - start - _SHOWN
    after = (f" … ({rest:,} more tokens)",) if rest > 0 else ()
    if change.only_ids:
        return (*before, " ".join(map(str, outcome.ids[shown])), *after)
    return (*before, *spaced(map(Token, outcome.display_tokens[shown])), *after)
