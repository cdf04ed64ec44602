"""Adds up the figures of texts for one or several tokenizers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from piecework._core import TextMeasures
from piecework._exceptions import locate
from piecework.analysis._evaluation.agreement import Agreement, AgreementMeter
from piecework.analysis._evaluation.sums import EXAMPLES, ChangedText, TextSums
from piecework.errors import PieceworkError
from piecework.tokenizer._options import UNLIMITED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from piecework._core import ArrowTexts
    from piecework._settings.arguments import Specials
    from piecework.analysis._measuring import Place
    from piecework.tokenizer import Tokenizer

__all__ = ["GroupMeter", "GroupSums"]

_BEFORE, _AFTER = 20, 40
"""The number of characters of an example before and after its first difference."""
_BLOCK = 4096
"""The number of characters that are compared at a time."""


class TextMeter:
    """Adds up texts for one tokenizer."""

    def __init__(self, tok: Tokenizer, specials: Specials | None, threads: int | None) -> None:
        self._tok, self._specials, self._threads = tok, specials, threads
        # Without truncation, padding and dropout.
        self._options = tok._options(
            {"add_special_tokens": False, "specials": specials, "sampling": None, **UNLIMITED}
        )
        self._measures = TextMeasures()
        self._changed: list[ChangedText] = []

    def add(self, texts: ArrowTexts | Sequence[str], place: Callable[[int], Place]) -> None:
        """Adds texts, which follow those of earlier calls."""
        missing = EXAMPLES - len(self._changed)
        core, threads = self._tok._core, self._threads
        for index in self._measures.add(core, texts, self._options, missing, threads):
            self._changed.append(self._example(texts[index], *place(index)))

    def _example(self, text: str, source: int, position: int, place: str) -> ChangedText:
        ids = self._tok.encode_ids(
            text,
            add_special_tokens=False,
            specials=self._specials,
            truncation=None,
            padding=None,
            sampling=None,
        )
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
        sums = (
            replace(
                each,
                changed=tuple(one._replace(place=place(*one[:3])) for one in each.changed),
            )
            for each in self.sums
        )
        agreement = self.agreement
        if agreement is not None:
            found = (
                replace(one, place=place(one.source, one.position, one.place))
                for one in agreement.disagreements
            )
            agreement = replace(agreement, disagreements=tuple(found))
        return GroupSums(tuple(sums), agreement, self.most)


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
        self._meters = {name: TextMeter(tok, specials, threads) for name, tok in tokenizers.items()}
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
