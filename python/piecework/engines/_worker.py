"""Implements the worker process: it reads a function and its arguments, and writes the results.

Messages are pickles, one after the other, on standard input and output. The end of standard input ends the process, so a
worker whose program was killed ends after its part.
"""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import signal
import traceback
from functools import lru_cache
from typing import Any, BinaryIO

from piecework.errors import PieceworkError, WorkerError


def main() -> None:
    """Runs a worker on standard input and output."""
    # Ctrl-C reaches all processes of a terminal; the program that started this one ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with os.fdopen(os.dup(0), "rb") as messages, os.fdopen(os.dup(1), "wb") as results:
        # What the function prints does not belong to the results.
        os.dup2(2, 1)
        serve(messages, results)


def serve(messages: BinaryIO, results: BinaryIO) -> None:
    """Answers each message after the first, which is the function."""
    try:
        fn = _read(messages)
        while True:
            part = _read(messages)
            results.write(_packed(_outcome(fn, part)))
            results.flush()
    except (EOFError, BrokenPipeError):
        pass  # the program has ended, or has no more parts


class _Unreadable:
    """Stands for a message that cannot be unpickled here, such as a function of the program's main module."""

    def __init__(self, error: Exception) -> None:
        if isinstance(error, WorkerError):  # the function compared itself with the program
            self.error = error
            return
        problem = f"a worker cannot read the function or its part: {error!r}"
        hint = "define both in a module that can be imported, not in the program itself"
        self.error = WorkerError(problem, hint=hint)


def _read(messages: BinaryIO) -> Any:
    """Returns the next message."""
    try:
        return pickle.load(messages)
    except EOFError:
        raise
    except Exception as error:  # noqa: BLE001  # the program raises it
        return _Unreadable(error)


@lru_cache(maxsize=1)
def _function(data: bytes) -> Any:
    """Returns a function that was pickled; a worker that runs many parts of one job reads it once."""
    return _read(io.BytesIO(data))


def answer(folder: str, function: bytes, part: bytes) -> bytes:
    """Returns the pickled result and error of a function for a part, both of them pickled.

    Args:
        folder: The working folder of the program, from which relative names start; without effect where it is missing.
        function: The function.
        part: The part.
    """
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            stack.enter_context(contextlib.chdir(folder))
        return _packed(_outcome(_function(function), _read(io.BytesIO(part))))


def _outcome(fn: Any, part: Any) -> tuple[Any, BaseException | None]:
    for message in (fn, part):
        if isinstance(message, _Unreadable):
            return None, message.error
    try:
        return fn(part), None
    except PieceworkError as error:
        return None, error
    except Exception as error:  # noqa: BLE001  # the program raises it
        error.add_note(f"in a worker process:\n{traceback.format_exc()}")
        return None, error


def _packed(outcome: tuple[Any, BaseException | None]) -> bytes:
    try:
        data = pickle.dumps(outcome, pickle.HIGHEST_PROTOCOL)
        pickle.loads(data)  # some exceptions are pickled and cannot be read
    except Exception as error:  # noqa: BLE001  # as above
        value = outcome[1] if outcome[1] is not None else outcome[0]
        problem = f"a result cannot be sent to the program: {value!r} ({error!r})"
        return pickle.dumps((None, WorkerError(problem)), pickle.HIGHEST_PROTOCOL)
    return data
