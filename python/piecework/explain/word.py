"""Why a word is split as it is."""

from __future__ import annotations

import re
from itertools import repeat
from typing import TYPE_CHECKING

from piecework._immutable import Immutable, dataclass
from piecework.display import quoted, visible
from piecework.explain.choice import Choice, choice, has_scores
from piecework.explain.lineage import Lineage, lineage

if TYPE_CHECKING:
    from piecework.tokenizer import Tokenizer

_DEEPEST = 40
"""Lines are indented so far; a token born by a thousand merges in a row stays readable."""
_SAID = {
    "special": "a special token",
    "added": "an added token",
    "word": "a word of the vocabulary",
    "byte": "a byte of a character that is no token",
    "alphabet": "a character of the alphabet",
    "symbol": "a user-defined symbol",
    "vocabulary": "its lineage is not known",
    "piece": "",
}
"""What is said of pieces that no merge made."""
_FOUND = ("special", "added", "unknown")
"""Kinds that were not looked for by their prefixes."""
_BYTE = re.compile("<0x[0-9A-F]{2}>")
_SHOWN = 8
"""A long word has many prefixes; so many are shown."""
_COMPARED = 16
"""Among so many of the best the next is looked for: some may be the same tokens."""


@dataclass(frozen=True, slots=True)
class Piece(Immutable):
    """One token of an explained word.

    Attributes:
        token: The token.
        display_token: The token as people read it.
        id: Its id.
        word: The word it belongs to, after normalization.
        span: Its characters in that word.
        failed: The longer prefixes that were tried before it and are not in the vocabulary, longest first.
        kind: ``"merged"``, ``"alphabet"``, ``"symbol"`` for a user-defined symbol, ``"special"``, ``"added"`` for other
            added tokens, ``"word"`` for one of a WordLevel model or one that merges do not make, ``"byte"`` for one of a
            character that is no token, ``"unknown"``, ``"piece"`` for one of Unigram, or ``"vocabulary"`` where the history is
            not known.
        lineage: The merges it was born by; None for other kinds than ``"merged"``.
        reason: Why nothing matched; empty for other kinds than ``"unknown"``.
        score: The logarithm of its probability, where the likeliest segmentation is taken; None elsewhere, and of added tokens and
            bytes.
    """

    token: str
    display_token: str
    id: int
    word: str
    span: tuple[int, int]
    failed: tuple[str, ...]
    kind: str
    lineage: Lineage | None
    reason: str = ""
    score: float | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(Immutable):
    """How a word, or a text of a few, is split, and why; ``str`` of it is for people.

    Attributes:
        text: What was asked about.
        pieces: The tokens in their order.
        choices: For each word how likely its tokens are together, and the next best; empty unless the likeliest segmentation is
            taken.
    """

    text: str
    pieces: tuple[Piece, ...]
    choices: tuple[Choice, ...] = ()

    def __repr__(self) -> str:
        """Tell the pieces."""
        return f"<Explanation: {self._head()}>"

    def __str__(self) -> str:
        """Tell it in lines."""
        lines = [self._head()]
        for piece in self.pieces:
            lines += ["  " + line for line in _describe(piece)]
        named = len(self.choices) > 1
        for found in self.choices:
            lines.append(f"  {visible(found.word)}: {found}" if named else f"  together {found}")
        return "\n".join(lines)

    def _head(self) -> str:
        return f"{visible(self.text)} -> {' '.join(quoted(piece.display_token) for piece in self.pieces)}"


def explain(tokenizer: Tokenizer, text: str) -> Explanation:
    """Tell how a word came to be split as it is; see :meth:`piecework.Tokenizer.explain`."""
    pieces: list[Piece] = []
    choices: list[Choice] = []
    scored = has_scores(tokenizer)
    words = tokenizer._core.word_scores(text, _COMPARED) if scored else repeat(None)
    for (word, parts), scores in zip(tokenizer._core.word_pieces(text), words, strict=False):
        for number, span, failed in parts:
            token = tokenizer.id_to_token(number) or ""
            is_added = number in tokenizer._not_special and span == (0, len(word))
            kind, birth = ("added", None) if is_added else _origin(tokenizer, token)
            tried = () if kind in _FOUND or scored else tuple(failed)
            reason = _reason(tokenizer, word, span) if kind == "unknown" else ""
            score = None if scores is None or kind == "byte" else tokenizer.score([number])
            shown = tokenizer.display_token(token)
            pieces.append(
                Piece(token, shown, number, word, span, tried, kind, birth, reason, score)
            )
        if scores is not None:
            choices.append(choice(tokenizer, word, [number for number, _, _ in parts], scores))
    return Explanation(text, tuple(pieces), tuple(choices))


def _origin(tokenizer: Tokenizer, token: str) -> tuple[str, Lineage | None]:
    if token == tokenizer.unk_token:
        return "unknown", None
    if token in tokenizer.special_tokens:
        return "special", None
    birth = None if token in tokenizer._symbols else lineage(tokenizer, token)
    return ("merged", birth) if birth else (_unmerged(tokenizer, token), None)


def _unmerged(tokenizer: Tokenizer, token: str) -> str:
    """The kind of a token that no merge makes."""
    if token in tokenizer._symbols:
        return "symbol"
    if tokenizer.model_type == "WordLevel":
        return "word"
    if tokenizer.model_type == "Unigram":
        return "byte" if _BYTE.fullmatch(token) else "piece"
    if tokenizer._merging is None:
        return "alphabet" if tokenizer._training else "vocabulary"
    if tokenizer._merging.is_letter(token):
        return "alphabet"
    return "byte" if _BYTE.fullmatch(token) else "word"


def _reason(tokenizer: Tokenizer, word: str, span: tuple[int, int]) -> str:
    """Why the characters of a word are unknown."""
    if word.strip() == tokenizer.unk_token:
        return "the text is the unknown token itself"
    if tokenizer.model_type == "WordLevel":
        return f"{word!r} is not in the vocabulary"
    if tokenizer.model_type == "BPE":
        return f"no token begins with {quoted(tokenizer.display_token(word[slice(*span)]))}"
    if tokenizer.model_type == "Unigram":
        return f"no piece spells {word[slice(*span)]!r}"
    return _unmatched(tokenizer, word, span)


def _unmatched(tokenizer: Tokenizer, word: str, span: tuple[int, int]) -> str:
    """Why no pieces of a WordPiece cover a word."""
    limit = tokenizer.max_input_chars_per_word
    if limit is not None and len(word) > limit:
        return f"the word has {len(word)} characters, more than max_input_chars_per_word={limit}"
    if tokenizer.unknown != "word":
        return f"no piece begins at {word[slice(*span)]!r}"
    start = tokenizer._core.first_unmatched(word)
    if start is None:
        return "the text is the unknown token itself"
    return f"no piece begins at {word[start]!r}, character {start} of {word!r}"


def _describe(piece: Piece) -> list[str]:
    token = quoted(piece.display_token)
    tried = [f"tried {_list(piece.failed)}"] if piece.failed else []
    score = [] if piece.score is None else [f"score {piece.score:.6g}"]
    said = piece.reason if piece.kind == "unknown" else _SAID.get(piece.kind, "")
    head = f"{token}: {'; '.join(filter(None, [*tried, *score, said]))}".rstrip()
    return [head, *("  " + line for line in _tree(piece.lineage))]


def _list(failed: tuple[str, ...]) -> str:
    shown = ", ".join(failed[:_SHOWN])
    if len(failed) > _SHOWN:
        return f"{shown} and {len(failed) - _SHOWN} more, which are not in the vocabulary"
    return f"{shown}, which {'is' if len(failed) == 1 else 'are'} not in the vocabulary"


def _tree(root: Lineage | None) -> list[str]:
    """The merges one a line, parts below what they make."""
    lines: list[str] = []
    waiting = [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        if node is None or node.left is None or node.right is None:
            continue
        indent = "  " * min(depth, _DEEPEST)
        made, left, right = (quoted(each.display_token) for each in (node, node.left, node.right))
        lines.append(f"{indent}{made} = {left} + {right} (merge {node.step})")
        waiting += [(node.right, depth + 1), (node.left, depth + 1)]
    return lines
