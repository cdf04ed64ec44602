"""Starts a worker process, and calls a function in it."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
from typing import IO, TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable

_PROGRAM = (
    "import sys; sys.path[:] = sys.argv[1:]; from piecework.engines._worker import main; main()"
)
_SECONDS_TO_END = 5


class WorkerDied(Exception):  # noqa: N818  # becomes a WorkerError after the last attempt
    """Reports that a process ended before it answered; the message says how."""


class WorkerProcess:
    """Runs a function in a process of its own, for one argument after the other."""

    def __init__(self, fn: Callable[[Any], Any]) -> None:
        """Starts the process and sends it the function."""
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # A worker calls no linear algebra, whose threads would take memory.
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        )
        self._fn: Callable[[Any], Any] | None = fn

    def call(self, part: Any) -> tuple[Any, BaseException | None]:
        """Returns the result of the function for a part and None, or None and what it raised.

        Raises:
            WorkerDied: The process ended before it answered.
        """
        try:
            if self._fn is not None:
                self._send(self._fn)
                self._fn = None
            self._send(part)
            return cast(
                "tuple[Any, BaseException | None]",
                pickle.load(cast("IO[bytes]", self._process.stdout)),
            )
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            self._process.kill()  # it may have closed its pipes and go on
            raise WorkerDied(_described(self._process.wait())) from None

    def _send(self, message: object) -> None:
        pipe = cast("IO[bytes]", self._process.stdin)
        pickle.dump(message, pipe, pickle.HIGHEST_PROTOCOL)
        pipe.flush()

    def kill(self) -> None:
        """Ends the process at once."""
        self._process.kill()

    def close(self) -> None:
        """Ends the process after its current part, and waits for it."""
        with contextlib.suppress(OSError):
            cast("IO[bytes]", self._process.stdin).close()
        try:
            self._process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        cast("IO[bytes]", self._process.stdout).close()


def _described(status: int) -> str:
    """Returns how a process ended, such as "killed by SIGKILL".

    >>> _described(-9), _described(1)
    ('killed by SIGKILL', 'ended with exit code 1')
    """
    if status >= 0:
        return f"ended with exit code {status}"
    with contextlib.suppress(ValueError):
        return f"killed by {signal.Signals(-status).name}"
    return f"killed by signal {-status}"
