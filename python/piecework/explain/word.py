"""Explains how a word is segmented."""

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

_MAX_INDENT = 40
"""The maximum indentation in levels, so that a token with a thousand nested merges stays readable."""
_DESCRIPTIONS = {
    "special": "a special token",
    "added": "an added token",
    "word": "a word of the vocabulary",
    "byte": "a byte of a character that is not in the vocabulary",
    "alphabet": "a character of the alphabet",
    "symbol": "a user-defined symbol",
    "vocabulary": "its merges are unknown",
    "piece": "",
}
"""The descriptions of pieces that no merge created, by kind."""
_NOT_MATCHED = ("special", "added", "unknown")
"""The kinds of pieces that the model did not match."""
_BYTE = re.compile("<0x[0-9A-F]{2}>")
_MAX_PREFIXES = 8
"""The maximum number of failed prefixes that are shown."""
_NBEST = 16
"""The number of best segmentations searched for the second best, since some may have equal tokens."""


@dataclass(frozen=True, slots=True)
class Piece(Immutable):
    """Explains one token of a word.

    Attributes:
        token: The token.
        display_token: The token in readable form.
        id: The token id.
        word: The word that contains it, after normalization.
        span: Its start and end in characters of that word.
        failed: The longer prefixes that are not in the vocabulary, longest first.
        kind: ``"merged"``, ``"alphabet"``, ``"symbol"`` for a user-defined symbol, ``"special"``, ``"added"`` for other
            added tokens, ``"word"`` for a token of WordLevel or one that no merges create, ``"byte"`` for a byte of a
            character that is not in the vocabulary, ``"unknown"``, ``"piece"`` for a piece of Unigram, or ``"vocabulary"``
            if the history is unknown.
        lineage: The merges that created it; None unless `kind` is ``"merged"``.
        reason: Why no piece matched; empty unless `kind` is ``"unknown"``.
        score: The natural logarithm of its probability, for the likeliest segmentation; otherwise, and for added tokens and
            bytes, None.
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
    """Explains the segmentation of a word or of a text of a few words; print it to read it.

    Attributes:
        text: The text.
        pieces: The tokens in order.
        choices: For each word the probability of its segmentation, and the second best; empty unless the tokenizer takes the
            likeliest segmentation.
    """

    text: str
    pieces: tuple[Piece, ...]
    choices: tuple[Choice, ...] = ()

    def __repr__(self) -> str:
        """Returns the text and its pieces."""
        return f"<Explanation: {self._head()}>"

    def __str__(self) -> str:
        """Returns the explanation as lines of text."""
        lines = [self._head()]
        for piece in self.pieces:
            lines += ["  " + line for line in _describe(piece)]
        has_words = len(self.choices) > 1
        for each in self.choices:
            lines.append(f"  {visible(each.word)}: {each}" if has_words else f"  total {each}")
        return "\n".join(lines)

    def _head(self) -> str:
        return f"{visible(self.text)} -> {' '.join(quoted(piece.display_token) for piece in self.pieces)}"


def explain(tokenizer: Tokenizer, text: str) -> Explanation:
    """Explains how a word is segmented; see :meth:`piecework.Tokenizer.explain`."""
    pieces: list[Piece] = []
    choices: list[Choice] = []
    scored = has_scores(tokenizer)
    words = tokenizer._core.word_scores(text, _NBEST) if scored else repeat(None)
    for (word, parts), scores in zip(tokenizer._core.tokenize_words(text), words, strict=False):
        for number, span, failed in parts:
            token = tokenizer.id_to_token(number) or ""
            is_added = number in tokenizer._not_special and span == (0, len(word))
            kind, merges = ("added", None) if is_added else _origin(tokenizer, token)
            prefixes = () if kind in _NOT_MATCHED or scored else tuple(failed)
            reason = _reason(tokenizer, word, span) if kind == "unknown" else ""
            score = None if scores is None or kind == "byte" else tokenizer.lm.score([number])
            text_form = tokenizer.display_token(token)
            pieces.append(
                Piece(token, text_form, number, word, span, prefixes, kind, merges, reason, score)
            )
        if scores is not None:
            choices.append(choice(tokenizer, word, [number for number, _, _ in parts], scores))
    return Explanation(text, tuple(pieces), tuple(choices))


def _origin(tokenizer: Tokenizer, token: str) -> tuple[str, Lineage | None]:
    if token == tokenizer.unk_token:
        return "unknown", None
    if token in tokenizer.special_tokens:
        return "special", None
    merges = None if token in tokenizer.training._symbols else lineage(tokenizer, token)
    return ("merged", merges) if merges else (_unmerged(tokenizer, token), None)


def _unmerged(tokenizer: Tokenizer, token: str) -> str:
    """Returns the kind of a token that no merge created."""
    if token in tokenizer.training._symbols:
        return "symbol"
    if tokenizer.model_type == "WordLevel":
        return "word"
    if tokenizer.model_type == "Unigram":
        return "byte" if _BYTE.fullmatch(token) else "piece"
    if tokenizer._merging is None:
        return "alphabet" if tokenizer.training else "vocabulary"
    if tokenizer._merging.is_character(token):
        return "alphabet"
    return "byte" if _BYTE.fullmatch(token) else "word"


def _reason(tokenizer: Tokenizer, word: str, span: tuple[int, int]) -> str:
    """Returns why characters of a word are unknown."""
    if word.strip() == tokenizer.unk_token:
        return "the text is the unknown token itself"
    if tokenizer.model_type == "WordLevel":
        return f"{word!r} is not in the vocabulary"
    if tokenizer.model_type == "BPE":
        return f"no token starts with {quoted(tokenizer.display_token(word[slice(*span)]))}"
    if tokenizer.model_type == "Unigram":
        return f"no piece covers {word[slice(*span)]!r}"
    return _unmatched(tokenizer, word, span)


def _unmatched(tokenizer: Tokenizer, word: str, span: tuple[int, int]) -> str:
    """Returns why no pieces of a WordPiece model cover a word."""
    limit = tokenizer.max_input_chars_per_word
    if limit is not None and len(word) > limit:
        return f"the word has {len(word)} characters, more than max_input_chars_per_word={limit}"
    if tokenizer.unknown != "word":
        return f"no piece matches at {word[slice(*span)]!r}"
    start = tokenizer._core.first_unmatched(word)
    if start is None:
        return "the text is the unknown token itself"
    return f"no piece matches at {word[start]!r}, character {start} of {word!r}"


def _describe(piece: Piece) -> list[str]:
    token = quoted(piece.display_token)
    tried = [f"tried {_list(piece.failed)}"] if piece.failed else []
    score = [] if piece.score is None else [f"score {piece.score:.6g}"]
    note = piece.reason if piece.kind == "unknown" else _DESCRIPTIONS.get(piece.kind, "")
    head = f"{token}: {'; '.join(filter(None, [*tried, *score, note]))}".rstrip()
    return [head, *("  " + line for line in _tree(piece.lineage))]


def _list(failed: tuple[str, ...]) -> str:
    shown = ", ".join(failed[:_MAX_PREFIXES])
    if len(failed) > _MAX_PREFIXES:
        return f"{shown} and {len(failed) - _MAX_PREFIXES} more, which are not in the vocabulary"
    return f"{shown}, which {'is' if len(failed) == 1 else 'are'} not in the vocabulary"


def _tree(root: Lineage | None) -> list[str]:
    """Returns the tree of merges, one per line, with parts indented below the merged token."""
    lines: list[str] = []
    stack = [(root, 0)]
    while stack:
        node, depth = stack.pop()
        if node is None or node.left is None or node.right is None:
            continue
        indent = "  " * min(depth, _MAX_INDENT)
        token, left, right = (quoted(each.display_token) for each in (node, node.left, node.right))
        lines.append(f"{indent}{token} = {left} + {right} (merge {node.step})")
        stack += [(node.right, depth + 1), (node.left, depth + 1)]
    return lines
