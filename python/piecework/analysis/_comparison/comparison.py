"""Compares the segmentations of one text by several tokenizers."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from piecework._display import abridged, display_token, quoted
from piecework._result import Result
from piecework._settings.arguments import check_index, check_range, check_str
from piecework._settings.immutable import Record, dataclass
from piecework.analysis._comparison.alignment import align, white_space
from piecework.errors import RegexError, SurrogateError, UnknownTokenError
from piecework.tokenizer._arguments import TokenizerLike, named_tokenizers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from piecework._show.document import Alignment as ShownAlignment, Block as ShownBlock
    from piecework.analysis._comparison.alignment import Flags, Integers
    from piecework.tokenizer import Tokenizer

    _Tokens = tuple[tuple[str, ...], tuple[int, ...]]
    """Tokens in readable form, and their ids."""

_MAX_TEXT = 60
"""The number of characters of the text in a summary."""


@dataclass(frozen=True, slots=True)
class Split(Record):
    """Holds one tokenizer's segmentation of a text, without added special tokens.

    Attributes:
        name: The name of the tokenizer.
        model: The type of its model.
        count: The number of tokens of the whole text.
        tokens: The tokens, as in the vocabulary; with `span` those of the blocks that are listed.
        display_tokens: The tokens in readable form.
        ids: The token ids.
        offsets: The start and end of each token, in characters of the text.
    """

    name: str
    model: str
    count: int
    tokens: tuple[str, ...]
    display_tokens: tuple[str, ...]
    ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]

    def __str__(self) -> str:
        """Returns the tokens in readable form."""
        return " ".join(map(quoted, self.display_tokens))

    def __len__(self) -> int:
        """Returns the number of tokens of the whole text."""
        return self.count


@dataclass(frozen=True, slots=True)
class Block(Record):
    """Holds a part of a text between two positions where all tokenizers have a boundary, and none between.

    Attributes:
        start: The first character of the text.
        end: One past the last character.
        tokens: For each tokenizer its tokens in readable form.
        ids: For each tokenizer the ids of these tokens.
        agrees: Whether all tokenizers cut it in the same way: their tokens cover the same characters, apart from white space
            at the ends of a token.
    """

    start: int
    end: int
    tokens: tuple[tuple[str, ...], ...]
    ids: tuple[tuple[int, ...], ...]
    agrees: bool


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Result["Split"]):
    """Holds the segmentations of one text by several tokenizers, which are its rows; print it for a table.

    Attributes:
        text: The text.
        splits: The segmentation of each tokenizer, in the given order.
        blocks: The blocks of the text, one after the other, between the positions where all tokenizers have a boundary; with
            `span` those that overlap with it.
    """

    text: str
    splits: tuple[Split, ...]
    blocks: tuple[Block, ...]

    @property
    def _rows(self) -> tuple[Split, ...]:
        return self.splits

    def _summary(self) -> str:
        counts = ", ".join(f"{split.name} {len(split)}" for split in self.splits)
        return f"{abridged(self.text, _MAX_TEXT)!r}: {counts}"

    def lines(self, width: int | None = None) -> Iterator[str]:
        """Iterates over the lines of the table: name, number of tokens, tokens; marks are below what is cut differently.

        Args:
            width: The number of columns of the terminal, to which the table is divided; None for no limit.

        Yields:
            For each part of the table a line for each tokenizer, and one with marks unless all agree; an empty line between
            two parts.
        """
        from piecework._show.terminal import lines

        width = None if width is None else check_index("width", width)
        return lines(self._document(), width)

    def _document(self) -> Iterable[ShownBlock]:
        heads = [(split.name, f"{len(split):,}") for split in self.splits]
        return [alignment(heads, self.blocks)]


def compare(
    tokenizers: Sequence[TokenizerLike] | Mapping[str, TokenizerLike],
    text: str,
    *,
    span: tuple[int, int] | None = None,
) -> Comparison:
    """Compares the segmentations of one text by several tokenizers.

    Args:
        tokenizers: A mapping of names to tokenizers, or several in a list.
        text: A word, or any text.
        span: The start and end of a part of the text, in characters; only the blocks that overlap with it are listed, as they
            are in the whole text. None for all.

    Returns:
        The segmentations, without added special tokens, aligned in blocks; print it for a table.

    Raises:
        ConfigError: `span` is no range of the text.
        UnknownTokenError: A word is unknown to a tokenizer without unknown token; the message contains its name.
        RegexError: A pattern of a tokenizer exceeded its limit of steps; the message contains its name.
        SurrogateError: The text contains a lone surrogate.

    >>> import piecework as pw
    >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> tok = pw.train(words, pw.WordPieceTrainer(20, criterion="pmi", max_merges=3, ties="first"))
    >>> print(pw.compare({"longest match": tok, "merges": tok.as_bpe()}, "pugs"))
    longest match  3  p ##u ##gs
    merges         3  p ##u ##gs
    """
    text = check_str("text", text)
    part = (0, len(text)) if span is None else check_range("span", span, len(text))
    encoded = [
        _encode(text, name, tokenizer) for name, tokenizer in named_tokenizers(tokenizers).items()
    ]
    bounds, agrees, blocks = _aligned(text, [each.offsets for each in encoded])
    first, last = _overlapping(bounds, part)
    split = [each.split(own, first, last) for each, own in zip(encoded, blocks, strict=True)]
    spans = pairwise(bounds[first : last + 1].tolist())
    groups = zip(*(tokens for _, tokens in split), strict=True)
    rows = zip(spans, agrees[first:last].tolist(), groups, strict=False)
    return Comparison(text, tuple(whole for whole, _ in split), tuple(_block(*row) for row in rows))


def _overlapping(bounds: Integers, part: tuple[int, int]) -> tuple[int, int]:
    """Returns the first block that overlaps with a part of the text, and one past the last; for an empty part that at its place."""
    start, end = part
    first = int(np.searchsorted(bounds[1:], start, side="right"))
    last = max(int(np.searchsorted(bounds[:-1], end)), first + 1)
    return first, min(last, len(bounds) - 1)


def _block(span: tuple[int, int], agrees: bool, group: Sequence[_Tokens]) -> Block:
    tokens, ids = zip(*group, strict=True)
    return Block(*span, tokens, ids, agrees)


class _Encoded(NamedTuple):
    """Holds the encoding of a text by one tokenizer."""

    name: str
    tokenizer: Tokenizer
    ids: npt.NDArray[np.uint32]
    offsets: Integers

    def split(self, blocks: Integers, first: int, last: int) -> tuple[Split, list[_Tokens]]:
        """Returns the tokens of a range of blocks, all of them and by block."""
        # Tokens are in the order of their blocks, except where offsets go back.
        listed = np.flatnonzero((first <= blocks) & (blocks < last))
        ids = self.ids[listed].tolist()
        names = {number: self._names(number) for number in set(ids)}
        split = Split(
            self.name,
            self.tokenizer.model_type,
            len(self.ids),
            tuple(names[number][0] for number in ids),
            tuple(names[number][1] for number in ids),
            tuple(ids),
            tuple(map(tuple, self.offsets[listed].tolist())),
        )
        order = np.argsort(blocks[listed], kind="stable")
        ends = np.searchsorted(blocks[listed][order], np.arange(first, last), side="right").tolist()
        sorted_ids = [ids[place] for place in order.tolist()]
        sorted_names = [names[number][1] for number in sorted_ids]
        groups = [
            (tuple(sorted_names[start:end]), tuple(sorted_ids[start:end]))
            for start, end in pairwise([0, *ends])
        ]
        return split, groups

    def _names(self, number: int) -> tuple[str, str]:
        core = self.tokenizer._core
        token = core.id_to_token(number) or ""
        return token, display_token(core.token_bytes(number))


def _encode(text: str, name: str, tokenizer: Tokenizer) -> _Encoded:
    try:
        batch = tokenizer.encode_batch(
            [text], add_special_tokens=False, truncation=None, padding=None, threads=1
        )
    except SurrogateError as error:
        error.place = ""
        raise
    except (RegexError, UnknownTokenError) as error:
        error.place = error.place.removeprefix("text 0: ")
        raise error.at(name) from None
    return _Encoded(name, tokenizer, batch.ids, batch.offsets.astype(np.int64))


def _aligned(text: str, offsets: Sequence[Integers]) -> tuple[Integers, Flags, Sequence[Integers]]:
    """Returns the bounds of the blocks, whether each agrees, and for each tokenizer the blocks of its tokens."""
    if text:
        texts = [np.zeros(len(each), dtype=np.int64) for each in offsets]
        starts, agrees, blocks = align(white_space(text), offsets, texts, np.array([len(text)]))
        return np.append(starts, len(text)), agrees, blocks
    # An empty text has one block if it has tokens.
    count = int(any(map(len, offsets)))
    return (
        np.zeros(count + 1, dtype=np.int64),
        np.zeros(count, dtype=bool),
        [each[:, 0] for each in offsets],
    )


def alignment(heads: Sequence[Sequence[str]], blocks: Iterable[Block]) -> ShownAlignment:
    """Returns segmentations, of which each has a head, in blocks."""
    from piecework._show.document import Alignment, Column, Token

    columns = [
        Column(
            [
                [Token(token, f"id {number}") for token, number in zip(*row, strict=True)]
                for row in zip(block.tokens, block.ids, strict=True)
            ],
            block.agrees,
        )
        for block in blocks
    ]
    return Alignment(heads, columns)
