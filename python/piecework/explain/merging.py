"""How a BPE model merges a word, one merge after the other: readable, where the core is quick."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from piecework.models import BPE

__all__ = ["Merging"]

Step = tuple[int, str, str, str]
"""A merge: its number from 1, left, right, and the token they make."""


class Merging:
    """The merges of a model, by pair.

    >>> from piecework.models import BPE
    >>> merging = Merging(BPE(["h", "u", "g", "ug", "hug"], [("u", "g"), ("h", "ug")]))
    >>> merging.steps("hug")
    [(1, 'u', 'g', 'ug'), (2, 'h', 'ug', 'hug')]
    """

    def __init__(self, model: BPE) -> None:
        """Put the merges in a table."""
        self._prefix = model.continuing_subword_prefix or ""
        self._suffix = model.end_of_word_suffix or ""
        self._is_separate = model.suffix_style == "separate"
        # Of a pair that stands there twice the last place counts.
        self._listed = {pair: place for place, pair in enumerate(model.merges)}
        self._ranks = model.ranks
        self._vocab = model.vocab

    def steps(self, token: str) -> list[Step]:
        """Give the merges by which a token comes of its characters, in their order.

        Args:
            token: A token of the vocabulary.

        Returns:
            The merges; none for a character, and for what merges do not make.
        """
        parts, steps = self._letters(token), list[Step]()
        while len(parts) > 1:
            # The leftmost of those that go first.
            ranked = [(self._rank(*pair), i) for i, pair in enumerate(pairwise(parts))]
            best = min(((rank, i) for rank, i in ranked if rank is not None), default=None)
            if best is None:
                return []
            rank, i = best
            made = self._joined(parts[i], parts[i + 1])
            steps.append((rank + 1, parts[i], parts[i + 1], made))
            parts[i : i + 2] = [made]
        return steps

    def is_letter(self, token: str) -> bool:
        """Tell whether a token is a character, with the marks of its place or without."""
        return len(self._letters(token)) == 1

    def _letters(self, token: str) -> list[str]:
        """The characters of a token, with the marks of their places; a mark alone is one, too."""
        is_inside = self._prefix != "" and token.startswith(self._prefix)
        bare = token.removeprefix(self._prefix) if is_inside else token
        letters = list(bare)
        if self._suffix and bare.endswith(self._suffix):
            letters = list(bare.removesuffix(self._suffix))
            if self._is_separate or not letters:
                letters.append(self._suffix)
            else:
                letters[-1] += self._suffix
        return [self._prefix + c if i or is_inside else c for i, c in enumerate(letters)]

    def _joined(self, left: str, right: str) -> str:
        return left + right.removeprefix(self._prefix)

    def _rank(self, left: str, right: str) -> int | None:
        if self._ranks is None:
            return self._listed.get((left, right))
        number = self._vocab.get(left + right)
        return None if number is None else self._ranks[number]
