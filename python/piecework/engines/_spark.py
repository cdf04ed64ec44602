"""Runs parts in Python workers of Spark."""

from __future__ import annotations

import contextlib
import functools
import os
import pickle
import queue
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from piecework._io.extras import has_program, import_extra
from piecework._settings.arguments import check_mapping, check_positive, check_str
from piecework._settings.immutable import Immutable, dataclass
from piecework.engines._connection import Connection
from piecework.engines._messages import ATTEMPTS, by_value, pack, result_of, version
from piecework.engines._threads import ThreadedRun
from piecework.errors import ConfigError, MissingExtraError, WorkerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pyspark.sql import SparkSession

    from piecework.engines._engine import Part, Receipt

_CONNECTION = Connection()
_SECONDS_BETWEEN = 0.5
"""The time between attempts to end the jobs of a run that stops."""
_JOBS = 3
"""The number of Spark jobs at once: while the last parts of one end, those of the next begin.

A job has a part for each core, since the program has results and errors when a job ends.
"""


@dataclass(frozen=True)
class Spark(Immutable):
    """Runs parts in Python workers of Spark (``pip install "piecework[spark]"``; Spark requires Java 17 or newer).

    A program with an active ``SparkSession``, such as one that ``spark-submit`` started, keeps it. Otherwise a session is
    started, and stopped at the end. All workers need piecework in the version of the program, and the folders of the job
    under the same names.

    Attributes:
        master: The master of a new session, such as ``"spark://host:7077"``; None for this machine, unless `config` or
            ``spark-submit`` names another one.
        workers: The number of parts at once on this machine; None for one per core. On a cluster the session decides.
        config: Settings of a new session.

    >>> Spark(workers=2)
    Spark(master=None, workers=2, config=None)
    """

    master: str | None = None
    workers: int | None = None
    config: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        """Checks the master and the number of workers."""
        check_positive("workers", self.workers)
        check_mapping("config", self.config)
        if self.master is not None:
            check_str("master", self.master)
        if self.workers is not None and self.is_remote:
            hint = "set `spark.executor.instances` or `spark.cores.max` in `config`"
            message = "applies to this machine; a cluster decides by its settings"
            raise ConfigError(message, setting="workers", hint=hint)

    def run(self, fn: Callable[[Part], Receipt], parts: Sequence[Part]) -> Iterator[Receipt]:
        """Iterates over the results of `fn` for each part; those of some parts at a time.

        Args:
            fn: A function that can be pickled.
            parts: Its arguments, which can be pickled.

        Returns:
            An iterator; when it ends, or is closed, no Spark job is left.

        Raises:
            MissingExtraError: Spark or Java is not installed.
            WorkerError: The workers of one part died too often, lack piecework, or the session cannot be started.
            Exception: What `fn` raised; the other parts are stopped.
        """
        with self.connected() as session:
            run = _Run(session, fn, parts)
            try:
                for answers in run.results():
                    yield from (result_of(pickle.loads(answer)) for answer in answers)
            finally:
                run.stop()

    @property
    def is_remote(self) -> bool:
        """Returns whether the workers may run on other machines: by the master, or by the session that is connected."""
        context = sys.modules["pyspark"].SparkContext if "pyspark" in sys.modules else None
        active = context and context._active_spark_context
        master = active.master if active else (self.config or {}).get("spark.master", self.master)
        return master is not None and not master.startswith("local")

    @contextmanager
    def connected(self) -> Iterator[SparkSession]:
        """Returns a context manager of the session, which all runs within it share.

        Raises:
            MissingExtraError: Spark or Java is not installed.
            WorkerError: The session cannot be started.
        """
        sql = import_extra("pyspark.sql", "spark", "the engine Spark")
        import_extra("pyarrow", "spark", "the engine Spark")
        with _CONNECTION.used(is_open=is_connected, connect=self._connect, close=_stop):
            yield sql.SparkSession.builder.getOrCreate()

    def _connect(self) -> None:
        """Starts a session."""
        from pyspark.sql import SparkSession

        if not (os.environ.get("JAVA_HOME") or has_program("java")):
            hint = "install a JRE of version 17 or newer, such as the Debian package openjdk-17-jre-headless"
            raise MissingExtraError("the engine Spark: requires Java", hint=hint)
        builder = SparkSession.builder
        for name, value in self._settings().items():
            builder = builder.config(name, value)
        # By default the workers would run another Python: the first one of the path.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        try:
            builder.getOrCreate()
        except Exception as error:  # of Py4J and of PySpark, without a common class
            raise WorkerError(f"cannot start a session of Spark: {error}") from error

    def _settings(self) -> dict[str, str]:
        """Returns the settings of a new session."""
        settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
        if self.master is not None:
            settings["spark.master"] = self.master
        elif "PYSPARK_GATEWAY_PORT" not in os.environ:  # spark-submit names the master
            # `local` alone tries a part once; the second number is that of the attempts.
            settings["spark.master"] = f"local[{self.workers or '*'},{ATTEMPTS}]"
        return settings | dict(self.config or {})


def is_connected() -> bool:
    """Returns whether the process has a session or a context of Spark."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    # The active session is that of a thread; the context is that of the process.
    return SparkSession.getActiveSession() is not None or bool(SparkContext._active_spark_context)


def _stop() -> None:
    """Ends the session of the process."""
    from pyspark.sql import SparkSession

    SparkSession.builder.getOrCreate().stop()


class _Run(ThreadedRun):
    """Runs one job: threads submit Spark jobs of some parts each."""

    def __init__(self, session: Any, fn: Callable[[Any], Any], parts: Sequence[Any]) -> None:
        from pyspark import cloudpickle

        size = _cores(session)
        groups = [parts[start : start + size] for start in range(0, len(parts), size)]
        super().__init__(groups, _JOBS)
        self._session, self._remote = session, by_value(cloudpickle)
        self._call = functools.partial(self._remote.call, version(), os.getcwd(), pack(fn))
        self._tag = f"piecework-{id(self)}"

    def stop(self) -> None:
        """Ends all Spark jobs, also in the middle of a part."""
        self.is_stopped = True
        while any(thread.is_alive() for thread in self.threads):
            # Again, since a thread may have submitted a job in between; a session that has ended has no jobs.
            with contextlib.suppress(Exception):
                _cancel(self._session, self._tag)
            for thread in self.threads:
                thread.join(_SECONDS_BETWEEN)

    def work(self) -> None:
        """Submits groups of parts until there are no more."""
        try:
            _tag(self._session, self._tag)
            while not self.is_stopped:
                self.outcomes.put((self._answers(self.waiting.get_nowait()), None))
        except (queue.Empty, WorkerError):
            raise
        except BaseException as error:
            raise _failure(error) from error

    def _answers(self, parts: Sequence[Any]) -> list[bytes]:
        run = self._remote.answers(self._call, [pack(part) for part in parts])
        numbers = self._session.range(0, len(parts), 1, len(parts))
        rows = numbers.mapInArrow(run, "answer binary").collect()
        return [bytes(row.answer) for row in rows]


def _tag(session: Any, tag: str) -> None:
    """Marks the jobs of this thread."""
    if (context := _context(session)) is not None:
        context.addJobTag(tag)
    else:
        session.addTag(tag)


def _cancel(session: Any, tag: str) -> None:
    """Ends the jobs with a mark."""
    if (context := _context(session)) is not None:
        context.cancelJobsWithTag(tag)
    else:
        session.interruptTag(tag)


def _context(session: Any) -> Any:
    """Returns the context of a session; None for a session of Spark Connect, which has none."""
    try:
        return session.sparkContext
    except AttributeError:
        return None


def _cores(session: Any) -> int:
    """Returns the number of cores of a cluster; a guess for a session of Spark Connect, which does not say it."""
    if (context := _context(session)) is not None:
        return int(context.defaultParallelism)
    return int(session.conf.get("spark.default.parallelism", "16"))


def _failure(error: BaseException) -> WorkerError:
    """Returns the error of a Spark job; its message begins with the reason, and has the stacks of Java after it."""
    # The first line of an error of Py4J names a call; the second begins with a colon and has the reason.
    reason = " ".join(str(error).split("\n")[:2])
    hint = "the log of Spark has the stacks; a worker that dies often lacks memory: use fewer cores or smaller parts"
    return WorkerError(f"Spark could not run some parts: {reason}", hint=hint)
