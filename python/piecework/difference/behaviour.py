"""Encodes texts with two tokenizers, and finds those with different results."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from piecework._core import ArrowTexts
from piecework.difference.result import Outcome, TextChange
from piecework.errors import PieceworkError, to_utf8

if TYPE_CHECKING:
    import numpy.typing as npt

    from piecework.io.texts import TextBatch
    from piecework.tokenizer import Tokenizer

    Ids = npt.NDArray[np.uint32]

__all__ = ["Behaviour"]


@dataclass(slots=True)
class Behaviour:
    """Counts the texts that two tokenizers encode differently, and keeps the first.

    Attributes:
        old: The old tokenizer.
        new: The new tokenizer.
        examples: The maximum number of texts to keep.
        reused: The ids that are those of other entries in the new version.
        tried: The number of texts.
        changed: The number of texts with different results.
        texts: The first of these.
    """

    old: Tokenizer
    new: Tokenizer
    examples: int
    reused: frozenset[int]
    tried: int = 0
    changed: int = 0
    texts: list[TextChange] = field(default_factory=list)

    def add(self, batch: TextBatch) -> None:
        """Encodes some texts with both tokenizers."""
        texts = _checked(batch)
        self.tried += len(texts)
        old, new = (_encoded(tokenizer, texts) for tokenizer in (self.old, self.new))
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            if not self._differs(one, other):
                continue
            self.changed += 1
            if len(self.texts) < self.examples:
                text, place = texts[index], batch.place(index) if batch.is_of_files else None
                outcomes = _outcome(self.old, one), _outcome(self.new, other)
                self.texts.append(TextChange(text, place, *outcomes))

    def _differs(self, old: Ids | str, new: Ids | str) -> bool:
        if isinstance(old, str) or isinstance(new, str):
            return not (isinstance(old, str) and isinstance(new, str) and old == new)
        if not np.array_equal(old, new):
            return True
        return not self.reused.isdisjoint(old.tolist())


def _checked(batch: TextBatch) -> list[str]:
    """Returns the texts of a batch; raises SurrogateError, which is no difference between tokenizers."""
    if isinstance(batch.texts, ArrowTexts):
        return [batch.texts[index] for index in range(len(batch.texts))]
    for index, text in enumerate(batch.texts):
        try:
            to_utf8(text)
        except PieceworkError as error:
            raise error.at(batch.place(index)) from None
    return batch.texts


def _encoded(tokenizer: Tokenizer, texts: list[str]) -> list[Ids | str]:
    """Returns the ids of each text, or the message of the error."""
    try:
        batch = tokenizer.encode_batch(texts, truncation=None, padding=None, sampling=None)
    except PieceworkError:
        return [_encoded_alone(tokenizer, text) for text in texts]
    return list(batch.to_numpy())


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
