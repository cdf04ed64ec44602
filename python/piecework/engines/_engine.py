"""Defines what runs the parts of a job."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

from piecework._messages import wrong_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Part = TypeVar("Part")
Receipt = TypeVar("Receipt")


class Engine(Protocol):
    """Runs a function over parts.

    An engine whose start takes long may have a method ``connected()``, too: a context manager within which several calls of
    :meth:`run` share one connection.
    """

    def run(self, fn: Callable[[Part], Receipt], parts: Sequence[Part]) -> Iterator[Receipt]:
        """Iterates over the results of `fn` for each part, in any order, each part once.

        Args:
            fn: A function that can be pickled.
            parts: Its arguments, which can be pickled.

        Raises:
            WorkerError: A worker died more often than a part is tried.
            Exception: What `fn` raised; the parts that were not begun are not run.
        """


def check_engine(engine: object) -> None:
    """Raises TypeError for an object that is no engine."""
    if isinstance(engine, type) and hasattr(engine, "run"):
        raise TypeError(
            f"engine: expected an engine, found the class {engine.__name__}; pass {engine.__name__}()"
        )
    if not callable(getattr(engine, "run", None)):
        raise wrong_type("engine", "an engine such as `engines.Local()`", engine)


def connected(engine: Engine) -> AbstractContextManager[object]:
    """Returns a context manager within which all runs of an engine share one connection.

    Args:
        engine: An engine; one without a method ``connected`` needs no connection.

    >>> from piecework.engines import Local
    >>> with connected(Local(workers=1)):
    ...     list(Local(workers=1).run(len, ["abc"]))
    [3]
    """
    connect = getattr(engine, "connected", nullcontext)
    return cast("AbstractContextManager[object]", connect())
