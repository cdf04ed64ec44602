"""Shares one connection of the process among the runs and threads that use it."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Connection:
    """Counts the users of a connection: the first one opens it, the last one closes it.

    A connection that the program opened itself is used, and left open.
    """

    def __init__(self) -> None:
        """Begins without users."""
        self._lock = threading.Lock()
        self._users = 0
        self._close: Callable[[], object] | None = None

    @contextlib.contextmanager
    def used(
        self,
        *,
        is_open: Callable[[], bool],
        connect: Callable[[], object],
        close: Callable[[], object],
    ) -> Iterator[None]:
        """Returns a context manager within which the connection is open.

        Args:
            is_open: Returns whether the process is connected.
            connect: Connects.
            close: Ends the connection; its errors are suppressed, since the cluster may have ended before.
        """
        with self._lock:
            if not self._users and not is_open():
                connect()
                self._close = close
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if not self._users and self._close is not None:
                    with contextlib.suppress(Exception):
                        self._close()
                    self._close = None
