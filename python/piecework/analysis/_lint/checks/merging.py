"""Finds merges that no word applies."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from piecework._display import quoted, table_cell, visible
from piecework.analysis._lint.checks.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework.analysis._lint.subject import Subject

__all__ = ["unused_merges"]

_REPEATED = "is listed again later, and only its last rank counts"
_NEVER_ADJACENT = (
    "is never applied: in every word, earlier merges join one of the two with something else"
)


def unused_merges(subject: Subject) -> Iterator[Problem]:
    """Iterates over the merges that no word applies; the entry of a problem is that of the merge."""
    tokenizer = subject.tokenizer
    unused = tokenizer._core.unused_merges()
    if not unused:
        return
    repetitions = Counter(map(tuple, subject.model["merges"]))
    for pair in unused:
        left, right = (tokenizer.id_to_token(number) or "" for number in pair)
        token = left + right.removeprefix(subject.prefix)
        shown = " + ".join(
            quoted(table_cell(visible(tokenizer.display_token(each)))) for each in (left, right)
        )
        repetitions[left, right] -= 1
        reason = _REPEATED if repetitions[left, right] else _NEVER_ADJACENT
        yield Problem(token, tokenizer.token_to_id(token), f"the merge {shown} {reason}")
