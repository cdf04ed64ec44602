"""Runs the parts of a job: on this machine, or by an adapter on a cluster.

An engine only transports calls. That every part counts once is up to the job: a part is a pure function of its input, which
writes its files under temporary names and renames them, so that a second attempt changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from piecework.engines.local import Local

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["Engine", "Local"]

Part = TypeVar("Part")
Receipt = TypeVar("Receipt")


class Engine(Protocol):
    """Runs a function over parts."""

    def run(self, fn: Callable[[Any], Receipt], parts: Sequence[Any]) -> Iterator[Receipt]:
        """Iterates over the results of `fn` for each part, in any order, each part once.

        Args:
            fn: A function that can be pickled.
            parts: Its arguments, which can be pickled.

        Raises:
            WorkerError: A worker died more often than a part is tried.
            Exception: What `fn` raised; the parts that were not begun are not run.
        """
