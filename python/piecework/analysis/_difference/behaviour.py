"""Encodes texts with two tokenizers, and finds those with different results."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from piecework._exceptions import to_utf8
from piecework.analysis._difference.result import Outcome, TextChange
from piecework.errors import PieceworkError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from piecework._core import ArrowTexts
    from piecework.analysis._measuring import Place
    from piecework.tokenizer import Tokenizer

    Ids = npt.NDArray[np.uint32]


class _BehaviourSums(NamedTuple):
    """Holds how many texts were tried and encoded differently, and at most `most` of these."""

    tried: int
    changed: int
    texts: tuple[tuple[Place, TextChange], ...]
    most: int

    def plus(self, other: _BehaviourSums) -> _BehaviourSums:
        """Returns the sums of both."""
        texts = (*self.texts, *other.texts)[: self.most]
        numbers = self.tried + other.tried, self.changed + other.changed
        return _BehaviourSums(*numbers, texts, self.most)

    def placed(self, place: Callable[[int, int, str], str]) -> _BehaviourSums:
        """Returns the sums with other places of the texts."""
        texts = (((*found[:2], place(*found)), change) for found, change in self.texts)
        return self._replace(texts=tuple(texts))


class BehaviourMeter:
    """Counts the texts that two tokenizers encode differently, and keeps the first."""

    def __init__(
        self,
        old: Tokenizer,
        new: Tokenizer,
        examples: int,
        reused: frozenset[int],
        threads: int | None,
    ) -> None:
        """Creates the sums of no texts.

        Args:
            old: The old tokenizer.
            new: The new tokenizer.
            examples: The maximum number of texts to keep.
            reused: The ids that are those of other entries in the new version.
            threads: The number of threads.
        """
        self._old, self._new, self._reused, self._threads = old, new, reused, threads
        self._sums = _BehaviourSums(0, 0, (), examples)

    def sums(self) -> _BehaviourSums:
        """Returns the sums over the texts so far."""
        return self._sums

    def add(self, texts: ArrowTexts | Sequence[str], place: Callable[[int], Place]) -> None:
        """Adds texts, which follow those of earlier calls."""
        _check(texts, place)
        old = self._encoded(self._old, texts)
        new = self._encoded(self._new, texts)
        pairs = list(zip(old, new, strict=True))
        changed = [index for index, pair in enumerate(pairs) if self._differs(*pair)]
        missing = self._sums.most - len(self._sums.texts)
        found = (
            (place(index), self._change(texts[index], *pairs[index])) for index in changed[:missing]
        )
        added = _BehaviourSums(len(texts), len(changed), tuple(found), self._sums.most)
        self._sums = self._sums.plus(added)

    def _differs(self, old: Ids | str, new: Ids | str) -> bool:
        if isinstance(old, str) or isinstance(new, str):
            return not (isinstance(old, str) and isinstance(new, str) and old == new)
        if not np.array_equal(old, new):
            return True
        return not self._reused.isdisjoint(old.tolist())

    def _change(self, text: str, old: Ids | str, new: Ids | str) -> TextChange:
        return TextChange(text, None, _outcome(self._old, old), _outcome(self._new, new))

    def _encoded(self, tokenizer: Tokenizer, texts: ArrowTexts | Sequence[str]) -> list[Ids | str]:
        """Returns the ids of each text, or the message of the error."""
        try:
            batch = tokenizer.encode_batch(
                texts, truncation=None, padding=None, sampling=None, threads=self._threads
            )
        except PieceworkError:
            return [_encoded_alone(tokenizer, texts[index]) for index in range(len(texts))]
        return list(batch.to_numpy())


def _check(texts: ArrowTexts | Sequence[str], place: Callable[[int], Place]) -> None:
    """Raises SurrogateError for a text with a lone surrogate, which is no difference between tokenizers."""
    if not isinstance(texts, list):  # a column is UTF-8
        return
    for index, text in enumerate(texts):
        try:
            to_utf8(text)
        except PieceworkError as error:
            raise error.at(place(index)[2]) from None


def _encoded_alone(tokenizer: Tokenizer, text: str) -> Ids | str:
    try:
        return np.array(
            tokenizer.encode_ids(text, truncation=None, padding=None, sampling=None),
            dtype=np.uint32,
        )
    except PieceworkError as error:
        return str(error)


def _outcome(tokenizer: Tokenizer, encoded: Ids | str) -> Outcome:
    if isinstance(encoded, str):
        return Outcome((), (), (), encoded)
    ids = encoded.tolist()
    tokens = tuple(tokenizer.id_to_token(number) or "" for number in ids)
    return Outcome(tokens, tuple(map(tokenizer.display_token, tokens)), tuple(ids))
