"""Packs calls for workers of a cluster, and reads their answers."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from piecework._messages import shown
from piecework.errors import PieceworkError, WorkerError

if TYPE_CHECKING:
    from types import ModuleType

ATTEMPTS = 3
"""The number of attempts for a part whose worker dies: killed, out of memory, or crashed."""


def version() -> str:
    """Returns the version of piecework of this program."""
    import piecework

    return piecework.__version__


def pack(message: object) -> bytes:
    """Returns a function or a part as bytes.

    Raises:
        WorkerError: It cannot be pickled.
    """
    try:
        return pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        problem = f"cannot be sent to a worker: {shown(message)} ({error})"
        hint = "define functions in a module that can be imported"
        raise WorkerError(problem, hint=hint) from None


def result_of(answer: bytes | str) -> Any:
    """Returns the result of a part.

    Args:
        answer: What :func:`piecework.engines._remote.call` returned.

    Raises:
        WorkerError: The worker lacks piecework, or has another version.
        Exception: What the function raised.
    """
    if isinstance(answer, str):
        raise WorkerError(answer, hint=f"install piecework {version()} where the workers run")
    result, error = pickle.loads(answer)
    if error is not None:
        raise error
    return result


def name_of(part: object) -> str:
    """Returns the name of a part for messages."""
    name = getattr(part, "name", None)
    return name if isinstance(name, str) else f"the part {shown(part)}"


def too_many(part: object, how: str) -> PieceworkError:
    """Returns the error for a part whose workers died at each attempt."""
    return WorkerError(
        f"{name_of(part)}: its process was {how} at each of {ATTEMPTS} attempts",
        hint="a process that is killed often lacks memory; use fewer workers or smaller parts, then run the job again",
    )


def by_value(cloudpickle: ModuleType) -> ModuleType:
    """Returns the module :mod:`piecework.engines._remote`, whose functions a cloudpickle then sends as code."""
    from piecework.engines import _remote as remote

    cloudpickle.register_pickle_by_value(remote)
    return remote
