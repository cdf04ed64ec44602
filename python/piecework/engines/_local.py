"""Runs parts in processes of this machine."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any

from piecework._settings.arguments import check_positive
from piecework._settings.immutable import Immutable, dataclass
from piecework.engines._messages import ATTEMPTS, too_many
from piecework.engines._process import WorkerDied, WorkerProcess
from piecework.engines._threads import ThreadedRun

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from piecework.engines._engine import Part, Receipt


@dataclass(frozen=True)
class Local(Immutable):
    """Runs parts in processes of this machine.

    A process is a new Python, so a script needs no ``if __name__ == "__main__"``. A part whose process dies is tried again,
    three times in all.

    Attributes:
        workers: The number of processes; None for one per core. The result of a job does not depend on it.

    >>> sorted(Local(workers=2).run(len, ["a", "bc", ""]))
    [0, 1, 2]
    """

    workers: int | None = None

    def __post_init__(self) -> None:
        """Checks the number of workers."""
        check_positive("workers", self.workers)

    def run(self, fn: Callable[[Part], Receipt], parts: Sequence[Part]) -> Iterator[Receipt]:
        """Iterates over the results of `fn` for each part, in the order in which they end.

        Args:
            fn: A function that can be pickled.
            parts: Its arguments, which can be pickled.

        Returns:
            An iterator; when it ends, or is closed, no process is left.

        Raises:
            WorkerError: The processes of one part died three times.
            Exception: What `fn` raised; the other parts are stopped.
        """
        run = _Run(fn, parts, min(self.workers or _cores(), len(parts)))
        try:
            yield from run.results()
        finally:
            run.stop()


def _cores() -> int:
    """Returns the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Run(ThreadedRun):
    """Runs one job: one thread for each process hands it parts."""

    def __init__(self, fn: Callable[[Any], Any], parts: Sequence[Any], workers: int) -> None:
        super().__init__(parts, workers)
        self._fn = fn
        self._lock = threading.Lock()  # for `is_stopped` and the processes
        self._processes: set[WorkerProcess] = set()

    def stop(self) -> None:
        """Ends all processes, also in the middle of a part."""
        with self._lock:
            self.is_stopped = True
            for process in self._processes:
                process.kill()
        for thread in self.threads:
            if thread.is_alive():
                thread.join()

    def work(self) -> None:
        """Runs parts in a process, which is replaced if it dies, until there are no more."""
        process: WorkerProcess | None = None
        try:
            while True:
                part = self.waiting.get_nowait()
                for attempt in range(1, ATTEMPTS + 1):
                    process = process or self._start()
                    try:
                        self.outcomes.put(process.call(part))
                        break
                    except WorkerDied as death:
                        self._end(process)
                        process = None
                        if attempt == ATTEMPTS or self.is_stopped:
                            raise too_many(part, str(death)) from None
        finally:
            if process is not None:
                self._end(process)

    def _start(self) -> WorkerProcess:
        with self._lock:
            if self.is_stopped:
                raise WorkerDied("stopped")
            process = WorkerProcess(self._fn)
            self._processes.add(process)
        return process

    def _end(self, process: WorkerProcess) -> None:
        with self._lock:
            self._processes.discard(process)
        process.close()
