"""Adds up the figures of texts from which all metrics are computed; sums of parts add up in any order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from piecework._core import ArrowTexts, TextMeasures
from piecework._exceptions import locate
from piecework._settings.arguments import checked_parts
from piecework._settings.immutable import Record, dataclass
from piecework.analysis._evaluation.agreement import Agreement, AgreementMeter
from piecework.analysis._measuring import PLAIN, Place
from piecework.errors import PieceworkError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from piecework._core._measures import _Figures
    from piecework._settings.arguments import Specials
    from piecework.tokenizer import Tokenizer
    from piecework.tokenizer._options import EncodeOptions

_BEFORE, _AFTER = 20, 40
"""The number of characters of an example before and after its first difference."""
_BLOCK = 4096
"""The number of characters that are compared at a time."""
_EXAMPLES = 5
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
        for part in checked_parts(cls, parts):
            total = total._plus(part)
        return total

    def _placed(self, place: Callable[[int, int, str], str]) -> TextSums:
        changed = (each._replace(place=place(*each[:3])) for each in self.changed)
        return replace(self, changed=tuple(changed))

    def _plus(self, other: TextSums) -> TextSums:
        numbers: dict[str, Any] = {
            name: getattr(self, name) + getattr(other, name) for name in _NUMBERS
        }
        for name in COUNTERS:
            numbers[name] = _added(getattr(self, name), getattr(other, name))
        ids, counts = _added_counts(self, other)
        changed = tuple(sorted({*self.changed, *other.changed})[:_EXAMPLES])
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


class _TextMeter:
    """Adds up texts for one tokenizer."""

    def __init__(self, tok: Tokenizer, specials: Specials | None, threads: int | None) -> None:
        self._tok, self._threads = tok, threads
        self._given: EncodeOptions = {**PLAIN, "specials": specials}
        self._options = tok._options(self._given)
        self._measures = TextMeasures()
        self._changed: list[ChangedText] = []

    def add(self, texts: ArrowTexts | Sequence[str], place: Callable[[int], Place]) -> None:
        """Adds texts, which follow those of earlier calls."""
        missing = _EXAMPLES - len(self._changed)
        core, threads = self._tok._core, self._threads
        for index in self._measures.add(core, texts, self._options, missing, threads):
            self._changed.append(self._example(texts[index], *place(index)))

    def _example(self, text: str, source: int, position: int, place: str) -> ChangedText:
        ids = self._tok.encode_ids(text, **self._given)
        decoded = self._tok.decode(ids, skip_special_tokens=False)
        start = max(0, _first_difference(text, decoded) - _BEFORE)
        end = start + _BEFORE + _AFTER
        return ChangedText(source, position, place, text[start:end], decoded[start:end])

    def sums(self) -> TextSums:
        """Returns the sums over the texts so far."""
        return TextSums.of(self._measures.figures(), self._changed)


def _first_difference(one: str, other: str) -> int:
    """Returns the index of the first character that differs.

    >>> _first_difference("a" * 5000 + "bc", "a" * 5000 + "bd"), _first_difference("ab", "a")
    (5001, 1)
    """
    start = 0
    while start < len(one) and one[start : start + _BLOCK] == other[start : start + _BLOCK]:
        start += _BLOCK
    pairs = zip(one[start : start + _BLOCK], other[start : start + _BLOCK], strict=False)
    same = [a == b for a, b in pairs]
    return start + (same.index(False) if False in same else len(same))


class GroupSums(NamedTuple):
    """Holds the sums over the texts of a group.

    Attributes:
        sums: The sums for each tokenizer.
        agreement: How much of the texts all tokenizers cut in the same way; None unless asked for.
        most: The maximum number of disagreements to keep.
    """

    sums: tuple[TextSums, ...]
    agreement: Agreement | None
    most: int

    def plus(self, other: GroupSums) -> GroupSums:
        """Returns the sums of both."""
        pairs = zip(self.sums, other.sums, strict=True)
        agreement = self.agreement
        if agreement is not None and other.agreement is not None:
            agreement = Agreement.total((agreement, other.agreement), self.most)
        return GroupSums(tuple(map(TextSums.total, pairs)), agreement, self.most)

    def placed(self, place: Callable[[int, int, str], str]) -> GroupSums:
        """Returns the sums with other places of their examples."""
        sums = tuple(each._placed(place) for each in self.sums)
        agreement = None if self.agreement is None else self.agreement._placed(place)
        return GroupSums(sums, agreement, self.most)


class GroupMeter:
    """Adds up texts of a group for all tokenizers."""

    def __init__(
        self,
        tokenizers: dict[str, Tokenizer],
        specials: Specials | None,
        disagreements: int | None,
        threads: int | None,
    ) -> None:
        """Creates the sums of no texts.

        Args:
            tokenizers: The tokenizers by name.
            specials: How special tokens in a text are treated.
            disagreements: The maximum number of disagreements to keep; None to count no agreement.
            threads: The number of threads.
        """
        self._meters = {
            name: _TextMeter(tok, specials, threads) for name, tok in tokenizers.items()
        }
        self._most = disagreements or 0
        self._agreement: AgreementMeter | None = None
        if disagreements is not None:
            self._agreement = AgreementMeter(tokenizers, self._most, specials, threads)

    def add(self, texts: ArrowTexts | Sequence[str], place: Callable[[int], Place]) -> None:
        """Adds texts, which follow those of earlier calls."""
        for name, meter in self._meters.items():
            try:
                meter.add(texts, place)
            except PieceworkError as error:
                locate(error, lambda index: place(index)[2])
                raise (error.at(name) if len(self._meters) > 1 else error) from None
        if self._agreement is not None:
            self._agreement.add([texts[index] for index in range(len(texts))], place)

    def sums(self) -> GroupSums:
        """Returns the sums over the texts so far."""
        sums = tuple(meter.sums() for meter in self._meters.values())
        agreement = None if self._agreement is None else self._agreement.sums()
        return GroupSums(sums, agreement, self._most)
