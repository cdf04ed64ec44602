"""Counts how much of texts tokenizers cut in the same way, and keeps the first that they cut differently."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from piecework._settings.arguments import check_index, checked_parts
from piecework._settings.immutable import Record, dataclass
from piecework.analysis._comparison.alignment import align, white_space
from piecework.analysis._comparison.comparison import Block, alignment, compare
from piecework.analysis._measuring import PLAIN, Place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from piecework._settings.arguments import Specials
    from piecework._show.document import Block as ShownBlock
    from piecework.tokenizer import Tokenizer
    from piecework.tokenizer._options import EncodeOptions

    Integers = npt.NDArray[np.int64]

_AROUND = 2
"""The number of blocks that are shown before and after a disagreement."""
_CHARACTERS = 1 << 20
"""The number of characters that are aligned at a time, whose arrays take about 50 times as much."""


@dataclass(frozen=True, slots=True)
class Disagreement(Record):
    """Shows the first part of a text that tokenizers cut differently.

    Attributes:
        source: The number of the file, or of the group of texts.
        position: The position in the file as :attr:`Documents.positions`, or the number of the text from 0.
        place: The file and the line or row, or the number of the text.
        start: The first character of the part in the text.
        text: The part: the text of the first block that tokenizers cut differently.
        tokens: The tokens of each tokenizer in it, in readable form, by its name.
        blocks: The block, and a few before and after it.
    """

    source: int
    position: int
    place: str
    start: int
    text: str
    tokens: Mapping[str, tuple[str, ...]]
    blocks: tuple[Block, ...]

    def __str__(self) -> str:
        """Returns the place and the aligned segmentations."""
        from piecework._show.terminal import as_text

        return as_text(self._document())

    def _document(self) -> Iterator[ShownBlock]:
        from piecework._show.document import Text

        yield Text(self.place)
        yield alignment([(name,) for name in self.tokens], self.blocks)

    def to_dict(self) -> dict[str, Any]:
        """Returns the place, the start, the text, and the tokens of each tokenizer as JSON values."""
        tokens = {name: list(each) for name, each in self.tokens.items()}
        return {"place": self.place, "start": self.start, "text": self.text, "tokens": tokens}


@dataclass(frozen=True, slots=True)
class Agreement(Record):
    r"""Holds how much of some texts all tokenizers cut in the same way, apart from tokens of white space alone.

    Attributes:
        texts: The number of texts.
        characters: The number of their characters.
        equal_texts: The number of texts that all tokenizers cut in the same way.
        equal_characters: The number of characters in blocks that all tokenizers cut in the same way.
        disagreements: The first texts that they cut differently.

    >>> import piecework as pw
    >>> two = {"a": pw.Tokenizer.from_str("[UNK]\nlow\n##er\n"), "b": pw.Tokenizer.from_str("[UNK]\nlower\nlow\n")}
    >>> agreement = pw.evaluate(two, ["low", "lower"], disagreements=1).agreement
    >>> agreement.text_agreement, agreement.disagreements[0].tokens
    (0.5, {'a': ('low', '##er'), 'b': ('lower',)})
    """

    texts: int = 0
    characters: int = 0
    equal_texts: int = 0
    equal_characters: int = 0
    disagreements: tuple[Disagreement, ...] = ()

    @property
    def text_agreement(self) -> float:
        """Returns the share of texts that all tokenizers cut in the same way; 1 without texts."""
        return self.equal_texts / self.texts if self.texts else 1.0

    @property
    def character_agreement(self) -> float:
        """Returns the share of characters in blocks that all tokenizers cut in the same way; 1 without characters."""
        return self.equal_characters / self.characters if self.characters else 1.0

    def to_dict(self) -> dict[str, Any]:
        """Returns the numbers, the shares and the disagreements as JSON values."""
        return {
            "texts": self.texts,
            "characters": self.characters,
            "text_agreement": self.text_agreement,
            "character_agreement": self.character_agreement,
            "disagreements": [each.to_dict() for each in self.disagreements],
        }

    @classmethod
    def total(cls, parts: Iterable[Agreement], most: int) -> Agreement:
        """Returns the sum of parts, with at most the first `most` disagreements."""
        each, most = tuple(checked_parts(cls, parts)), check_index("most", most)
        found = [disagreement for part in each for disagreement in part.disagreements]
        found.sort(key=lambda one: (one.source, one.position))
        names = ("texts", "characters", "equal_texts", "equal_characters")
        sums = {name: sum(getattr(part, name) for part in each) for name in names}
        return cls(**sums, disagreements=tuple(found[:most]))

    def _placed(self, place: Callable[[int, int, str], str]) -> Agreement:
        found = (
            replace(each, place=place(each.source, each.position, each.place))
            for each in self.disagreements
        )
        return replace(self, disagreements=tuple(found))


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
        self._given: EncodeOptions = {**PLAIN, "specials": specials}
        self._threads = threads
        self._total = Agreement()

    def add(self, texts: Sequence[str], place: Callable[[int], Place]) -> None:
        """Adds texts, which follow those of earlier calls."""
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
            texts, offsets=True, threads=self._threads, **self._given
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
    place: Place, text: str, tokenizers: Mapping[str, Tokenizer]
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
