"""Added tokens as the core reads them, in runs; it imports little, since `piecework.hf` needs it on import."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

TokenRun = tuple[tuple[bool, bool, bool, bool, bool], list[str]]
"""Flags, and the texts of tokens with these flags."""


def runs_of(rows: Iterable[tuple[str, bool, bool, bool, bool, bool]]) -> list[TokenRun]:
    """Returns added tokens and their flags as the core reads them: runs of equal flags, and the texts of each.

    >>> runs_of([("<a>", *[False] * 5), ("<b>", *[False] * 5)])
    [((False, False, False, False, False), ['<a>', '<b>'])]
    """
    runs = groupby(rows, itemgetter(1, 2, 3, 4, 5))
    return [(flags, [row[0] for row in run]) for flags, run in runs]
