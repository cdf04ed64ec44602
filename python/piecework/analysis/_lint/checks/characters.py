"""Finds entries with control and invisible characters."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import category

from piecework._display import describe_character
from piecework.analysis._lint.checks.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework.analysis._lint.subject import Subject

__all__ = ["control_characters"]

_ORDINARY = "\t\n\r"
_CATEGORIES = {"Cc", "Cf", "Zl", "Zp"}
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
"""What stands for broken text; a printable character."""


def control_characters(subject: Subject) -> Iterator[Problem]:
    """Iterates over the entries with control characters; single bytes are left out, since they complete the bytes."""
    for entry in subject.entries:
        data = entry.data
        if data is None or (subject.is_byte_level and len(data) == 1):
            continue
        text = data.decode("utf-8", "ignore")
        if text.isprintable() and _REPLACEMENT not in text:
            continue
        found = dict.fromkeys(filter(_is_control, text))
        if found:
            yield Problem(
                entry.token, entry.id, f"it contains {', '.join(map(describe_character, found))}"
            )


def _is_control(c: str) -> bool:
    return c == _REPLACEMENT or (category(c) in _CATEGORIES and c not in _ORDINARY)
