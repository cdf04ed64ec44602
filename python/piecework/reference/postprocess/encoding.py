"""The result of encoding: rows of tokens, and the parts that truncation cut off.

A row is a token with its attributes. Two encodings merge row after row; each overflowing part of
either is then combined with the other encoding, so that each overflowing part is a whole input:

    A  overflowing a1 a2,  B  overflowing b1     gives     A B  overflowing  a1 B, a1 b1,
                                                                             a2 B, a2 b1, A b1
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from piecework.reference.text.alignment import Span


class TokenRow(NamedTuple):
    """Holds a token of an encoding with its attributes.

    Args:
        id: Its id.
        token: Its text: an entry of the vocabulary, or the match of an added token.
        span: The span of the input that it covers, (start, end) in characters; of pre-tokenized
            input, in characters of the word.
        word: Index of its word, or None.
        type_id: The segment id of its text in the input.
        special: Whether a post-processor or padding added it.
        attention: Whether it is not padding.
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
    """Holds the tokens of an input.

    Args:
        rows: The tokens.
        overflowing: The parts that truncation cut off; of a pair, a part has overflowing parts of
            its own.
        ranges: For each text of the input, the (start, end) range of its rows.

    >>> Encoding((TokenRow(5, "hug", (0, 3), 0, 0),)).ids
    [5]
    """

    rows: tuple[TokenRow, ...] = ()
    overflowing: tuple["Encoding", ...] = ()
    ranges: dict[int, Span] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def ids(self) -> list[int]:
        """Returns the ids of the tokens."""
        return [row.id for row in self.rows]

    @property
    def tokens(self) -> list[str]:
        """Returns the texts of the tokens."""
        return [row.token for row in self.rows]

    @property
    def offsets(self) -> list[Span]:
        """Returns the spans of the tokens, in characters of the input."""
        return [row.span for row in self.rows]

    @property
    def word_ids(self) -> list[int | None]:
        """Returns the index of each token's word."""
        return [row.word for row in self.rows]

    @property
    def type_ids(self) -> list[int]:
        """Returns the type id of each token."""
        return [row.type_id for row in self.rows]

    @property
    def special_tokens_mask(self) -> list[int]:
        """Returns 1 for each token that post-processing or padding added, else 0."""
        return [int(row.special) for row in self.rows]

    @property
    def attention_mask(self) -> list[int]:
        """Returns 0 for each padding token, else 1."""
        return [int(row.attention) for row in self.rows]

    @property
    def sequence_ids(self) -> list[int | None]:
        """Returns the index of the text that each token belongs to.

        As in the library, a text without a range has all rows, and the number of texts is the
        number of ranges, but at least one.

        >>> row = TokenRow(5, "hug", (0, 3), 0, 0)
        >>> Encoding((row,)).sequence_ids, Encoding((row, row), (), {0: (1, 2)}).sequence_ids
        ([0], [None, 0])
        """
        ids: list[int | None] = [None] * len(self)
        for i in range(max(len(self.ranges), 1)):
            start, end = self.ranges.get(i, (0, len(self)))
            ids[start:end] = [i] * (end - start)
        return ids

    def with_type_id(self, type_id: int) -> "Encoding":
        """Returns the encoding with another type id for all rows; overflowing parts keep theirs.

        >>> Encoding((TokenRow(5, "hug", (0, 3), 0, 0),)).with_type_id(1).type_ids
        [1]
        """
        return replace(self, rows=tuple(row._replace(type_id=type_id) for row in self.rows))

    def as_sequence(self, i: int) -> "Encoding":
        """Returns the encoding as that of one text, whose range is all rows; other ranges stay.

        >>> Encoding((TokenRow(5, "hug", (0, 3), 0, 0),)).as_sequence(1).ranges
        {1: (0, 1)}
        """
        return replace(self, ranges={**self.ranges, i: (0, len(self))})


def merge_encodings(encodings: Iterable[Encoding]) -> Encoding:
    """Concatenates encodings.

    Args:
        encodings: The encodings in order.

    Returns:
        All rows; every combination of overflowing parts, as the module docstring shows. Cost: the
        number of combinations times their length.

    >>> a, b = (Encoding((TokenRow(i, "", (0, 0), None, 0),)) for i in (1, 2))
    >>> merge_encodings([replace(a, overflowing=(b,)), b]).overflowing[0].ids
    [2, 2]
    """
    whole = Encoding()
    for encoding in encodings:
        whole = _merge_two(whole, encoding)
    return whole


def _merge_two(left: Encoding, right: Encoding) -> Encoding:
    parts = [_merge_two(a, b) for a in left.overflowing for b in (right, *right.overflowing)]
    parts += [_merge_two(left, b) for b in right.overflowing]
    return replace(_concatenate(left, right), overflowing=tuple(parts))


def _concatenate(left: Encoding, right: Encoding) -> Encoding:
    shift = len(left)
    ranges = {i: (start + shift, end + shift) for i, (start, end) in right.ranges.items()}
    return Encoding(left.rows + right.rows, (), {**left.ranges, **ranges})
