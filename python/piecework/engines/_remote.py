"""Defines the calls that a worker of a cluster makes.

They are sent as code, not by their names, so that a worker without piecework, or with another version, can say so. Therefore
they refer to nothing else in this module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


def call(version: str, folder: str, function: bytes, part: bytes) -> bytes | str:
    """Returns the pickled outcome of a function for a part, or what is wrong with this worker.

    Args:
        version: The version of piecework of the program.
        folder: The working folder of the program, from which relative names of files start.
        function: The pickled function.
        part: Its pickled argument.
    """
    import platform
    import sys

    try:
        import piecework
    except ImportError as error:
        problem = f"cannot import piecework ({error})"
    else:
        found = getattr(piecework, "__version__", "of no version")
        if found == version:
            from piecework.engines._worker import answer

            return answer(folder, function, part)
        problem = f"has piecework {found}; the program has {version}"
    return f"the worker on {platform.node()} ({sys.executable}) {problem}"


def answers(
    call: Callable[[bytes], bytes | str], parts: Sequence[bytes]
) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Returns a function from Arrow batches of part numbers to Arrow batches of pickled answers."""

    def run(batches: Iterable[Any]) -> Iterator[Any]:
        import pickle

        import pyarrow as pa

        for batch in batches:
            for number in batch.column(0).to_pylist():
                answer = pa.array([pickle.dumps(call(parts[number]))], pa.binary())
                yield pa.RecordBatch.from_arrays([answer], ["answer"])

    return run
