"""Truncation and padding of encodings.

Truncation precedes post-processing and reserves tokens for special ones. What is cut off is kept as
overflowing parts, each as long as the first and overlapping its neighbour by `stride` tokens:

    a b c d e, at most 3, stride 1        right: a b c | c d e        left: c d e | a b c

Padding comes last, and brings all encodings of a batch to one length.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from piecework.reference.postprocess.encoding import Encoding, TokenRow
from piecework.reference.text.alignment import Span

STRATEGIES = ("longest_first", "only_first", "only_second")
DIRECTIONS = ("right", "left")


@dataclass(frozen=True)
class Truncation:
    """Holds the settings of truncation.

    Args:
        max_length: Most tokens, special tokens included.
        stride: Number of tokens that a part shares with the one before it.
        strategy: What is cut of a pair. `longest_first`: the longer text, then both; `only_first`;
            `only_second`.
        direction: Where it is cut: `right` at the end; `left` at the start.

    Raises:
        ValueError: the strategy or the direction is unknown.

    >>> Truncation(512).strategy
    'longest_first'
    """

    max_length: int
    stride: int = 0
    strategy: str = "longest_first"
    direction: str = "right"

    def __post_init__(self) -> None:
        if self.strategy not in STRATEGIES:
            raise ValueError(f"strategy={self.strategy!r}: expected one of {STRATEGIES}")
        if self.direction not in DIRECTIONS:
            raise ValueError(f"direction={self.direction!r}: expected one of {DIRECTIONS}")

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Truncation":
        """Creates the settings from their member in a tokenizer.json.

        >>> data = {"max_length": 4, "stride": 0, "strategy": "OnlyFirst", "direction": "Left"}
        >>> Truncation.from_dict(data)
        Truncation(max_length=4, stride=0, strategy='only_first', direction='left')
        """
        strategy = STRATEGIES[("LongestFirst", "OnlyFirst", "OnlySecond").index(data["strategy"])]
        direction = data.get("direction", "Right").lower()
        return cls(data["max_length"], data["stride"], strategy, direction)


@dataclass(frozen=True)
class Padding:
    """Holds the settings of padding.

    Args:
        length: The length in tokens; None is the longest of the batch.
        direction: Where padding is added: `right` or `left`.
        pad_to_multiple_of: Round the length up to a multiple; None and 0 do not.
        pad_id: Id of the padding token.
        pad_type_id: Its type id.
        pad_token: Its text.

    Raises:
        ValueError: the direction is unknown.

    >>> Padding(length=8).pad_token
    '[PAD]'
    """

    length: int | None = None
    direction: str = "right"
    pad_to_multiple_of: int | None = None
    pad_id: int = 0
    pad_type_id: int = 0
    pad_token: str = "[PAD]"

    def __post_init__(self) -> None:
        if self.direction not in DIRECTIONS:
            raise ValueError(f"direction={self.direction!r}: expected one of {DIRECTIONS}")

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Padding":
        """Creates the settings from their member in a tokenizer.json.

        >>> data = {"strategy": {"Fixed": 4}, "direction": "Left", "pad_to_multiple_of": None}
        >>> Padding.from_dict(data | {"pad_id": 0, "pad_type_id": 0, "pad_token": "<pad>"}).length
        4
        """
        strategy = data["strategy"]
        length = None if strategy == "BatchLongest" else strategy["Fixed"]
        names = ("pad_to_multiple_of", "pad_id", "pad_type_id", "pad_token")
        return cls(length, data["direction"].lower(), **{name: data[name] for name in names})


def truncate(texts: Sequence[Encoding], truncation: Truncation, added: int) -> list[Encoding]:
    """Shortens the encoding of a text, or of a pair.

    Args:
        texts: One or two encodings, without special tokens.
        truncation: The settings.
        added: Number of special tokens that will be added.

    Returns:
        An encoding for each text, with what was cut off in its `overflowing`.

    Raises:
        ValueError: the special tokens exceed the length; the text to cut is missing or too short;
            the stride is not less than a part.

    >>> rows = tuple(TokenRow(i, "", (0, 0), None, 0) for i in range(5))
    >>> first = truncate([Encoding(rows)], Truncation(3, stride=1), 0)[0]
    >>> first.ids, [part.ids for part in first.overflowing]
    ([0, 1, 2], [[2, 3, 4]])
    """
    available = truncation.max_length - added
    if available < 0:
        raise ValueError(
            f"max_length={truncation.max_length} is too small for {added} special tokens"
        )
    lengths = [len(text) for text in texts]
    excess = sum(lengths) - available
    if excess <= 0:
        return list(texts)
    if available == 0:
        targets = [0] * len(texts)
    elif truncation.strategy == "longest_first":
        targets = _longest_first_lengths(lengths, available)
    else:
        targets = _single_text_lengths(lengths, STRATEGIES.index(truncation.strategy) - 1, excess)
    return [
        _truncate_text(text, target, truncation)
        for text, target in zip(texts, targets, strict=True)
    ]


def _longest_first_lengths(lengths: list[int], available: int) -> list[int]:
    """Returns the lengths: the shorter text is kept whole if it fits beside an equal one.

    Otherwise each text gets half; of an odd number of tokens the greater half goes to the longer
    text, or to B if both are equally long.
    """
    if len(lengths) == 1:
        return [available]
    short, long = sorted(lengths)
    long = short if short > available else max(short, available - short)
    if short + long > available:
        short, long = available // 2, available - available // 2
    return [long, short] if lengths[0] > lengths[1] else [short, long]


def _single_text_lengths(lengths: list[int], i: int, excess: int) -> list[int]:
    if i >= len(lengths):
        raise ValueError("strategy='only_second': there is no second text; expected a pair")
    if lengths[i] <= excess:
        raise ValueError(
            f"text {i} has {lengths[i]} tokens, too few to cut {excess}; raise max_length"
        )
    return [length - excess * (j == i) for j, length in enumerate(lengths)]


def _truncate_text(text: Encoding, length: int, truncation: Truncation) -> Encoding:
    if length >= len(text):
        return text
    if length == 0:
        return Encoding((), (text,))
    if truncation.stride >= length:
        raise ValueError(
            f"stride={truncation.stride} must be less than the {length} tokens of a part"
        )
    first, *rest = [Encoding(text.rows[a:b]) for a, b in _windows(len(text), length, truncation)]
    return replace(first, overflowing=tuple(rest))


def _windows(total: int, length: int, truncation: Truncation) -> list[Span]:
    """Returns the parts, each of `length` tokens but the last, until one reaches the other end."""
    windows: list[Span] = []
    for start in range(0, total, length - truncation.stride):
        windows.append((start, min(start + length, total)))
        if start + length >= total:
            break
    if truncation.direction == "left":
        return [(total - end, total - start) for start, end in windows]
    return windows


def pad(batch: Sequence[Encoding], padding: Padding) -> list[Encoding]:
    """Lengthens encodings to one length; longer ones stay unchanged.

    Args:
        batch: The encodings. Their overflowing parts are padded, too, but do not count for the
            longest.
        padding: The settings.

    Returns:
        An encoding for each.

    >>> rows = tuple(TokenRow(i, "", (0, 0), None, 0) for i in range(5))
    >>> [e.ids for e in pad([Encoding(rows[1:2]), Encoding(rows[2:5])], Padding())]
    [[1, 0, 0], [2, 3, 4]]
    """
    length = max(map(len, batch), default=0) if padding.length is None else padding.length
    if padding.pad_to_multiple_of:
        length += -length % padding.pad_to_multiple_of
    return [_pad_one(encoding, length, padding) for encoding in batch]


def _pad_one(encoding: Encoding, length: int, padding: Padding) -> Encoding:
    parts = tuple(_pad_one(part, length, padding) for part in encoding.overflowing)
    row = TokenRow(
        padding.pad_id, padding.pad_token, (0, 0), None, padding.pad_type_id, True, False
    )
    missing = max(length - len(encoding), 0)
    if padding.direction == "right":
        return replace(encoding, rows=encoding.rows + (row,) * missing, overflowing=parts)
    ranges = {i: (start + missing, end + missing) for i, (start, end) in encoding.ranges.items()}
    return Encoding((row,) * missing + encoding.rows, parts, ranges)
