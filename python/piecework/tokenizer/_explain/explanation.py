"""Defines explanations: a text, its normalized form, its words and their pieces, linked by offsets."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from piecework._result import Result
from piecework._settings.immutable import Record, dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._show.document import Block
    from piecework.tokenizer._explain.lineage import Lineage
    from piecework.tokenizer._explain.steps import Steps


Span = tuple[int, int]
"""A start and an end in characters."""
_MAX_LISTED = 1000
"""The number of characters of a piece whose bytes and code points are listed as JSON."""


def _code_points(text: str) -> list[str]:
    return [f"U+{ord(c):04X}" for c in text]


class AlignedRun(NamedTuple):
    """Aligns characters of a normalized text with those of the original.

    If both ranges have the same length, each character stands for one, in order. Otherwise all stand for all.

    Attributes:
        start: The first character of the normalized text.
        end: The character after the last.
        original_start: The first character of the original.
        original_end: The character after the last.
    """

    start: int
    end: int
    original_start: int
    original_end: int


@dataclass(frozen=True, slots=True)
class NormalizedText(Record):
    """Holds a text after normalization, with its alignment.

    Attributes:
        text: The text, with the added tokens in it.
        alignment: The runs of characters that stand for characters of the original, in order, from the first piece that is
            listed to the last. Characters of the original between runs were removed.
    """

    text: str
    alignment: tuple[AlignedRun, ...]

    def to_dict(self) -> dict[str, Any]:
        """Returns the text and the alignment, rows of four numbers."""
        return {"text": self.text, "alignment": [list(run) for run in self.alignment]}


@dataclass(frozen=True, slots=True)
class Piece(Record):
    """Explains one token of a word.

    Attributes:
        token: The token, as in the vocabulary.
        display_token: The token in readable form.
        id: The token id.
        span: Its start and end in characters of its word.
        normalized_span: Its start and end in characters of the normalized text.
        offsets: Its start and end in characters of the original text, before post-processing.
        text: The characters of the normalized text that it stands for.
        bytes: The bytes that it is decoded to alone, without prefix and suffix; the byte of one such as ``<0xC3>``; those of `text` if it is unknown.
        kind: ``"merged"``, ``"alphabet"``, ``"symbol"`` for a user-defined symbol, ``"special"``, ``"added"`` for other
            added tokens, ``"word"`` for a token of WordLevel or one that no merges create, ``"byte"`` for a byte of a
            character that is not in the vocabulary, ``"unknown"``, ``"piece"`` for a piece of Unigram, or ``"vocabulary"``
            if the history is unknown.
        lineage: The merges that created it; None unless `kind` is ``"merged"``.
        reason: Why no piece matched; empty unless `kind` is ``"unknown"``.
        unknown_span: The characters of the word that no piece matched; None unless `kind` is ``"unknown"``.
        score: The natural logarithm of its probability, for the likeliest segmentation; otherwise, and for added tokens and
            bytes, None.
    """

    token: str
    display_token: str
    id: int
    span: Span
    normalized_span: Span
    offsets: Span
    text: str
    bytes: bytes
    kind: str
    lineage: Lineage | None
    reason: str = ""
    unknown_span: Span | None = None
    score: float | None = None

    @property
    def code_points(self) -> tuple[str, ...]:
        """Returns the code points of `text`, such as ``"U+00E9"``."""
        return tuple(_code_points(self.text))

    def to_dict(self) -> dict[str, Any]:
        """Returns the piece as JSON values; bytes are hexadecimal digits, and the lineage is a list of merges.

        Of an unknown piece of more than 1,000 characters, the first ones are listed, and the others counted.
        """
        start = self.text[:_MAX_LISTED]
        return {
            "token": self.token,
            "display_token": self.display_token,
            "id": self.id,
            "span": list(self.span),
            "normalized_span": list(self.normalized_span),
            "offsets": list(self.offsets),
            "text": start,
            "bytes": (self.bytes if start == self.text else start.encode()).hex(" "),
            "code_points": _code_points(start),
            "characters_left_out": len(self.text) - len(start),
            "kind": self.kind,
            "merges": self.lineage.to_dicts() if self.lineage else [],
            "reason": self.reason,
            "unknown_span": self.unknown_span and list(self.unknown_span),
            "score": self.score,
        }


@dataclass(frozen=True, slots=True)
class Word(Record):
    """Explains one word of the pre-tokenizer, or an added token.

    Attributes:
        text: The word as the model receives it; a byte-level pre-tokenizer writes its bytes as characters.
        display_text: The word in readable form.
        kind: ``"text"``, ``"special"`` for a special token, or ``"added"`` for another added token.
        normalized_span: Its start and end in characters of the normalized text.
        offsets: Its start and end in characters of the original text.
        pieces: Its tokens, in order.
        pieces_left_out: The number of further tokens, which `max_characters` left out.
        steps: How the model found the pieces: :class:`WordPieceSteps`, :class:`BpeSteps` or :class:`SegmentationLattice`.
            None for added tokens, for WordLevel, and for long words (see :meth:`piecework.Tokenizer.explain`).
    """

    text: str
    display_text: str
    kind: str
    normalized_span: Span
    offsets: Span
    pieces: tuple[Piece, ...]
    pieces_left_out: int
    steps: Steps | None


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(Result["Piece"]):
    """Explains the segmentation of a text; print it to read it.

    Attributes:
        text: The text.
        model: The type of the model.
        normalized: The text after normalization.
        words: The words of the pre-tokenizer and the added tokens that are explained, in order.
        words_left_out: The number of other words, which `max_characters` and `span` left out.
    """

    text: str
    model: str
    normalized: NormalizedText
    words: tuple[Word, ...]
    words_left_out: int = 0

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """Returns the pieces of all words."""
        return tuple(chain.from_iterable(word.pieces for word in self.words))

    @property
    def ids(self) -> list[int]:
        """Returns the ids of the pieces: those of an encoding without added special tokens, if nothing is left out."""
        return [piece.id for piece in self.pieces]

    @property
    def _rows(self) -> tuple[Piece, ...]:
        return self.pieces

    def _summary(self) -> str:
        from piecework._show.terminal import line_text
        from piecework.tokenizer._explain.document import head

        return line_text(head(self))

    def _document(self) -> Iterator[Block]:
        from piecework.tokenizer._explain.document import explanation_document

        return explanation_document(self)
