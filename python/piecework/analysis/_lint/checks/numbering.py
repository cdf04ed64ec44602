"""Finds gaps between ids, and inserted tokens with ids that are not their own."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from piecework.analysis._lint.checks.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework.analysis._lint.subject import Subject

__all__ = ["gaps", "mismatched_ids"]


def gaps(subject: Subject) -> Iterator[Problem]:
    """Iterates over the ranges of ids without an entry."""
    ids = sorted(subject.tokenizer.vocab.values())
    for before, after in pairwise([-1, *ids]):
        first, last = before + 1, after - 1
        if first == last:
            yield Problem(None, first, f"id {first} has no entry")
        elif first < last:
            number = last - first + 1
            yield Problem(None, first, f"{number:,} ids have no entry: {first} to {last}")


def mismatched_ids(subject: Subject) -> Iterator[Problem]:
    """Iterates over the tokens that post-processing or padding insert with the id of another token, or of none."""
    for each in subject.tokenizer._mismatched_ids():
        yield Problem(each.token, each.id, f"{each.part}: {each.problem}")
