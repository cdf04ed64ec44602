"""Runs parts as tasks of Ray."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

from piecework._io.extras import import_extra
from piecework._settings.arguments import check_mapping, check_positive, check_str
from piecework._settings.immutable import Immutable, dataclass
from piecework.engines import _messages
from piecework.engines._connection import Connection
from piecework.errors import WorkerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from piecework.engines._engine import Part, Receipt

_CONNECTION = Connection()
_STORE_BYTES = 1 << 28
"""The memory for objects of a local cluster, through which only calls and receipts go."""


@dataclass(frozen=True)
class Ray(Immutable):
    """Runs parts as plain tasks of Ray (``pip install "piecework[ray]"``).

    The program connects to a cluster, or starts one on this machine and stops it at the end. A program that has called
    ``ray.init`` keeps its connection. All workers need piecework in the version of the program, and the folders of the job
    under the same names.

    Attributes:
        address: ``"auto"`` for the cluster that this machine belongs to, or an address as for ``ray.init``; None starts a
            cluster on this machine.
        workers: The number of parts at once, and the CPUs of a cluster on this machine; None for all CPUs of the cluster.
        runtime_env: The environment of the workers, as for ``ray.init``, such as ``{"pip": ["piecework"]}``.

    >>> Ray(address="auto")
    Ray(address='auto', workers=None, runtime_env=None)
    """

    address: str | None = None
    workers: int | None = None
    runtime_env: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        """Checks the address and the number of workers."""
        check_positive("workers", self.workers)
        check_mapping("runtime_env", self.runtime_env)
        if self.address is not None:
            check_str("address", self.address)

    def run(self, fn: Callable[[Part], Receipt], parts: Sequence[Part]) -> Iterator[Receipt]:
        """Iterates over the results of `fn` for each part, in the order in which they end.

        Args:
            fn: A function that can be pickled.
            parts: Its arguments, which can be pickled.

        Returns:
            An iterator; when it ends, or is closed, no task is left.

        Raises:
            MissingExtraError: Ray is not installed.
            WorkerError: The workers of one part died three times, lack piecework, or the cluster cannot be reached.
            Exception: What `fn` raised; the other parts are stopped.
        """
        with self.connected():
            yield from _results(fn, parts, self.workers)

    @property
    def is_remote(self) -> bool:
        """Returns whether the workers may run on other machines: by the address, or by the cluster that is connected."""
        if self.address not in {None, "local"}:
            return True
        ray = sys.modules.get("ray")
        return ray is not None and ray.is_initialized() and len(ray.nodes()) > 1

    @contextmanager
    def connected(self) -> Iterator[None]:
        """Returns a context manager within which all runs share one connection.

        Raises:
            MissingExtraError: Ray is not installed.
            WorkerError: The cluster cannot be reached.
        """
        ray = import_extra("ray", "ray", "the engine Ray")
        with _CONNECTION.used(
            is_open=ray.is_initialized, connect=self._connect, close=ray.shutdown
        ):
            yield

    def _connect(self) -> None:
        """Connects to the cluster, or starts one."""
        import ray

        try:
            ray.init(**self._arguments())
        except (ConnectionError, OSError, RuntimeError, ValueError) as error:
            raise WorkerError(f"cannot connect to Ray: {error}") from error

    def _arguments(self) -> dict[str, Any]:
        """Returns the arguments of ``ray.init``."""
        given: dict[str, Any] = {
            "runtime_env": self.runtime_env and dict(self.runtime_env),
            "log_to_driver": False,  # what a function raises comes back with its answer
            "logging_level": "ERROR",
        }
        if self.address is not None:
            return {"address": self.address, **given}
        # By default Ray reports its use over the network; a cluster that we start does not.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        # By default a part that lacks memory would be tried without end.
        os.environ.setdefault("RAY_task_oom_retries", str(_messages.ATTEMPTS - 1))
        local = {
            "address": "local",
            "include_dashboard": False,
            "object_store_memory": _STORE_BYTES,
        }
        return {**local, "num_cpus": self.workers, **given}


def _results(fn: Callable[[Any], Any], parts: Sequence[Any], workers: int | None) -> Iterator[Any]:
    """Iterates over the results of tasks, of which a limited number waits in the cluster."""
    import ray

    # A task is retried if its worker or machine dies, not if it raises: it returns what the function raised.
    options = ray.remote(num_cpus=1, max_retries=_messages.ATTEMPTS - 1, retry_exceptions=False)
    task = options(_messages.by_value(ray.cloudpickle).call)
    function = ray.put(_messages.pack(fn))
    waiting = iter(parts)
    folder = os.getcwd()
    running: dict[Any, Any] = {}
    try:
        while True:
            free = (workers or _tasks_of(ray)) - len(running)
            for part in islice(waiting, free):
                running[
                    task.remote(_messages.version(), folder, function, _messages.pack(part))
                ] = part
            if not running:
                return
            (done,), _ = ray.wait(list(running))
            yield _messages.result_of(_answer(ray, done, running.pop(done)))
    finally:
        for reference in running:
            ray.cancel(reference, force=True)


def _tasks_of(ray: Any) -> int:
    """Returns the number of tasks that keep a cluster busy: more than CPUs, so that one that can grow does."""
    return 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))


def _answer(ray: Any, reference: Any, part: Any) -> Any:
    """Returns the answer of a task; raises an error that names the part."""
    errors = ray.exceptions
    try:
        return ray.get(reference)
    except (errors.WorkerCrashedError, errors.NodeDiedError, errors.OutOfMemoryError) as error:
        raise _messages.too_many(part, f"ended by the system ({type(error).__name__})") from None
    except errors.RayError as error:
        raise WorkerError(f"{_messages.name_of(part)}: Ray could not run it: {error}") from error
