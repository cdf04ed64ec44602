"""Finds the merges that created a token."""

from __future__ import annotations

from dataclasses import asdict, field
from typing import TYPE_CHECKING, Any

from piecework._messages import shown, with_hint
from piecework._result import Result
from piecework._settings.arguments import check_index
from piecework._settings.immutable import dataclass
from piecework.errors import VocabularyError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from piecework._show.document import Block, Spans
    from piecework.tokenizer import Tokenizer
    from piecework.tokenizer._results import Merge


_MAX_LINES = 2000
"""The maximum number of lines of a tree."""


@dataclass(frozen=True, slots=True, repr=False)
class Lineage(Result["Lineage"]):
    """Represents a token as a tree of the merges that created it; print it to read it.

    Its rows are the merges it depends on, in the order of the training, as lineages of the tokens that they created.

    Attributes:
        token: The token as rendered.
        display_token: The token in readable form.
        step: The number of the merge, from 1, in the history or among the merges of a BPE model; None for a token that no
            merge created, such as a character of the alphabet.
        merge: The merge with its counts; None if the history is unknown.
        final_count: The count of the token in the training words, encoded after the training; None if it is unknown.
        left: The lineage of the left token, or None.
        right: The lineage of the right token, or None.
        merges_known: False for a token of a WordPiece vocabulary without history, which may have been merged.
    """

    token: str
    display_token: str
    step: int | None = None
    merge: Merge | None = None
    final_count: int | None = None
    # A lineage can be deep, so comparison, hash and repr must not recurse.
    left: Lineage | None = field(default=None, repr=False, compare=False)
    right: Lineage | None = field(default=None, repr=False, compare=False)
    merges_known: bool = True

    @property
    def birth_count(self) -> int | None:
        """Returns the count of the token when it was created, that of its pair; None if the history is unknown."""
        return None if self.merge is None else self.merge.pair_count

    def nodes(self) -> Iterator[tuple[int, Lineage, Lineage, Lineage]]:
        """Iterates over merged tokens from the root: the number of the merge, the token, left and right."""
        for node, _ in self._tree():
            if node.step is not None and node.left is not None and node.right is not None:
                yield node.step, node, node.left, node.right

    def merges(self) -> Iterator[tuple[int, Merge]]:
        """Iterates over the merges of a known history with their numbers, from the root."""
        for step, node, _, _ in self.nodes():
            if node.merge is not None:
                yield step, node.merge

    def _tree(self) -> Iterator[tuple[Lineage, int]]:
        """Iterates over all tokens of the tree with their depths, from the root; left before right."""
        stack = [(self, 0)]
        while stack:
            node, depth = stack.pop()
            yield node, depth
            stack += [(part, depth + 1) for part in (node.right, node.left) if part is not None]

    def _distinct(self) -> dict[int, tuple[Lineage, Lineage, Lineage]]:
        """Returns the merged tokens by the numbers of their merges: the token, left and right.

        A tree can contain the same token many times, even more often than it could be written.
        """
        found: dict[int, tuple[Lineage, Lineage, Lineage]] = {}
        stack = [self]
        while stack:
            node = stack.pop()
            if node.step is None or node.left is None or node.right is None or node.step in found:
                continue
            found[node.step] = node, node.left, node.right
            stack += [node.left, node.right]
        return found

    @property
    def _rows(self) -> Sequence[Lineage]:
        return [merged for _, (merged, _, _) in sorted(self._distinct().items())]

    def _summary(self) -> str:
        from piecework._show.terminal import line_text

        return line_text(self._line(is_root=True))

    def _document(self) -> Iterator[Block]:
        """Iterates over the tree, one token per line, with parts indented below the merged token."""
        from piecework._show.document import Text

        for number, (node, depth) in enumerate(self._tree()):
            if number == _MAX_LINES:
                yield Text("…")
                return
            yield Text(node._line(is_root=depth == 0), depth)

    def merge_lines(self, depth: int) -> Iterator[Block]:
        """Iterates over the merges of the tree, one per line from a level on, with parts indented below the merged token."""
        from piecework._show.document import Text

        depth = check_index("depth", depth)
        merged = ((node, level) for node, level in self._tree() if node.left is not None)
        for number, (node, level) in enumerate(merged):
            if number == _MAX_LINES:
                yield Text("…", depth)
                return
            yield Text(node._equation(), depth + level)

    def _equation(self) -> Spans:
        """Returns the merge, or the token alone if no merge created it."""
        from piecework._show.document import Token

        if self.left is None or self.right is None:
            return (Token(self.display_token),)
        token, left, right = (Token(each.display_token) for each in (self, self.left, self.right))
        return token, " = ", left, " + ", right, f" (merge {self.step})"

    def _line(self, *, is_root: bool) -> Spans:
        """Returns the merge and the counts of a token."""
        parts = []
        if is_root and self.left is None:
            parts.append("no merge created it" if self.merges_known else "its merges are unknown")
        if self.birth_count is not None:
            parts.append(f"count {self.birth_count:,} at birth")
        if self.final_count is not None:
            parts.append(f"count {self.final_count:,} at the end")
        return *self._equation(), *(f", {part}" for part in parts)

    def to_dict(self) -> dict[str, Any]:
        """Returns the lineage as JSON values.

        Returns:
            The token with its counts, and the merges it depends on in the order of the training, without duplicates.
        """
        return {
            "token": self.token,
            "display_token": self.display_token,
            "step": self.step,
            "birth_count": self.birth_count,
            "final_count": self.final_count,
            "merges_known": self.merges_known,
            "merges": self.to_dicts(),
        }

    def to_dicts(self) -> list[dict[str, Any]]:
        """Returns the merges in order without duplicates, with their counts if known."""
        dicts = []
        for step, (merged, left, right) in sorted(self._distinct().items()):
            names = {"left": left.token, "right": right.token, "token": merged.token}
            counts = {} if merged.final_count is None else {"final_count": merged.final_count}
            merge = asdict(merged.merge) if merged.merge else {}
            dicts.append({"step": step} | names | merge | counts)
        return dicts


def lineage(tokenizer: Tokenizer, token: str) -> Lineage:
    """Returns the merges that created a token; see :meth:`piecework.Tokenizer.lineage`."""
    if tokenizer.token_to_id(token) is None:
        other = _similar(tokenizer, token)
        hint = None if other is None else f"did you mean {other!r}?"
        raise VocabularyError(with_hint(f"{shown(token)} is not in the vocabulary", hint))
    return find_lineage(tokenizer, token) or _leaf(tokenizer, token)


def _similar(tokenizer: Tokenizer, text: str) -> str | None:
    """Returns the token that differs in the continuing prefix, or whose readable form a text is."""
    prefix = tokenizer.continuing_subword_prefix
    other = text.removeprefix(prefix) if text.startswith(prefix) else prefix + text
    if tokenizer.token_to_id(other) is not None:
        return other
    return next((name for name in tokenizer.vocab if tokenizer.display_token(name) == text), None)


def find_lineage(tokenizer: Tokenizer, token: str) -> Lineage | None:
    """Returns the merges that created a token, down to characters.

    Args:
        tokenizer: A trained tokenizer, or one with a BPE model.
        token: A token as rendered.

    Returns:
        The tree of merges; None if no merge created the token or the merges are unknown.

    >>> import piecework as pw
    >>> tok = pw.train({"hug": 10, "pug": 5, "hugs": 5}, pw.WordPieceTrainer(vocab_size=12))
    >>> [merge.token for step, merge in find_lineage(tok, "hug").merges()]
    ['hug', '##ug']
    """
    merges = _from_history(tokenizer, token) if tokenizer.history else _from_model(tokenizer, token)
    # The parts of a merge have earlier merges, so one pass in order finds their nodes.
    nodes: dict[str, Lineage] = {}
    for step, left, right, merged, merge in merges:
        one, other = (nodes.get(part) or _leaf(tokenizer, part) for part in (left, right))
        display = tokenizer.display_token(merged)
        count = _final_count(tokenizer, merged)
        nodes[merged] = Lineage(merged, display, step, merge, count, one, other)
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


def _from_model(
    tokenizer: Tokenizer, token: str
) -> Iterator[tuple[int, str, str, str, Merge | None]]:
    """Iterates over the merges of a BPE model that make a token of its characters, in order."""
    name = tokenizer._core.id_to_token
    for _, (left, right, merged, rank), _ in tokenizer._core.merges_of(token) or ():
        yield rank + 1, name(left) or "", name(right) or "", name(merged) or "", None


def _leaf(tokenizer: Tokenizer, token: str) -> Lineage:
    return Lineage(
        token,
        tokenizer.display_token(token),
        final_count=_final_count(tokenizer, token),
        merges_known=_are_merges_known(tokenizer, token),
    )


def _are_merges_known(tokenizer: Tokenizer, token: str) -> bool:
    """Returns whether the merge that created a token would be known; only WordPiece forgets merges."""
    if tokenizer.model_type != "WordPiece" or tokenizer.training:
        return True
    return tokenizer.token_to_id(token) in tokenizer.added_tokens


def _final_count(tokenizer: Tokenizer, token: str) -> int | None:
    """Returns the count of a token in the encoded training words; None if it is unknown."""
    number = tokenizer.token_to_id(token)
    return None if number is None else tokenizer.training._count_of(number)
