"""Runs work in threads of the program, which wait for processes or for a cluster."""

from __future__ import annotations

import queue
import threading
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class ThreadedRun(ABC):
    """Runs one job: threads take items from a queue, and put what becomes of them into another one.

    Attributes:
        waiting: The items that no thread has taken.
        outcomes: The result of an item and None, or None and the error that ends the job.
        is_stopped: Whether threads end after their item.
        threads: The threads.
    """

    def __init__(self, items: Sequence[Any], threads: int) -> None:
        """Fills the queue; nothing runs yet."""
        self._count = len(items)
        self.waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
        for item in items:
            self.waiting.put(item)
        self.outcomes: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()
        self.is_stopped = False
        self.threads = [threading.Thread(target=self._run, daemon=True) for _ in range(threads)]

    def results(self) -> Iterator[Any]:
        """Iterates over the results in the order in which they come, or raises the first error."""
        for thread in self.threads:
            thread.start()
        for _ in range(self._count):
            result, error = self.outcomes.get()
            if error is not None:
                raise error
            yield result

    def _run(self) -> None:
        """Works until there are no more items; the body of a thread."""
        try:
            self.work()
        except queue.Empty:
            pass
        except BaseException as error:  # noqa: BLE001  # `results` raises it in the thread of the caller
            self.outcomes.put((None, error))

    @abstractmethod
    def work(self) -> None:
        """Takes items until the queue is empty, and puts their outcomes; an error ends the job."""
