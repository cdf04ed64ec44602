"""What calls take beside settings: texts, columns of them, and the names of ways to treat them."""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable, Iterator
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

from piecework._core import ArrowTexts
from piecework.errors import wrong_type

Item = TypeVar("Item")

Text = str | bytes | bytearray | memoryview
"""A text, or its UTF-8."""


class ArrowColumn(Protocol):
    """A column of texts with the Arrow PyCapsule interface: as a stream, as here, or as an array."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> object:
        """Give the texts."""


def as_column(texts: object) -> ArrowTexts | None:
    """Give the column of texts that something has for Arrow, where it has the interface.

    Raises:
        ArrowError: A column that holds something else than texts.
    """
    if isinstance(texts, ArrowTexts):
        return texts
    names = ("__arrow_c_stream__", "__arrow_c_array__")
    if not any(hasattr(texts, name) for name in names):
        return None
    try:
        return ArrowTexts(texts)
    except ImportError:  # the interface needs a package that is not here, as that of pandas does
        return None


def as_ids(ids: Iterable[int]) -> list[int]:
    """Give ids as a list; arrays make one of Python's numbers, and quicker."""
    tolist = getattr(ids, "tolist", None)
    return list(check_iterable("ids", ids, "token ids")) if tolist is None else tolist()


def check_str(name: str, value: object) -> str:
    """Return an argument that is a ``str``, or raise a TypeError that names it."""
    if not isinstance(value, str):
        raise wrong_type(name, "a str", value)
    return value


def check_iterable(name: str, value: Iterable[Item], expected: str) -> Iterator[Item]:
    """Return an iterator over an argument, or raise a TypeError that names it."""
    try:
        return iter(value)
    except TypeError:
        raise wrong_type(name, expected, value) from None


def check_index(name: str, value: object) -> int:
    """Return an argument that is an integer, also one of NumPy's, or raise a TypeError that names it."""
    try:
        return operator.index(value)  # type: ignore[arg-type]  # what is none raises
    except TypeError:
        raise wrong_type(name, "an integer", value) from None


Specials = Literal["match", "text", "error"] | Collection[str]
"""What special tokens in a text are: matched, ordinary text, an error, or matched if in the collection."""

Road = Literal["fast", "uncached", "general"]
"""The roads to the same tokens."""

UnknownPolicy = Literal["word", "run", "char"]
"""What becomes of characters that no piece covers."""

Segmentation = Literal["longest", "likeliest"]
"""Which segmentation of a word WordPiece takes."""


class Way(NamedTuple):
    """How the core gets to tokens, as far as the call decides."""

    road: Road = "fast"
    dropout: float | None = None
    """How likely BPE passes a merge over, and WordPiece a token; None: as the model says."""
    alpha: float | None = None
    """The power of the probabilities by which a segmentation is drawn; None takes the best."""
    nbest_size: int | None = None
    """Among how many of the best it is drawn; None for all."""
    seed: int = 0
    """What decides about what is left to chance."""
    first_input: int = 0
    """The number of the first input: inputs differ in their chance."""


FAST = Way()
UNCACHED = Way("uncached")


class Default:
    """Stands for a setting that was not given, where None means something."""

    def __repr__(self) -> str:
        """Show as documentation does."""
        return "DEFAULT"

    def __reduce__(self) -> str:
        """Pickle and copy by name: there is one."""
        return "DEFAULT"


DEFAULT = Default()
