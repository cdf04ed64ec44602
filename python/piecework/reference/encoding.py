"""What encoding gives: rows of tokens, and what was cut off.

A row is a token with all that is known of it. Two encodings merge row after row; what was cut off
either of them is then combined with the other, so that each overflowing part is a whole input:

    A  overflowing a1 a2,  B  overflowing b1     gives     A B  overflowing  a1 B, a1 b1,
                                                                             a2 B, a2 b1, A b1
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from piecework.reference.aligned import Span


class Row(NamedTuple):
    """Gives a token of an encoding.

    Args:
        id: Its number.
        token: Its text: an entry of the vocabulary, or what an added token matched.
        span: The part of the input that it covers, (start, end) in characters; of pre-tokenized
            input, in characters of the word.
        word: Number of the word it belongs to, or None.
        type_id: Which part of the input it belongs to, as the model is told.
        special: Whether a post-processor or padding put it there.
        attention: Whether it is more than padding.
    """

    id: int
    token: str
    span: Span
    word: int | None
    type_id: int
    special: bool = False
    attention: bool = True


@dataclass(frozen=True)
class Encoding:
    """Gives the tokens of an input.

    Args:
        rows: The tokens.
        overflowing: What truncation cut off, part by part; of a pair, a part has such parts of its own.
        ranges: For each text of the input, the rows that are its.

    >>> Encoding((Row(5, "hug", (0, 3), 0, 0),)).ids
    [5]
    """

    rows: tuple[Row, ...] = ()
    overflowing: tuple["Encoding", ...] = ()
    ranges: dict[int, Span] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def ids(self) -> list[int]:
        """Gives the numbers of the tokens."""
        return [row.id for row in self.rows]

    @property
    def tokens(self) -> list[str]:
        """Gives the texts of the tokens."""
        return [row.token for row in self.rows]

    @property
    def offsets(self) -> list[Span]:
        """Gives the spans of the tokens, in characters of the input."""
        return [row.span for row in self.rows]

    @property
    def word_ids(self) -> list[int | None]:
        """Gives the word that each token belongs to."""
        return [row.word for row in self.rows]

    @property
    def type_ids(self) -> list[int]:
        """Gives the type ids."""
        return [row.type_id for row in self.rows]

    @property
    def special_tokens_mask(self) -> list[int]:
        """Gives 1 for each token that no text stands behind."""
        return [int(row.special) for row in self.rows]

    @property
    def attention_mask(self) -> list[int]:
        """Gives 0 for each token of padding."""
        return [int(row.attention) for row in self.rows]

    @property
    def sequence_ids(self) -> list[int | None]:
        """Gives the text that each token belongs to.

        As in the library, a text without a range of its own is taken to have all rows, and there
        are taken to be as many texts as ranges, but at least one.

        >>> row = Row(5, "hug", (0, 3), 0, 0)
        >>> Encoding((row,)).sequence_ids, Encoding((row, row), (), {0: (1, 2)}).sequence_ids
        ([0], [None, 0])
        """
        ids: list[int | None] = [None] * len(self)
        for i in range(max(len(self.ranges), 1)):
            start, end = self.ranges.get(i, (0, len(self)))
            ids[start:end] = [i] * (end - start)
        return ids

    def typed(self, type_id: int) -> "Encoding":
        """Gives the encoding with another type id for all rows; overflowing parts keep theirs.

        >>> Encoding((Row(5, "hug", (0, 3), 0, 0),)).typed(1).type_ids
        [1]
        """
        return replace(self, rows=tuple(row._replace(type_id=type_id) for row in self.rows))

    def of_text(self, i: int) -> "Encoding":
        """Gives the encoding as that of one text: all its rows, and no fewer ranges than before.

        >>> Encoding((Row(5, "hug", (0, 3), 0, 0),)).of_text(1).ranges
        {1: (0, 1)}
        """
        return replace(self, ranges={**self.ranges, i: (0, len(self))})


def merged(encodings: Iterable[Encoding]) -> Encoding:
    """Puts encodings one after the other.

    Args:
        encodings: In order.

    Returns:
        All rows; every combination of overflowing parts, as at the head of this file.

    >>> a, b = (Encoding((Row(i, "", (0, 0), None, 0),)) for i in (1, 2))
    >>> merged([replace(a, overflowing=(b,)), b]).overflowing[0].ids
    [2, 2]
    """
    whole = Encoding()
    for encoding in encodings:
        whole = _joined(whole, encoding)
    return whole


def _joined(left: Encoding, right: Encoding) -> Encoding:
    parts = [_joined(a, b) for a in left.overflowing for b in (right, *right.overflowing)]
    parts += [_joined(left, b) for b in right.overflowing]
    return replace(_side_by_side(left, right), overflowing=tuple(parts))


def _side_by_side(left: Encoding, right: Encoding) -> Encoding:
    by = len(left)
    ranges = {i: (start + by, end + by) for i, (start, end) in right.ranges.items()}
    return Encoding(left.rows + right.rows, (), {**left.ranges, **ranges})
