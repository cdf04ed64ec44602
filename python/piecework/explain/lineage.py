"""The merges that a token was born by."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework.tokenizer import Tokenizer
    from piecework.types import Merge


@dataclass(frozen=True, slots=True)
class Lineage:
    """A token, and the merge that made it.

    Attributes:
        token: The token as rendered.
        step: The number of the merge in the history, from 1; None for a character of the alphabet.
        merge: The merge, or None.
        left: Where its left token comes from, or None.
        right: Where its right token comes from, or None.
    """

    token: str
    step: int | None = None
    merge: Merge | None = None
    # A lineage can be deep: what compares, hashes or shows one must not follow it down.
    left: Lineage | None = field(default=None, repr=False, compare=False)
    right: Lineage | None = field(default=None, repr=False, compare=False)

    def merges(self) -> Iterator[tuple[int, Merge]]:
        """Iterate over the merges with their numbers, the last first."""
        waiting: list[Lineage | None] = [self]
        while waiting:
            node = waiting.pop()
            if node is None or node.merge is None or node.step is None:
                continue
            yield node.step, node.merge
            waiting += [node.right, node.left]


def lineage(tokenizer: Tokenizer, token: str) -> Lineage | None:
    """Tell by which merges a token was born, down to characters.

    Args:
        tokenizer: A trained tokenizer.
        token: A token as rendered.

    Returns:
        The tree of merges; None if no merge made the token or the history is not known.

    >>> import piecework as pw
    >>> tok = pw.train({"hug": 10, "pug": 5, "hugs": 5}, pw.WordPieceTrainer(vocab_size=12))
    >>> [merge.token for step, merge in lineage(tok, "hug").merges()]
    ['hug', '##ug']
    """
    steps = tokenizer._steps
    if token not in steps:
        return None
    # Parts are older than what they make, so one pass in the order of steps finds every part done.
    needed, waiting = set[int](), [token]
    while waiting:
        step = steps.get(waiting.pop())
        if step is not None and step not in needed:
            needed.add(step)
            waiting += [tokenizer.history[step].left, tokenizer.history[step].right]
    done: dict[str, Lineage] = {}
    for step in sorted(needed):
        merge = tokenizer.history[step]
        parts = [done.get(part) or Lineage(part) for part in (merge.left, merge.right)]
        done[merge.token] = Lineage(merge.token, step + 1, merge, *parts)
    return done[token]
