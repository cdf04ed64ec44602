"""Counts the texts that tokenizers cut in the same way, and keeps the first that they cut differently."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from piecework.analysis._comparison.alignment import align, white_space
from piecework.analysis._comparison.comparison import compare
from piecework.analysis._evaluation.agreement import Agreement, Disagreement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from piecework._settings.arguments import Specials
    from piecework.tokenizer import Tokenizer

    Integers = npt.NDArray[np.int64]

__all__ = ["AgreementMeter"]

_AROUND = 2
"""The number of blocks that are shown before and after a disagreement."""
_CHARACTERS = 1 << 20
"""The number of characters that are aligned at a time, whose arrays take about 50 times as much."""


class _Tokens(NamedTuple):
    """Holds the tokens of a tokenizer for some texts: their spans in characters, and the number of the text of each."""

    spans: Integers
    texts: Integers


class AgreementMeter:
    """Adds up how much of texts all tokenizers cut in the same way."""

    def __init__(
        self,
        tokenizers: Mapping[str, Tokenizer],
        most: int,
        specials: Specials | None,
        threads: int | None,
    ) -> None:
        """Creates the sums of no texts.

        Args:
            tokenizers: The tokenizers by name.
            most: The maximum number of disagreements to keep.
            specials: How special tokens in a text are treated.
            threads: The number of threads.
        """
        self._tokenizers, self._most = tokenizers, most
        self._specials, self._threads = specials, threads
        self._total = Agreement()

    def add(self, texts: Sequence[str], place: Callable[[int], tuple[int, int, str]]) -> None:
        """Adds texts.

        Args:
            texts: The texts.
            place: Returns for the index of a text the number of its file, its position, and its place for people.
        """
        for start, end in _slices(texts):
            part = texts[start:end]
            every = [self._tokens(name, part) for name in self._tokenizers]
            lengths = np.array([len(text) for text in part], dtype=np.int64)
            equal = _equal_characters(part, lengths, every)
            found: list[Disagreement] = []
            for index in np.flatnonzero(equal != lengths).tolist():
                if len(self._total.disagreements) + len(found) >= self._most:
                    break
                found += _disagreement(place(start + index), part[index], self._tokenizers)
            sums = len(part), int(lengths.sum()), int((equal == lengths).sum()), int(equal.sum())
            self._total = Agreement.total([self._total, Agreement(*sums, tuple(found))], self._most)

    def sums(self) -> Agreement:
        """Returns the sums over the texts so far."""
        return self._total

    def _tokens(self, name: str, texts: Sequence[str]) -> _Tokens:
        """Returns the tokens of texts by a tokenizer."""
        # What cannot be encoded was an error of the other measures, which come first.
        batch = self._tokenizers[name].encode_batch(
            texts,
            add_special_tokens=False,
            specials=self._specials,
            truncation=None,
            padding=None,
            sampling=None,
            offsets=True,
            threads=self._threads,
        )
        counts = np.diff(batch.row_offsets)
        rows = np.repeat(np.arange(len(counts)), counts)
        return _Tokens(batch.offsets.astype(np.int64).reshape(-1, 2), rows)


def _slices(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Iterates over the bounds of parts of texts with a bounded number of characters."""
    start = characters = 0
    for index, text in enumerate(texts, 1):
        characters += len(text)
        if characters >= _CHARACTERS or index == len(texts):
            yield start, index
            start, characters = index, 0


def _equal_characters(
    texts: Sequence[str], lengths: Integers, every: Sequence[_Tokens]
) -> Integers:
    """Returns for each text the number of characters in blocks that all tokenizers cut in the same way."""
    has_text = lengths > 0
    ends = np.cumsum(lengths)
    starts = ends - lengths
    numbers = np.cumsum(has_text) - 1
    spans, rows = [], []
    for tokens in every:
        is_kept = has_text[tokens.texts]
        owners = tokens.texts[is_kept]
        spans.append(tokens.spans[is_kept] + starts[owners][:, None])
        rows.append(numbers[owners])
    if not has_text.any():
        return np.zeros(len(texts), dtype=np.int64)
    text = "".join(texts)
    aligned = align(white_space(text), spans, rows, ends[has_text])
    sizes = np.diff(aligned.starts, append=len(text))
    owners = np.searchsorted(ends, aligned.starts, side="right")
    return np.bincount(
        owners[aligned.agrees], weights=sizes[aligned.agrees], minlength=len(texts)
    ).astype(np.int64)


def _disagreement(
    place: tuple[int, int, str], text: str, tokenizers: Mapping[str, Tokenizer]
) -> list[Disagreement]:
    """Returns the first part of a text that tokenizers cut differently, if there is one."""
    blocks = compare(tokenizers, text).blocks
    number = next((at for at, block in enumerate(blocks) if not block.agrees), None)
    if number is None:
        return []
    block = blocks[number]
    around = blocks[max(0, number - _AROUND) : number + _AROUND + 1]
    tokens = dict(zip(tokenizers, block.tokens, strict=True))
    return [Disagreement(*place, block.start, text[block.start : block.end], tokens, around)]
