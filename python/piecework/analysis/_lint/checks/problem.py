"""Defines what a check yields."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Problem"]


class Problem(NamedTuple):
    """Describes one problem that a check found.

    Attributes:
        token: The entry; None if something is missing.
        id: The id of the entry, or the first missing id; None for none.
        reason: Why it is a problem.
    """

    token: str | None
    id: int | None
    reason: str
