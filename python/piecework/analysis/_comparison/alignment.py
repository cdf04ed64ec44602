"""Aligns the segmentations of a text by several tokenizers: blocks between the positions where all of them have a boundary."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Integers = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]

_SPACES = np.array([code for code in range(0x3001) if chr(code).isspace()], dtype=np.uint32)
"""The code points of white space; there are none beyond."""


class Alignment(NamedTuple):
    """Holds the blocks of one or several texts that follow one another.

    Attributes:
        starts: The first character of each block; a block ends where the next one begins, the last one at the end.
        agrees: For each block whether all tokenizers cut it in the same way.
        blocks: For each tokenizer the block of each of its tokens.
    """

    starts: Integers
    agrees: Flags
    blocks: tuple[Integers, ...]


def white_space(text: str) -> Flags:
    """Returns for each character of a text whether it is white space.

    >>> white_space("a b").tolist()
    [False, True, False]
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    return np.isin(codes, _SPACES)


def align(
    spaces: Flags, spans: Sequence[Integers], texts: Sequence[Integers], ends: Integers
) -> Alignment:
    """Returns the blocks of texts that follow one another.

    A block ends where every tokenizer has a boundary: the start or the end of a token, within none. The tokenizers agree on
    a block if their tokens in it cover the same characters, apart from white space at the ends of a token; so a token of
    white space alone does not matter. The cost is linear in the characters and tokens.

    Args:
        spaces: For each character whether it is white space.
        spans: For each tokenizer the start and end of its tokens, in characters of all texts; no token spans two texts.
        texts: For each tokenizer the number of the text of each token, from 0.
        ends: The end of each text, in order; no text is empty.

    Returns:
        The blocks.

    >>> one, other = np.array([[0, 1], [2, 4]]), np.array([[0, 1], [1, 3], [3, 4]])
    >>> align(white_space("a bc"), [one, other], [np.zeros(2, int), np.zeros(3, int)], np.array([4]))
    Alignment(starts=array([0, 1]), agrees=array([ True, False]), blocks=(array([0, 1]), array([0, 1, 1])))
    """
    size = len(spaces)
    is_common = np.ones(size + 1, dtype=bool)
    for each in spans:
        is_common &= _boundaries(each, size)
    is_common[ends] = is_common[0] = True
    starts = np.flatnonzero(is_common[:size])
    block_of = np.cumsum(is_common[:size]) - 1
    # A token without characters belongs to the block that begins there, at the end of a text to its last one.
    blocks = tuple(
        block_of[np.minimum(each[:, 0], ends[text] - 1)]
        for each, text in zip(spans, texts, strict=True)
    )
    covered = [
        _covered(each, its_blocks, spaces) for each, its_blocks in zip(spans, blocks, strict=True)
    ]
    agrees = np.ones(len(starts), dtype=bool)
    for other in covered[1:]:
        agrees &= _equal(covered[0], other, len(starts))
    return Alignment(starts, agrees, blocks)


def _boundaries(spans: Integers, size: int) -> Flags:
    """Returns for each position whether a token begins or ends there, and none contains it."""
    is_edge = np.zeros(size + 1, dtype=bool)
    is_edge[spans.ravel()] = True
    wide = spans[spans[:, 1] - spans[:, 0] > 1]
    begins, ends = (np.bincount(wide[:, side], minlength=size + 1) for side in (0, 1))
    # A token contains the positions between its start and its end.
    depth = np.cumsum(np.append(0, begins[:size]) - ends)
    is_edge &= depth == 0
    return is_edge


def _covered(spans: Integers, blocks: Integers, spaces: Flags) -> tuple[Integers, Integers]:
    """Returns the spans of tokens without the white space at their ends, and their blocks.

    Tokens that cover no other characters are left out.
    """
    size = len(spaces)
    position = np.arange(size, dtype=np.int64)
    # The first character from each position on that is not white space, and the last one up to it.
    following = np.minimum.accumulate(np.where(spaces, size, position)[::-1])[::-1]
    previous = np.maximum.accumulate(np.where(spaces, -1, position))
    start, end = spans[:, 0], spans[:, 1]
    first = np.append(following, size)[start]
    last = previous[np.maximum(end - 1, 0)] + 1
    is_text = (start < end) & (first < end)
    return np.stack([first, last], axis=1)[is_text], blocks[is_text]


def _equal(one: tuple[Integers, Integers], other: tuple[Integers, Integers], count: int) -> Flags:
    """Returns for each block whether two tokenizers have the same spans in it."""
    (spans, blocks), (other_spans, other_blocks) = one, other
    is_equal: Flags = np.bincount(blocks, minlength=count) == np.bincount(
        other_blocks, minlength=count
    )
    ours, theirs = is_equal[blocks], is_equal[other_blocks]
    # Tokens are in the order of their blocks, except where offsets go back.
    order = np.argsort(blocks[ours], kind="stable")
    other_order = np.argsort(other_blocks[theirs], kind="stable")
    differs = (spans[ours][order] != other_spans[theirs][other_order]).any(axis=1)
    is_equal[blocks[ours][order][differs]] = False
    return is_equal
