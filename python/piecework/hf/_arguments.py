"""Checks arguments, with the classes of errors that `tokenizers` raises."""

from __future__ import annotations

import json
import operator
from typing import TYPE_CHECKING, Any

from piecework._messages import shown
from piecework._settings.limiting import limiting

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from piecework._core import TextStages


def stages(**parts: dict[str, Any]) -> TextStages:
    """Returns a normalizer or a pre-tokenizer of the core, given by its state."""
    from piecework._core import TextStages

    return TextStages(json.dumps(parts), [])


def instance(value: object, kind: type, name: str | None = None) -> None:
    """Raises TypeError unless a value is an instance of a class."""
    if not isinstance(value, kind):
        expected = name or kind.__name__
        raise TypeError(f"{type(value).__name__!r} object is not an instance of {expected!r}")


def is_of_tokenizers(value: object) -> bool:
    """Returns whether a value is an object of the package `tokenizers`."""
    return type(value).__module__.split(".")[0] == "tokenizers"


def string(value: Any) -> str:
    """Returns a ``str``."""
    instance(value, str)
    return str(value)


def flag(value: Any) -> bool:
    """Returns a bool; NumPy's is accepted."""
    if type(value).__name__ not in {"bool", "bool_"}:
        raise TypeError(f"{type(value).__name__!r} object is not an instance of 'bool'")
    return bool(value)


def character(value: Any) -> str:
    """Returns a single character."""
    if len(string(value)) != 1:
        raise ValueError("expected a string of length 1")
    return str(value)


def unsigned(value: Any, limit: int = 1 << 64) -> int:
    """Returns an integer from 0 to below `limit`."""
    number = operator.index(value)
    if not 0 <= number < limit:
        raise OverflowError(f"{shown(number)} is not from 0 to {limit - 1}")
    return number


def real(value: Any) -> float:
    """Returns a number as a float."""
    if isinstance(value, str | bytes) or not hasattr(value, "__float__"):
        raise TypeError(f"expected a number, found {type(value).__name__!r}")
    return float(value)


def number32(value: Any) -> int:
    """Returns an integer that fits into 32 bits, such as an id."""
    return unsigned(value, 1 << 32)


def maybe(check: Any) -> Any:
    """Returns a check that accepts None, too."""
    return lambda value: None if value is None else check(value)


def listed(value: Any) -> list[Any]:
    """Returns a ``list``."""
    instance(value, list)
    return list(value)


def ignored(names: Any, what: str) -> None:
    """Warns of keyword arguments that have no effect."""
    if not names:
        return
    from piecework._exceptions import warn

    for name in names:
        warn(f"{what} has no argument {name!r}; it is ignored", setting=name)


def limited() -> AbstractContextManager[None]:
    """Returns a context manager of a block in which a file is read within the default limits, since no argument gives others."""
    return limiting(None, "load it with `piecework.Tokenizer.from_file` and")
