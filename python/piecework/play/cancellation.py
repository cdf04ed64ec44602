"""Ends the work on answers that nobody waits for any more."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from threading import Lock

_INTERVAL = 0.05
"""The seconds between two checks while a lock is awaited."""


class CancelledAnswerError(Exception):
    """Ends the work on an answer; no user sees it."""


class Cancellation:
    """Says to the thread that works on an answer that it is to end; no thread can be ended from outside.

    >>> cancellation = Cancellation()
    >>> cancellation.check()
    >>> cancellation.cancel()
    >>> cancellation.check()
    Traceback (most recent call last):
    piecework.play.cancellation.CancelledAnswerError
    """

    def __init__(self) -> None:
        """Lets the work go on until it is cancelled."""
        self._event = Event()

    def cancel(self) -> None:
        """Ends the work at its next check."""
        self._event.set()

    def check(self, _: object = None) -> None:
        """Checks whether the work goes on; the callback of functions that report progress.

        Raises:
            CancelledAnswerError: The work was cancelled.
        """
        if self._event.is_set():
            raise CancelledAnswerError

    @contextmanager
    def holding(self, lock: Lock) -> Iterator[None]:
        """Returns a context manager that holds a lock, and waits for it only as long as the work goes on.

        Raises:
            CancelledAnswerError: The work was cancelled.
        """
        while not lock.acquire(timeout=_INTERVAL):
            self.check()
        try:
            self.check()
            yield
        finally:
            lock.release()
