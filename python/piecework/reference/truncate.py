"""Making encodings shorter and longer: truncation and padding.

Truncation comes before special tokens are added and leaves room for them. What is cut off is kept
as further parts, each as long as the first and overlapping its neighbour by `stride` tokens:

    a b c d e, at most 3, stride 1        right: a b c | c d e        left: c d e | a b c

Padding comes last, and brings all encodings of a batch to one length.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from piecework.reference.aligned import Span
from piecework.reference.encoding import Encoding, Row

STRATEGIES = ("longest_first", "only_first", "only_second")
DIRECTIONS = ("right", "left")


@dataclass(frozen=True)
class Truncation:
    """Gives how long an encoding may be.

    Args:
        max_length: Most tokens, special ones included.
        stride: Tokens that a part shares with the one before it.
        strategy: What is cut of a pair. `longest_first`: the longer text, then both; `only_first`;
            `only_second`.
        direction: Where it is cut: `right`, the end goes; `left`, the start.

    Raises:
        ValueError: there is no such strategy or direction.

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
        """Makes it of its entry in a tokenizer.json.

        >>> data = {"max_length": 4, "stride": 0, "strategy": "OnlyFirst", "direction": "Left"}
        >>> Truncation.from_dict(data)
        Truncation(max_length=4, stride=0, strategy='only_first', direction='left')
        """
        strategy = STRATEGIES[("LongestFirst", "OnlyFirst", "OnlySecond").index(data["strategy"])]
        direction = data.get("direction", "Right").lower()
        return cls(data["max_length"], data["stride"], strategy, direction)


@dataclass(frozen=True)
class Padding:
    """Gives how encodings are made one length.

    Args:
        length: That length; None takes the longest of the batch.
        direction: Where padding goes: `right` or `left`.
        pad_to_multiple_of: Round the length up; None and 0 leave it.
        pad_id: Number of the padding token.
        pad_type_id: Its type id.
        pad_token: Its text.

    Raises:
        ValueError: there is no such direction.

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
        """Makes it of its entry in a tokenizer.json.

        >>> data = {"strategy": {"Fixed": 4}, "direction": "Left", "pad_to_multiple_of": None}
        >>> Padding.from_dict(data | {"pad_id": 0, "pad_type_id": 0, "pad_token": "<pad>"}).length
        4
        """
        strategy = data["strategy"]
        length = None if strategy == "BatchLongest" else strategy["Fixed"]
        names = ("pad_to_multiple_of", "pad_id", "pad_type_id", "pad_token")
        return cls(length, data["direction"].lower(), **{name: data[name] for name in names})


def truncated(texts: Sequence[Encoding], how: Truncation, added: int) -> list[Encoding]:
    """Shortens the encoding of a text, or of a pair.

    Args:
        texts: One or two encodings, without special tokens.
        how: How long the whole may become, and what is cut.
        added: Special tokens that are to be added.

    Returns:
        As many encodings, with what was cut off in their `overflowing`.

    Raises:
        ValueError: there is no room for the special tokens; the text to cut is too short, or not
            there; the stride leaves no progress.

    >>> rows = tuple(Row(i, "", (0, 0), None, 0) for i in range(5))
    >>> first = truncated([Encoding(rows)], Truncation(3, stride=1), 0)[0]
    >>> first.ids, [part.ids for part in first.overflowing]
    ([0, 1, 2], [[2, 3, 4]])
    """
    room = how.max_length - added
    if room < 0:
        raise ValueError(f"max_length={how.max_length} leaves no room for {added} special tokens")
    lengths = [len(text) for text in texts]
    excess = sum(lengths) - room
    if excess <= 0:
        return list(texts)
    if room == 0:
        targets = [0] * len(texts)
    elif how.strategy == "longest_first":
        targets = _longest_first(lengths, room)
    else:
        targets = _only(lengths, STRATEGIES.index(how.strategy) - 1, excess)
    return [_cut(text, target, how) for text, target in zip(texts, targets, strict=True)]


def _longest_first(lengths: list[int], room: int) -> list[int]:
    """Gives the shorter text all it needs, if that leaves as much; else halves, the rest to B.

    Of the two halves of an odd room the greater goes to the longer text, to B if both are as long.
    """
    if len(lengths) == 1:
        return [room]
    short, long = sorted(lengths)
    long = short if short > room else max(short, room - short)
    if short + long > room:
        short, long = room // 2, room - room // 2
    return [long, short] if lengths[0] > lengths[1] else [short, long]


def _only(lengths: list[int], i: int, excess: int) -> list[int]:
    if i >= len(lengths):
        raise ValueError("there is no second text to truncate")
    if lengths[i] <= excess:
        raise ValueError(f"text {i} has {lengths[i]} tokens, too few to cut {excess} of them")
    return [length - excess * (j == i) for j, length in enumerate(lengths)]


def _cut(text: Encoding, length: int, how: Truncation) -> Encoding:
    if length >= len(text):
        return text
    if length == 0:
        return Encoding((), (text,))
    if how.stride >= length:
        raise ValueError(f"stride={how.stride} must be less than the {length} tokens of a part")
    first, *rest = [Encoding(text.rows[a:b]) for a, b in _windows(len(text), length, how)]
    return replace(first, overflowing=tuple(rest))


def _windows(total: int, length: int, how: Truncation) -> list[Span]:
    """Gives the parts, each `length` long but the last, until one reaches the other end."""
    windows: list[Span] = []
    for start in range(0, total, length - how.stride):
        windows.append((start, min(start + length, total)))
        if start + length >= total:
            break
    if how.direction == "left":
        return [(total - end, total - start) for start, end in windows]
    return windows


def padded(batch: Sequence[Encoding], how: Padding) -> list[Encoding]:
    """Lengthens encodings to one length; longer ones stay as they are.

    Args:
        batch: The encodings. Their overflowing parts are padded, too, but do not count for the
            longest.
        how: How long, and with what.

    Returns:
        As many encodings.

    >>> rows = tuple(Row(i, "", (0, 0), None, 0) for i in range(5))
    >>> [e.ids for e in padded([Encoding(rows[1:2]), Encoding(rows[2:5])], Padding())]
    [[1, 0, 0], [2, 3, 4]]
    """
    length = max(map(len, batch), default=0) if how.length is None else how.length
    if how.pad_to_multiple_of:
        length += -length % how.pad_to_multiple_of
    return [_padded(encoding, length, how) for encoding in batch]


def _padded(encoding: Encoding, length: int, how: Padding) -> Encoding:
    parts = tuple(_padded(part, length, how) for part in encoding.overflowing)
    row = Row(how.pad_id, how.pad_token, (0, 0), None, how.pad_type_id, True, False)
    missing = max(length - len(encoding), 0)
    if how.direction == "right":
        return replace(encoding, rows=encoding.rows + (row,) * missing, overflowing=parts)
    ranges = {i: (start + missing, end + missing) for i, (start, end) in encoding.ranges.items()}
    return Encoding((row,) * missing + encoding.rows, parts, ranges)
