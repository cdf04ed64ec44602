"""Defines the types of arguments, and checks them."""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

from piecework._core import ArrowTexts
from piecework._messages import shown, wrong_type
from piecework._settings.choices import SpecialsWord
from piecework.errors import ConfigError

Item = TypeVar("Item")

Text = str | bytes | bytearray | memoryview
"""A text, as `str` or as UTF-8 bytes."""

EncodeInput = Text | Sequence[str] | tuple[Text | Sequence[str], Text | Sequence[str]]
"""An input of a batch: a text, a list of words, or a pair of them."""


class ArrowColumn(Protocol):
    """Describes a column of texts with the Arrow PyCapsule interface, as a stream or as an array."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> object:
        """Returns the texts."""


def as_column(texts: object) -> ArrowTexts | None:
    """Returns an Arrow column of texts, or None for an object without the Arrow interface.

    Raises:
        ArrowError: The column is not a string column.
    """
    if isinstance(texts, ArrowTexts):
        return texts
    names = ("__arrow_c_stream__", "__arrow_c_array__")
    if not any(hasattr(texts, name) for name in names):
        return None
    try:
        return ArrowTexts(texts)
    except ImportError:  # the interface needs a missing package, as that of pandas does
        return None


def as_ids(ids: Iterable[int]) -> list[int]:
    """Returns ids as a list; arrays convert themselves, which is faster."""
    tolist = getattr(ids, "tolist", None)
    return list(check_iterable("ids", ids, "token ids")) if tolist is None else tolist()


def check_str(name: str, value: object) -> str:
    """Returns an argument that is a ``str``, or raises a TypeError that names it."""
    if not isinstance(value, str):
        raise wrong_type(name, "a str", value)
    return value


def check_iterable(name: str, value: Iterable[Item], expected: str) -> Iterator[Item]:
    """Returns an iterator over an argument, or raises a TypeError that names it."""
    try:
        return iter(value)
    except TypeError:
        raise wrong_type(name, expected, value) from None


def checked_parts(kind: type[Item], parts: Iterable[Item]) -> Iterator[Item]:
    """Iterates over an argument named `parts`, all of which are of one class, or raises a TypeError."""
    for part in check_iterable("parts", parts, f"an iterable of {kind.__name__}"):
        if not isinstance(part, kind):
            raise wrong_type("parts", f"a {kind.__name__}", part)
        yield part


def check_mapping(name: str, value: object) -> None:
    """Raises a TypeError for an argument that is neither a mapping nor None."""
    if value is not None and not isinstance(value, Mapping):
        raise wrong_type(name, "a mapping or None", value)


def check_index(name: str, value: object) -> int:
    """Returns an argument that is an integer (NumPy's included), or raises a TypeError that names it."""
    try:
        return operator.index(value)  # type: ignore[arg-type]  # raises for other types
    except TypeError:
        raise wrong_type(name, "an integer", value) from None


def check_range(name: str, value: object, size: int) -> tuple[int, int]:
    """Returns an argument that is a start and an end from 0 up to a size, or raises an error that names it.

    >>> check_range("span", (1, 3), 5)
    (1, 3)
    """
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise wrong_type(name, "a pair of a start and an end, or None", value)
    start, end = (check_index(name, number) for number in value)
    if not 0 <= start <= end <= size:
        message = (
            f"expected a start and an end from 0 to {size}, found {shown(start)} and {shown(end)}"
        )
        raise ConfigError(message, setting=name)
    return start, end


def check_flag(name: str, value: object) -> bool:
    """Returns an argument that is True or False (NumPy's included), or raises a TypeError that names it."""
    if value is True or value is False:
        return value
    if type(value).__module__ == "numpy" and type(value).__name__ in {"bool", "bool_"}:
        return bool(value)
    raise wrong_type(name, "a bool", value)


def check_threads(threads: object) -> None:
    """Raises a TypeError for a number of threads that is a bool; the core checks other values."""
    if isinstance(threads, bool):
        raise wrong_type("threads", "an integer or None", threads)


_SIZE = r"([0-9]{1,15}(?:\.[0-9]{1,9})?)\s*(?:([KMGT]?)B|([KMGT])IB)?"
_SMALLEST = 10**6


def check_positive(name: str, value: object) -> None:
    """Raises an error for a value that is neither None nor a positive integer.

    >>> check_positive("workers", 0)
    Traceback (most recent call last):
    ...
    piecework.errors.ConfigError: workers: expected a positive integer or None, found 0
    """
    if value is not None and (type(value) is not int or value < 1):
        message = f"expected a positive integer or None, found {shown(value)}"
        raise ConfigError(message, setting=name)


def as_bytes(name: str, size: str | int | None) -> int | None:
    """Returns a size of memory in bytes; None for None.

    Args:
        name: The name of the argument, for errors.
        size: A number of bytes, or a text such as ``"300MB"`` (10⁶ bytes) or ``"2GiB"`` (2³⁰ bytes).

    Returns:
        The number of bytes, at least 10⁶.

    Raises:
        ConfigError: The text is not a size, or the size is below 1 MB.
        TypeError: The argument is of another type.

    >>> as_bytes("max_memory", "1.5 GB"), as_bytes("max_memory", "2MiB")
    (1500000000, 2097152)
    """
    if size is None:
        return None
    if isinstance(size, bool) or not isinstance(size, str | int):
        raise wrong_type(name, "a number of bytes or a str such as '300MB'", size)
    number = size if isinstance(size, int) else _parsed(size)
    if number is None:
        raise ConfigError(
            f"expected a size such as 300MB or 2GiB, found {shown(size)}", setting=name
        )
    if number < _SMALLEST:
        raise ConfigError(f"expected at least 1MB, found {shown(size)}", setting=name)
    return min(number, sys.maxsize)


def _parsed(size: str) -> int | None:
    import re  # few calls have a limit of memory
    from fractions import Fraction

    match = re.fullmatch(_SIZE, size.strip(), re.IGNORECASE)
    if match is None:
        return None

    number, decimal, binary = match.groups()
    power = " KMGT".index((decimal or binary or " ").upper())
    return int(Fraction(number) * (1024 if binary else 1000) ** power)


Specials = SpecialsWord | AbstractSet[str] | list[str] | tuple[str, ...]
"""How special tokens in a text are treated: matched, ordinary text, an error, or matched if in the collection.

``"text-all"`` and ``"error-all"`` treat added tokens that are not special alike, except for those of white space alone. A `Collection[str]` would include every string.
"""

Stops = str | int | Iterable[str | int]
"""What ends a stream of token ids: a string in the text or an id, or several of them."""

EncodingPath = Literal["fast", "uncached", "generic"]
"""The paths of the core, which give equal tokens: the fast path with and without cache, and the generic path."""


class Way(NamedTuple):
    """Holds the settings of a call that choose the path of the core and its sampling."""

    path: EncodingPath = "fast"
    dropout: float | None = None
    """The probability that BPE skips a merge, or WordPiece a token; None for that of the model."""
    alpha: float | None = None
    """The power of the probabilities when a segmentation is drawn; None takes the best."""
    nbest_size: int | None = None
    """The number of best segmentations to draw from; None for all."""
    seed: int = 0
    """The seed of the random numbers."""
    first_input: int = 0
    """The number of the first input, which is part of each input's random seed."""


FAST = Way()
UNCACHED = Way("uncached")


class Default:
    """Represents an argument that was not passed, where None has a meaning of its own."""

    def __repr__(self) -> str:
        """Returns the name, as in the documentation."""
        return "DEFAULT"

    def __reduce__(self) -> str:
        """Pickles and copies the single instance by name."""
        return "DEFAULT"


DEFAULT = Default()
