"""Sums up the figures of tokenizers over batches of documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from piecework._core import ArrowTexts
from piecework.errors import ArrowError, ConfigError, PieceworkError, shown
from piecework.explain.alignment import align, white_space
from piecework.explain.comparison import compare
from piecework.explain.files import (
    ALL,
    Disagreement,
    Figures,
    FilesComparison,
    GroupComparison,
)
from piecework.io.documents import find_place, locate_error

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    from piecework.arguments import ArrowColumn
    from piecework.io.documents import Documents, ReadOptions
    from piecework.io.sources import Source
    from piecework.tokenizer import Tokenizer

    Integers = npt.NDArray[np.int64]

__all__ = ["Accumulation"]

_AROUND = 2
"""The number of blocks that are shown before and after a disagreement."""


class Tokens(NamedTuple):
    """Holds the tokens of a tokenizer for a batch of documents.

    Attributes:
        spans: The start and end of each token in the characters of its document.
        documents: The number of the document of each token.
        counts: The number of tokens of each document.
        unknown: The number of unknown tokens of each document.
    """

    spans: Integers
    documents: Integers
    counts: Integers
    unknown: Integers


@dataclass(slots=True)
class Sums:
    """Holds the sums of a group of documents; the last two are for each tokenizer."""

    documents: int
    chars: int
    bytes: int
    same_documents: int
    same_chars: int
    tokens: Integers
    unknown: Integers

    @classmethod
    def zero(cls, tokenizers: int) -> Sums:
        """Returns the sums of no documents."""
        return cls(0, 0, 0, 0, 0, np.zeros(tokenizers, np.int64), np.zeros(tokenizers, np.int64))

    def comparison(self, name: str, names: Iterable[str]) -> GroupComparison:
        """Returns the figures of the group."""
        rows = zip(names, self.tokens.tolist(), self.unknown.tolist(), strict=True)
        figures = {
            tokenizer: Figures(
                tokens,
                unknown,
                self.chars / tokens if tokens else None,
                self.bytes / tokens if tokens else None,
                unknown / tokens if tokens else None,
            )
            for tokenizer, tokens, unknown in rows
        }
        return GroupComparison(
            name,
            self.documents,
            self.chars,
            self.bytes,
            self.same_documents,
            self.same_chars,
            figures,
        )


class Accumulation:
    """Sums up figures by group, and keeps the first documents that tokenizers cut differently."""

    def __init__(
        self,
        tokenizers: Mapping[str, Tokenizer],
        reading: ReadOptions,
        examples: int,
        threads: int | None,
    ) -> None:
        """Creates sums of no documents.

        Args:
            tokenizers: The tokenizers by name.
            reading: The options with which the documents are read.
            examples: The maximum number of documents to keep.
            threads: The number of threads.
        """
        self._tokenizers, self._reading, self._threads = tokenizers, reading, threads
        self._examples = examples
        self._groups: dict[str, Sums] = {}
        self._total = Sums.zero(len(tokenizers))
        self._disagreements: list[Disagreement] = []

    def add(
        self, source: Source, documents: Documents, group: str | None, member: str | None
    ) -> None:
        """Adds a batch of documents.

        Args:
            source: The source of the documents.
            documents: The documents.
            group: The group of all of them; None for none.
            member: The member or column with the group of each document; None for none.
        """
        if not len(documents):
            return
        column = ArrowTexts(documents.texts)
        texts = [column[index] for index in range(len(column))]
        every = [
            self._tokens(name, tokenizer, source, documents)
            for name, tokenizer in self._tokenizers.items()
        ]
        same = _same_chars(texts, every)
        is_same = same == np.array([len(text) for text in texts], dtype=np.int64)
        figures = _Figures(texts, every, same, is_same)
        figures.add_to(self._total, slice(None))
        if group is not None:
            figures.add_to(self._group(group), slice(None))
        elif member is not None:
            for name, rows in _rows_by_value(documents, member, source).items():
                figures.add_to(self._group(name), np.array(rows))
        for index in np.flatnonzero(~is_same)[: self._examples - len(self._disagreements)]:
            position = int(documents.positions[index])
            place = find_place(source, position, self._reading)
            self._disagreements += _disagreement(place, texts[index], self._tokenizers)

    def result(self) -> FilesComparison:
        """Returns the figures of all documents that were added."""
        groups = tuple(
            sums.comparison(name, self._tokenizers) for name, sums in self._groups.items()
        )
        total = self._total.comparison(ALL, self._tokenizers)
        return FilesComparison(groups, total, tuple(self._disagreements))

    def _group(self, name: str) -> Sums:
        return self._groups.setdefault(name, Sums.zero(len(self._tokenizers)))

    def _tokens(
        self, name: str, tokenizer: Tokenizer, source: Source, documents: Documents
    ) -> Tokens:
        """Returns the tokens of a batch of documents."""
        try:
            batch = tokenizer.encode_batch(
                cast("ArrowColumn", documents.texts),
                add_special_tokens=False,
                truncation=None,
                padding=None,
                offsets=True,
                threads=self._threads,
            )
        except PieceworkError as error:
            locate_error(error, source, documents.positions)
            raise error.at(name) from None
        counts = np.diff(batch.row_offsets)
        rows = np.repeat(np.arange(len(counts)), counts)
        unk_token = tokenizer.unk_token
        is_unknown = batch.ids == (-1 if unk_token is None else tokenizer.token_to_id(unk_token))
        unknown = np.bincount(rows[is_unknown], minlength=len(counts))
        return Tokens(batch.offsets.astype(np.int64).reshape(-1, 2), rows, counts, unknown)


@dataclass(slots=True)
class _Figures:
    """Holds the figures of each document of a batch."""

    texts: Sequence[str]
    every: Sequence[Tokens]
    same_chars: Integers
    is_same: npt.NDArray[np.bool_]

    def add_to(self, sums: Sums, rows: slice | Integers) -> None:
        """Adds the figures of some documents to the sums of a group."""
        chars = np.array([len(text) for text in self.texts])[rows]
        sums.documents += len(chars)
        sums.chars += int(chars.sum())
        sums.bytes += int(np.array([len(text.encode()) for text in self.texts])[rows].sum())
        sums.same_documents += int(self.is_same[rows].sum())
        sums.same_chars += int(self.same_chars[rows].sum())
        sums.tokens += np.array([tokens.counts[rows].sum() for tokens in self.every])
        sums.unknown += np.array([tokens.unknown[rows].sum() for tokens in self.every])


def _same_chars(texts: Sequence[str], every: Sequence[Tokens]) -> Integers:
    """Returns for each document the number of characters in blocks that all tokenizers cut in the same way."""
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    has_text = lengths > 0
    ends = np.cumsum(lengths)
    starts = ends - lengths
    numbers = np.cumsum(has_text) - 1
    spans, rows = [], []
    for tokens in every:
        is_kept = has_text[tokens.documents]
        documents = tokens.documents[is_kept]
        spans.append(tokens.spans[is_kept] + starts[documents][:, None])
        rows.append(numbers[documents])
    same = np.zeros(len(texts), dtype=np.int64)
    if not has_text.any():
        return same
    text = "".join(texts)
    aligned = align(white_space(text), spans, rows, ends[has_text])
    sizes = np.diff(aligned.starts, append=len(text))
    owners = np.searchsorted(ends, aligned.starts, side="right")
    return np.bincount(
        owners[aligned.agrees], weights=sizes[aligned.agrees], minlength=len(texts)
    ).astype(np.int64)


def _rows_by_value(documents: Documents, member: str, source: Source) -> dict[str, list[int]]:
    """Returns the documents of each value of a member or column."""
    if member not in documents.kept:
        problem = f"lines of text have no member {shown(member)}"
        raise ConfigError(
            problem, setting="by", place=f"{source.shown_name}: ", hint='pass `by="file"`'
        )
    try:
        values = ArrowTexts(documents.kept[member])
    except ArrowError:
        problem = f"expected a string {shown(member)} in every document, found others"
        raise ConfigError(problem, setting="by", place=f"{source.shown_name}: ") from None
    rows: dict[str, list[int]] = {}
    for index in range(len(values)):
        rows.setdefault(values[index], []).append(index)
    return rows


def _disagreement(
    place: str, text: str, tokenizers: Mapping[str, Tokenizer]
) -> Iterable[Disagreement]:
    """Returns the first part of a document that tokenizers cut differently; none if only an empty text has tokens."""
    comparison = compare(tokenizers, text)
    blocks = comparison.blocks
    number = next((at for at, block in enumerate(blocks) if not block.agrees), None)
    if number is None:
        return []
    block = blocks[number]
    around = blocks[max(0, number - _AROUND) : number + _AROUND + 1]
    tokens = dict(zip(tokenizers, block.tokens, strict=True))
    return [Disagreement(place, block.start, text[block.start : block.end], tokens, around)]
