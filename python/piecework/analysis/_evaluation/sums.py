"""Defines the sums over texts from which all metrics are computed; sums of parts add up in any order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from piecework._core import TextMeasures
from piecework._settings.immutable import Record, dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from piecework._core._measures import _Figures

__all__ = ["COUNTERS", "EXAMPLES", "ChangedText", "TextSums"]

EXAMPLES = 5
"""The number of texts that are kept as examples of what encoding and decoding changes."""
_NUMBERS = ("texts", "bytes", "characters", "words", "whole_words", "changed_texts")
COUNTERS = ("words_by_tokens", "tokens_by_bytes", "texts_by_tokens")


class ChangedText(NamedTuple):
    """Describes a text that encoding and decoding changes; the first ones in the order of the input are kept.

    Attributes:
        source: The number of the file, or of the group of texts.
        position: The position in the file as :attr:`Documents.positions`, or the number of the text from 0.
        place: The file and the line or row, or the number of the text.
        text: The text around the first difference.
        decoded: The decoded text around the first difference.
    """

    source: int
    position: int
    place: str
    text: str
    decoded: str

    def to_dict(self) -> dict[str, str]:
        """Returns the place and both texts."""
        return {"place": self.place, "text": self.text, "decoded": self.decoded}


@dataclass(frozen=True, slots=True, eq=False)
class TextSums(Record):
    r"""Holds the sums over some texts for one tokenizer.

    Attributes:
        texts: The number of texts.
        bytes: The number of bytes of the texts in UTF-8.
        characters: The number of characters.
        words: The number of words, which are separated by white space.
        whole_words: The number of words with exactly one token, which is not the unknown token.
        changed_texts: The number of texts that encoding and decoding changes.
        words_by_tokens: The number of words with 0, 1, 2, ... tokens; the last count includes all longer ones.
        tokens_by_bytes: The number of tokens that cover 0, 1, 2, ... bytes of the text; the last count includes longer ones.
        texts_by_tokens: The number of texts whose number of tokens has 0, 1, 2, ... bits.
        ids: The ids of the tokens that occur, in ascending order.
        counts: The number of occurrences of each of these tokens.
        changed: The first texts that encoding and decoding changes.

    >>> import piecework as pw
    >>> tok = pw.Tokenizer.from_str("[UNK]\nlow\n##er\n")
    >>> sums = pw.evaluate(tok, ["low lower"]).tokenizers[0].total.sums
    >>> sums.tokens, sums.words, dict(zip(sums.ids.tolist(), sums.counts.tolist()))
    (3, 2, {1: 2, 2: 1})
    """

    texts: int
    bytes: int
    characters: int
    words: int
    whole_words: int
    changed_texts: int
    words_by_tokens: NDArray[np.int64]
    tokens_by_bytes: NDArray[np.int64]
    texts_by_tokens: NDArray[np.int64]
    ids: NDArray[np.uint32]
    counts: NDArray[np.int64]
    changed: tuple[ChangedText, ...]

    @property
    def tokens(self) -> int:
        """Returns the number of tokens."""
        return int(self.counts.sum())

    def __eq__(self, other: object) -> bool:
        """Returns whether all sums are equal."""
        return self.to_dict() == other.to_dict() if isinstance(other, TextSums) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # equal by content, and that can be large

    @classmethod
    def of(cls, figures: _Figures, changed: Iterable[ChangedText]) -> TextSums:
        """Returns the sums that the core has computed."""
        numbers: dict[str, Any] = {**figures}
        for name in (*COUNTERS, "counts"):
            numbers[name] = numbers[name].astype(np.int64)
        return cls(**numbers, changed=tuple(changed))

    @classmethod
    def total(cls, parts: Iterable[TextSums]) -> TextSums:
        """Returns the sum of parts."""
        total = cls.of(TextMeasures().figures(), ())
        for part in parts:
            total = total._plus(part)
        return total

    def _plus(self, other: TextSums) -> TextSums:
        numbers: dict[str, Any] = {
            name: getattr(self, name) + getattr(other, name) for name in _NUMBERS
        }
        for name in COUNTERS:
            numbers[name] = _added(getattr(self, name), getattr(other, name))
        ids, counts = _added_counts(self, other)
        changed = tuple(sorted({*self.changed, *other.changed})[:EXAMPLES])
        return TextSums(**numbers, ids=ids, counts=counts, changed=changed)


def _added(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns the sum of counters, of which one list may be empty."""
    if not len(one) or not len(other):
        return one if len(one) else other
    return one + other


def _added_counts(one: TextSums, other: TextSums) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Returns the ids of both in ascending order, and the sums of their counts."""
    ids = np.concatenate([one.ids, other.ids])
    counts = np.concatenate([one.counts, other.counts])
    order = np.argsort(ids, kind="stable")
    ids, counts = ids[order], counts[order]
    starts = np.flatnonzero(np.diff(ids, prepend=-1) != 0) if len(ids) else order
    return ids[starts], np.add.reduceat(counts, starts) if len(ids) else counts
