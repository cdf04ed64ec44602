"""Lists the merges of a word by a BPE model; simple, while the core is optimized."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from piecework.models import BPE

__all__ = ["Merging"]

Step = tuple[int, str, str, str]
"""A merge: its number from 1, left, right, and the merged token."""


class Merging:
    """Finds the merges of tokens in a BPE model.

    >>> from piecework.models import BPE
    >>> merging = Merging(BPE(["h", "u", "g", "ug", "hug"], [("u", "g"), ("h", "ug")]))
    >>> merging.steps("hug")
    [(1, 'u', 'g', 'ug'), (2, 'h', 'ug', 'hug')]
    """

    def __init__(self, model: BPE) -> None:
        """Builds the table of merge ranks."""
        self._prefix = model.continuing_subword_prefix or ""
        self._suffix = model.end_of_word_suffix or ""
        self._is_separate = model.suffix_style == "separate"
        # For a duplicate pair the last rank applies.
        self._merge_ranks = {pair: rank for rank, pair in enumerate(model.merges)}
        self._ranks = model.ranks
        self._vocab = model.vocab

    def steps(self, token: str) -> list[Step]:
        """Returns the merges that create a token from its characters, in order.

        Args:
            token: A token of the vocabulary.

        Returns:
            The merges; empty for a character, and for a token that no merges create.
        """
        parts, steps = self._characters(token), list[Step]()
        while len(parts) > 1:
            # The leftmost pair of the lowest rank.
            ranked = [(self._rank(*pair), i) for i, pair in enumerate(pairwise(parts))]
            best = min(((rank, i) for rank, i in ranked if rank is not None), default=None)
            if best is None:
                return []
            rank, i = best
            merged = self._joined(parts[i], parts[i + 1])
            steps.append((rank + 1, parts[i], parts[i + 1], merged))
            parts[i : i + 2] = [merged]
        return steps

    def is_character(self, token: str) -> bool:
        """Returns whether a token is a single character, with or without prefix and suffix."""
        return len(self._characters(token)) == 1

    def _characters(self, token: str) -> list[str]:
        """Returns the characters of a token with prefix and suffix; a suffix alone counts as a character."""
        is_inside = self._prefix != "" and token.startswith(self._prefix)
        bare = token.removeprefix(self._prefix) if is_inside else token
        characters = list(bare)
        if self._suffix and bare.endswith(self._suffix):
            characters = list(bare.removesuffix(self._suffix))
            if self._is_separate or not characters:
                characters.append(self._suffix)
            else:
                characters[-1] += self._suffix
        return [self._prefix + c if i or is_inside else c for i, c in enumerate(characters)]

    def _joined(self, left: str, right: str) -> str:
        return left + right.removeprefix(self._prefix)

    def _rank(self, left: str, right: str) -> int | None:
        if self._ranks is None:
            return self._merge_ranks.get((left, right))
        number = self._vocab.get(left + right)
        return None if number is None else self._ranks[number]
