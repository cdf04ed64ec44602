"""Finds the merges that created a token."""

from __future__ import annotations

from dataclasses import asdict, field
from typing import TYPE_CHECKING, Any

from piecework._immutable import Immutable, dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework.results import Merge
    from piecework.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class Lineage(Immutable):
    """Represents a token as a tree of the merges that created it.

    Attributes:
        token: The token as rendered.
        display_token: The token in readable form.
        step: The number of the merge, from 1, in the history or among the merges of a BPE model; None for a character of the
            alphabet.
        merge: The merge with its counts; None if the history is unknown.
        left: The lineage of the left token, or None.
        right: The lineage of the right token, or None.
    """

    token: str
    display_token: str
    step: int | None = None
    merge: Merge | None = None
    # A lineage can be deep, so comparison, hash and repr must not recurse.
    left: Lineage | None = field(default=None, repr=False, compare=False)
    right: Lineage | None = field(default=None, repr=False, compare=False)

    def nodes(self) -> Iterator[tuple[int, Lineage, Lineage, Lineage]]:
        """Iterates over merged tokens from the root: the number of the merge, the token, left and right."""
        stack: list[Lineage | None] = [self]
        while stack:
            node = stack.pop()
            if node is None or node.step is None or node.left is None or node.right is None:
                continue
            yield node.step, node, node.left, node.right
            stack += [node.right, node.left]

    def merges(self) -> Iterator[tuple[int, Merge]]:
        """Iterates over the merges of a known history with their numbers, from the root."""
        for step, node, _, _ in self.nodes():
            if node.merge is not None:
                yield step, node.merge

    def to_dicts(self) -> list[dict[str, Any]]:
        """Returns the merges in order without duplicates, with their counts if known."""
        nodes = {step: parts for step, *parts in self.nodes()}
        dicts = []
        for step, (merged, left, right) in sorted(nodes.items()):
            names = {"left": left.token, "right": right.token, "token": merged.token}
            dicts.append({"step": step} | names | (asdict(merged.merge) if merged.merge else {}))
        return dicts


def lineage(tokenizer: Tokenizer, token: str) -> Lineage | None:
    """Returns the merges that created a token, down to characters.

    Args:
        tokenizer: A trained tokenizer, or one with a BPE model.
        token: A token as rendered.

    Returns:
        The tree of merges; None if no merge created the token or the merges are unknown.

    >>> import piecework as pw
    >>> tok = pw.train({"hug": 10, "pug": 5, "hugs": 5}, pw.WordPieceTrainer(vocab_size=12))
    >>> [merge.token for step, merge in lineage(tok, "hug").merges()]
    ['hug', '##ug']
    """
    if tokenizer.history:
        merges = list(_from_history(tokenizer, token))
    elif tokenizer._merging is not None:
        merges = [(*step, None) for step in tokenizer._merging.steps(token)]
    else:
        merges = []
    # The parts of a merge have earlier merges, so one pass in order finds their nodes.
    nodes: dict[str, Lineage] = {}
    for step, left, right, merged, merge in merges:
        parts = [nodes.get(part) or _character(tokenizer, part) for part in (left, right)]
        nodes[merged] = Lineage(merged, tokenizer.display_token(merged), step, merge, *parts)
    return nodes.get(token)


def _from_history(
    tokenizer: Tokenizer, token: str
) -> Iterator[tuple[int, str, str, str, Merge | None]]:
    """Iterates over the merges of the history that a token depends on, in order."""
    steps = tokenizer.training._merge_of
    needed, stack = set[int](), [token]
    while stack:
        step = steps.get(stack.pop())
        if step is not None and step not in needed:
            needed.add(step)
            stack += [tokenizer.history[step].left, tokenizer.history[step].right]
    for step in sorted(needed):
        merge = tokenizer.history[step]
        yield step + 1, merge.left, merge.right, merge.token, merge


def _character(tokenizer: Tokenizer, token: str) -> Lineage:
    return Lineage(token, tokenizer.display_token(token))
