"""Encodes texts with two tokenizers, and finds those with different results."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from piecework._core import ArrowTexts
from piecework.arguments import check_iterable, check_str
from piecework.difference.result import Outcome, TextChange
from piecework.errors import PieceworkError, to_utf8
from piecework.io.documents import find_all_documents, find_place, read_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import numpy.typing as npt

    from piecework.io.documents import ReadOptions
    from piecework.io.files import Pathish
    from piecework.io.sources import Source
    from piecework.tokenizer import Tokenizer

    Ids = npt.NDArray[np.uint32]

__all__ = ["Behaviour", "TextBatch", "file_batches", "text_batches"]

_BATCH = 4096
"""The number of texts that are encoded at a time."""
_BATCH_BYTES = 2 << 20
"""The bytes of documents that are encoded at a time."""


class TextBatch(NamedTuple):
    """Holds some texts, and a function from the number of a text to its place."""

    texts: list[str]
    place: Callable[[int], str | None]


def text_batches(texts: Iterable[str]) -> Iterator[TextBatch]:
    """Iterates over batches of texts, which have no place."""
    each = map(_checked, check_iterable("texts", texts, "an iterable of texts"))
    while batch := list(islice(each, _BATCH)):
        yield TextBatch(batch, lambda _: None)


def _checked(text: object) -> str:
    checked = check_str("texts", text)
    to_utf8(checked)  # raises on surrogates
    return checked


def file_batches(paths: Pathish | Iterable[Pathish], options: ReadOptions) -> Iterator[TextBatch]:
    """Iterates over batches of the documents of files."""
    sources = find_all_documents(paths, options, "files")
    for source, documents, _ in read_all(sources, options, _BATCH_BYTES):
        column, positions = ArrowTexts(documents.texts), documents.positions.tolist()

        def place(index: int, source: Source = source, positions: list[int] = positions) -> str:
            return find_place(source, positions[index], options)

        yield TextBatch([column[index] for index in range(len(column))], place)


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
        self.tried += len(batch.texts)
        old, new = (_encoded(tokenizer, batch.texts) for tokenizer in (self.old, self.new))
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            if not self._differs(one, other):
                continue
            self.changed += 1
            if len(self.texts) < self.examples:
                text, place = batch.texts[index], batch.place(index)
                outcomes = _outcome(self.old, one), _outcome(self.new, other)
                self.texts.append(TextChange(text, place, *outcomes))

    def _differs(self, old: Ids | str, new: Ids | str) -> bool:
        if isinstance(old, str) or isinstance(new, str):
            return not (isinstance(old, str) and isinstance(new, str) and old == new)
        if not np.array_equal(old, new):
            return True
        return not self.reused.isdisjoint(old.tolist())


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
