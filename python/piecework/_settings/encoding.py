"""Defines the settings of truncation, padding and sampling."""

from __future__ import annotations

import operator
import sys
from dataclasses import field
from typing import Any, Literal, SupportsIndex

from piecework._messages import shown
from piecework._settings.choices import Side, Strategy
from piecework._settings.fields import (
    LENGTH,
    NUMBER,
    PROBABILITY,
    SIZE,
    Choice,
    Kind,
    Maybe,
    Mismatch,
    Number,
    Settings,
    members,
    takes,
    under,
)
from piecework._settings.immutable import dataclass
from piecework.errors import ConfigError

__all__ = ["Padding", "Sampling", "Side", "Strategy", "Truncation"]

_SIDE = Choice({"left": "Left", "right": "Right"})
_STRATEGY = Choice(
    {"longest_first": "LongestFirst", "only_first": "OnlyFirst", "only_second": "OnlySecond"}
)


@dataclass(frozen=True)
class Truncation(Settings):
    """Holds the settings of truncation.

    Args:
        max_length: The maximum number of tokens of an encoding, special tokens included.
        stride: The number of tokens that an overflowing part shares with the previous part.
        strategy: The text of a pair that is truncated.
        direction: The end at which tokens are removed.

    >>> Truncation(512, stride=64).to_dict()
    {'max_length': 512, 'stride': 64, 'strategy': 'LongestFirst', 'direction': 'Right'}
    """

    max_length: int = field(metadata=takes(LENGTH))
    stride: int = field(default=0, metadata=takes(SIZE))
    strategy: Strategy = field(default="longest_first", metadata=takes(_STRATEGY))
    direction: Side = field(default="right", metadata=takes(_SIDE, may_lack=True))

    def __post_init__(self) -> None:
        """Checks the fields, and that `stride` is less than `max_length`."""
        super().__post_init__()
        if self.stride >= self.max_length:
            raise ConfigError(
                f"expected less than {self.max_length}, the maximum length, found {self.stride}",
                setting="stride",
            )


def prescribed(data: dict[str, Any]) -> Truncation:
    """Returns the truncation of a file without checking its lengths, which fail only when a text is truncated."""
    truncation = Truncation.from_dict(data | {"max_length": 1, "stride": 0})
    for name in ("max_length", "stride"):
        object.__setattr__(truncation, name, data[name])
    return truncation


class _Length(Kind):
    """Checks a fixed length, or None for that of the longest encoding of the batch."""

    def check(self, value: Any) -> int | None:
        return None if value is None else SIZE.check(value)

    def read(self, data: Any) -> int | None:
        if data == "BatchLongest":
            return None
        if not isinstance(data, dict) or data.keys() != {"Fixed"}:
            raise Mismatch(f"expected 'BatchLongest' or 'Fixed' with a length, found {shown(data)}")
        with under(".Fixed"):
            return SIZE.check(members(data)["Fixed"])

    def write(self, value: int | None) -> Any:
        return "BatchLongest" if value is None else {"Fixed": value}


@dataclass(frozen=True)
class Padding(Settings):
    """Holds the settings of padding.

    Args:
        length: The minimum number of tokens of an encoding; None for the length of the longest in the batch.
        pad_to_multiple_of: The number of which the length becomes a multiple; None for any length.
        direction: The side of the padding.
        pad_id: The id of padding; None for that of `pad_token`.
        pad_type_id: The type id of padding.
        pad_token: The token of padding; None for the tokenizer's ``[PAD]`` or ``<pad>``.

    >>> Padding(8, pad_id=0, pad_token="[PAD]").to_dict()["strategy"]
    {'Fixed': 8}
    """

    length: int | None = field(default=None, metadata=takes(_Length(), "strategy"))
    pad_to_multiple_of: int | None = field(default=None, metadata=takes(Maybe(LENGTH)))
    direction: Side = field(default="right", metadata=takes(_SIDE))
    pad_id: int | None = field(default=None, metadata=takes(Maybe(NUMBER)))
    pad_type_id: int = field(default=0, metadata=takes(NUMBER))
    pad_token: str | None = None

    @classmethod
    def _current(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Returns the members with None for a multiple of 0, which means any length."""
        if data.get("pad_to_multiple_of") == 0:
            data["pad_to_multiple_of"] = None
        return data


class _Power(Kind):
    """Checks a finite number from 0 on."""

    def check(self, value: Any) -> float:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not 0 <= value <= sys.float_info.max:
            raise Mismatch(f"expected a number from 0, found {shown(value)}")
        return float(value)


@dataclass(frozen=True)
class Sampling(Settings):
    r"""Holds the settings of random segmentations.

    Args:
        alpha: Draw a segmentation of Unigram, or of WordPiece with ``segmentation="likeliest"``, with its probability to
            the power of `alpha`: 1 samples from the model, 0 samples uniformly, large values approach the best
            segmentation. None takes the best one.
        nbest_size: With `alpha`, the number of best segmentations of a word to draw from; None, SentencePiece's -1,
            draws from all.
        dropout: The probability, from 0 to 1, that BPE skips a merge, or WordPiece a token of more than one character
            (MaxMatch-Dropout); None for that of the model.
        seed: The seed of `alpha` and `dropout`: equal seeds give equal tokens; None draws a new one for each call.

    >>> import piecework as pw
    >>> tok = pw.Tokenizer.from_str("[UNK]\nh\nhug\n##u\n##g\n")
    >>> [tok.encode("hug", sampling=Sampling(dropout=p, seed=1)).tokens for p in (0, 1)]
    [['hug'], ['h', '##u', '##g']]
    """

    alpha: float | None = field(default=None, metadata=takes(Maybe(_Power())))
    nbest_size: int | None = field(default=None, metadata=takes(Maybe(Number(1))))
    dropout: float | None = field(default=None, metadata=takes(Maybe(PROBABILITY)))
    seed: int | None = field(default=None, metadata=takes(Maybe(SIZE)))

    def __post_init__(self) -> None:
        """Checks the fields, and that `nbest_size` comes with `alpha`."""
        super().__post_init__()
        if self.nbest_size is not None and self.alpha is None:
            raise ConfigError(
                "requires alpha, the power of the probabilities",
                setting="nbest_size",
                hint="pass both",
            )


TruncationLike = Truncation | int | None
"""Truncation as an argument: settings, the maximum number of tokens, or None for none."""
PaddingLike = Padding | int | Literal["longest"] | None
"""Padding as an argument: settings, a length in tokens, ``"longest"`` for that of the batch, or None for none."""


def as_truncation(value: TruncationLike) -> Truncation | None:
    """Returns the truncation argument of a call as settings."""
    if value is None or isinstance(value, Truncation):
        return value
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise ConfigError(
            f"expected a Truncation, an integer or None, found {shown(value)}", setting="truncation"
        )
    return Truncation(operator.index(value))
