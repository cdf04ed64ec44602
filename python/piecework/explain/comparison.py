"""Compares the segmentations of one text by several tokenizers."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from piecework._immutable import Immutable, dataclass
from piecework.arguments import check_str
from piecework.display import cell_width, padded, quoted, visible
from piecework.errors import RegexError, UnknownTokenError, wrong_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from piecework.tokenizer import Tokenizer

__all__ = ["Block", "Comparison", "Split", "checked_tokenizers", "compare"]


@dataclass(frozen=True, slots=True)
class Split(Immutable):
    """Holds one tokenizer's segmentation of a text, without added special tokens.

    Attributes:
        name: The name of the tokenizer.
        model: The type of its model.
        tokens: The tokens, as in the vocabulary.
        display_tokens: The tokens in readable form.
        ids: The token ids.
        offsets: The start and end of each token, in characters of the text.
    """

    name: str
    model: str
    tokens: tuple[str, ...]
    display_tokens: tuple[str, ...]
    ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]

    def __str__(self) -> str:
        """Returns the tokens in readable form."""
        return " ".join(map(quoted, self.display_tokens))

    def __len__(self) -> int:
        """Returns the number of tokens."""
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Block(Immutable):
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
class Comparison(Immutable):
    """Holds the segmentations of one text by several tokenizers; print it for a table.

    Attributes:
        text: The text.
        splits: The segmentation of each tokenizer, in the given order.
        blocks: The blocks of the text, one after the other, between the positions where all tokenizers have a boundary.
    """

    text: str
    splits: tuple[Split, ...]
    blocks: tuple[Block, ...]

    def __str__(self) -> str:
        """Returns one line per tokenizer: name, number of tokens, aligned tokens; marks are below what is cut differently."""
        return "\n".join(self.lines())

    def lines(self, width: int | None = None) -> Iterator[str]:
        """Iterates over the lines of the table.

        Args:
            width: The number of columns of the terminal, to which the table is divided; None for no limit.

        Yields:
            For each part of the table a line for each tokenizer, and one with marks unless all agree; an empty line between
            two parts.
        """
        from piecework.explain.columns import aligned_lines

        names = [visible(split.name) for split in self.splits]
        names_width = max(map(cell_width, names), default=0)
        count_width = max((len(str(len(split))) for split in self.splits), default=0)
        heads = [
            f"{padded(name, names_width)}  {len(split):{count_width}}"
            for name, split in zip(names, self.splits, strict=True)
        ]
        return aligned_lines(heads, self.blocks, width)

    def __repr__(self) -> str:
        """Returns the text and the number of tokens by tokenizer."""
        counts = ", ".join(f"{split.name} {len(split)}" for split in self.splits)
        return f"<Comparison: {self.text!r}: {counts}>"

    def _repr_html_(self) -> str:
        """Returns an HTML table, for notebooks."""
        rows = (
            f"<tr><th>{escape(visible(split.name))}</th><td>{len(split)}</td>{self._html_cells(number)}</tr>"
            for number, split in enumerate(self.splits)
        )
        caption = escape(visible(self.text))
        return f"<table><caption>{caption}</caption>{''.join(rows)}</table>"

    def _html_cells(self, number: int) -> str:
        """Returns a cell for each block, with the tokens of a tokenizer; those cut differently are marked."""
        return "".join(
            _html_cell(block.tokens[number], block.ids[number], agrees=block.agrees)
            for block in self.blocks
        )

    def to_dict(self) -> dict[str, Any]:
        """Returns the comparison as JSON values.

        Returns:
            The text, and for each tokenizer its name, model, number of tokens, tokens as in the vocabulary and in readable
            form, ids and offsets; then the blocks.
        """
        splits = [
            {
                "name": split.name,
                "model": split.model,
                "count": len(split),
                "tokens": list(split.tokens),
                "display_tokens": list(split.display_tokens),
                "ids": list(split.ids),
                "offsets": [list(span) for span in split.offsets],
            }
            for split in self.splits
        ]
        blocks = [
            {
                "start": block.start,
                "end": block.end,
                "tokens": [list(tokens) for tokens in block.tokens],
                "ids": [list(ids) for ids in block.ids],
                "agrees": block.agrees,
            }
            for block in self.blocks
        ]
        return {"text": self.text, "splits": splits, "blocks": blocks}


def _html_cell(tokens: Sequence[str], ids: Sequence[int], *, agrees: bool) -> str:
    boxes = " ".join(
        f'<code title="{number}">{escape(token)}</code>'
        for token, number in zip(tokens, ids, strict=True)
    )
    return f"<td>{boxes}</td>" if agrees else f"<td><mark>{boxes}</mark></td>"


def compare(text: str, tokenizers: Mapping[str, Tokenizer]) -> Comparison:
    """Compares the segmentations of one text by several tokenizers.

    Args:
        text: A word, or any text.
        tokenizers: A mapping of names to tokenizers.

    Returns:
        The segmentations, without added special tokens, aligned in blocks; print it for a table.

    Raises:
        UnknownTokenError: A word is unknown to a tokenizer without unknown token; the message contains its name.
        RegexError: A pattern of a tokenizer exceeded its limit of steps; the message contains its name.
        SurrogateError: The text contains a lone surrogate.

    >>> import piecework as pw
    >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> tok = pw.train(words, pw.WordPieceTrainer(20, criterion="pmi", max_merges=3, ties="first"))
    >>> print(pw.compare("pugs", {"longest match": tok, "merges": tok.as_bpe()}))
    longest match  3  p ##u ##gs
    merges         3  p ##u ##gs
    """
    text = check_str("text", text)
    pairs = checked_tokenizers(tokenizers).items()
    splits = tuple(_split(text, name, tokenizer) for name, tokenizer in pairs)
    return Comparison(text, splits, tuple(_blocks(text, splits)))


def _blocks(text: str, splits: Sequence[Split]) -> Iterator[Block]:
    """Iterates over the blocks of a text; an empty text has one if it has tokens."""
    import numpy as np

    from piecework.explain.alignment import align, white_space

    if not any(map(len, splits)) and not text:
        return
    if not text:
        yield _block((0, 0), splits, [range(len(split)) for split in splits], agrees=False)
        return
    spans = [np.array(split.offsets, dtype=np.int64).reshape(-1, 2) for split in splits]
    texts = [np.zeros(len(split), dtype=np.int64) for split in splits]
    aligned = align(white_space(text), spans, texts, np.array([len(text)]))
    bounds = [*aligned.starts.tolist(), len(text)]
    groups = [_positions(blocks.tolist()) for blocks in aligned.blocks]
    for number, agrees in enumerate(aligned.agrees.tolist()):
        found = [group.get(number, ()) for group in groups]
        yield _block((bounds[number], bounds[number + 1]), splits, found, agrees=agrees)


def _block(
    span: tuple[int, int],
    splits: Sequence[Split],
    positions: Sequence[Sequence[int]],
    *,
    agrees: bool,
) -> Block:
    """Returns a block with the tokens at positions of each segmentation."""
    pairs = list(zip(splits, positions, strict=True))
    tokens = tuple(tuple(split.display_tokens[at] for at in found) for split, found in pairs)
    ids = tuple(tuple(split.ids[at] for at in found) for split, found in pairs)
    return Block(*span, tokens, ids, agrees)


def _positions(blocks: Sequence[int]) -> dict[int, list[int]]:
    """Returns the positions of the tokens of each block."""
    groups: dict[int, list[int]] = {}
    for position, block in enumerate(blocks):
        groups.setdefault(block, []).append(position)
    return groups


def checked_tokenizers(tokenizers: object) -> Mapping[str, Tokenizer]:
    """Returns a mapping of names to tokenizers, or raises TypeError for anything else."""
    if not isinstance(tokenizers, Mapping):
        kind = type(tokenizers).__name__
        raise TypeError(f"tokenizers must be a mapping of names to tokenizers, not {kind}")
    for tokenizer in tokenizers.values():
        if not hasattr(tokenizer, "model_type"):
            raise wrong_type("tokenizers", "tokenizers as the values of a mapping", tokenizer)
    return tokenizers


def _split(text: str, name: str, tokenizer: Tokenizer) -> Split:
    try:
        encoding = tokenizer.encode(text, add_special_tokens=False, truncation=None, padding=None)
    except (RegexError, UnknownTokenError) as error:
        raise error.at(name) from None
    return Split(
        name,
        tokenizer.model_type,
        tuple(encoding.tokens),
        tuple(map(tokenizer.display_token, encoding.tokens)),
        tuple(encoding.ids),
        tuple(encoding.offsets),
    )
