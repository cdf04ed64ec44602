"""The merges that a token was born by."""

from __future__ import annotations

from dataclasses import asdict, field
from typing import TYPE_CHECKING, Any

from piecework._immutable import Immutable, dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework.tokenizer import Tokenizer
    from piecework.types import Merge


@dataclass(frozen=True, slots=True)
class Lineage(Immutable):
    """A token, and the merge that made it.

    Attributes:
        token: The token as rendered.
        display_token: The token as people read it.
        step: The number of the merge, from 1: in the history, or among the merges of a BPE model; None for a character of the
            alphabet.
        merge: The merge with its figures; None where no history is known.
        left: Where its left token comes from, or None.
        right: Where its right token comes from, or None.
    """

    token: str
    display_token: str
    step: int | None = None
    merge: Merge | None = None
    # A lineage can be deep: what compares, hashes or shows one must not follow it down.
    left: Lineage | None = field(default=None, repr=False, compare=False)
    right: Lineage | None = field(default=None, repr=False, compare=False)

    def nodes(self) -> Iterator[tuple[int, Lineage, Lineage, Lineage]]:
        """Iterate over what was merged: the number, what it made, left and right, the last first."""
        waiting: list[Lineage | None] = [self]
        while waiting:
            node = waiting.pop()
            if node is None or node.step is None or node.left is None or node.right is None:
                continue
            yield node.step, node, node.left, node.right
            waiting += [node.right, node.left]

    def merges(self) -> Iterator[tuple[int, Merge]]:
        """Iterate over the merges that have figures with their numbers, the last first."""
        for step, node, _, _ in self.nodes():
            if node.merge is not None:
                yield step, node.merge

    def to_dicts(self) -> list[dict[str, Any]]:
        """Give the merges in their order, each once, with figures where they are known."""
        nodes = {step: parts for step, *parts in self.nodes()}
        dicts = []
        for step, (made, left, right) in sorted(nodes.items()):
            names = {"left": left.token, "right": right.token, "token": made.token}
            dicts.append({"step": step} | names | (asdict(made.merge) if made.merge else {}))
        return dicts


def lineage(tokenizer: Tokenizer, token: str) -> Lineage | None:
    """Tell by which merges a token was born, down to characters.

    Args:
        tokenizer: A trained tokenizer, or one with a BPE model.
        token: A token as rendered.

    Returns:
        The tree of merges; None if no merge made the token or the merges are not known.

    >>> import piecework as pw
    >>> tok = pw.train({"hug": 10, "pug": 5, "hugs": 5}, pw.WordPieceTrainer(vocab_size=12))
    >>> [merge.token for step, merge in lineage(tok, "hug").merges()]
    ['hug', '##ug']
    """
    if tokenizer.history:
        born = list(_remembered(tokenizer, token))
    elif tokenizer._merging is not None:
        born = [(*step, None) for step in tokenizer._merging.steps(token)]
    else:
        born = []
    # Parts are older than what they make, so one pass in the order of steps finds every part done.
    done: dict[str, Lineage] = {}
    for step, left, right, made, merge in born:
        parts = [done.get(part) or _letter(tokenizer, part) for part in (left, right)]
        done[made] = Lineage(made, tokenizer.display_token(made), step, merge, *parts)
    return done.get(token)


def _remembered(
    tokenizer: Tokenizer, token: str
) -> Iterator[tuple[int, str, str, str, Merge | None]]:
    """The merges of the history that a token needs, in their order."""
    steps = tokenizer._steps
    needed, waiting = set[int](), [token]
    while waiting:
        step = steps.get(waiting.pop())
        if step is not None and step not in needed:
            needed.add(step)
            waiting += [tokenizer.history[step].left, tokenizer.history[step].right]
    for step in sorted(needed):
        merge = tokenizer.history[step]
        yield step + 1, merge.left, merge.right, merge.token, merge


def _letter(tokenizer: Tokenizer, token: str) -> Lineage:
    return Lineage(token, tokenizer.display_token(token))
