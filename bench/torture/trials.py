"""Runs trials in processes of their own, so that none ends the program, and says how each of them ended."""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import json
import os
import re
import resource
import select
import shutil
import signal
import sys
import time
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from piecework.errors import PieceworkError, PieceworkWarning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DONE, OWN, MEMORY, BROKEN = "done", "own errors", "MemoryError", "broken"
"""How a trial ends. The last breaks a promise; an error of piecework, or of too little memory, does not."""
GRACE = 10.0
"""The seconds after its limit at which a process is killed that has not ended itself."""
TELLING = re.compile(
    r"memory allocation of|panicked at|Fatal Python error|Timeout \(|\w*(?:Error|Exception|Interrupt)\b"
)
"""The lines of standard error that say why a process ended."""
FRAME = re.compile(r'\s*File "(?:.*/)?([^"/]+/[^"/]+)", line (\d+) in (\w+)')
"""A line of a traceback of the module faulthandler."""


class Broken(Exception):  # noqa: N818  # not an error of the program
    """Reports a promise that was broken; the message says which."""


class Trial(NamedTuple):
    """Describes a trial: what it is about, and the call, which returns the number of files that are left over."""

    what: str
    call: Callable[[], int]


class Outcome(NamedTuple):
    """Holds how a trial ended, with its wall time, its largest memory, and the files that were left over."""

    seed: int
    what: str
    how: str
    details: str = ""
    seconds: float = 0.0
    megabytes: int = 0
    left: int = 0


@dataclass(frozen=True)
class Kind:
    """Describes a kind of trials.

    Attributes:
        name: Its name.
        share: Its share of the time.
        trial: Returns the trial of a seed, which may write into a folder of its own. Seeds that follow each other take all
            subjects in turn.
        prepare: Makes what all trials need, once, in a folder.
        missing: Returns why the trials are not possible on this machine; an empty string if they are.
        in_process: The number of trials that one process runs, one after the other.
        seconds: The most wall time of a trial.
        address_space: The most bytes that a process may map beyond what it has at the start; None for no limit.
    """

    name: str
    share: float
    trial: Callable[[int, Path], Trial]
    prepare: Callable[[Path], None] = lambda folder: None
    missing: Callable[[], str] = lambda: ""
    in_process: int = 1
    seconds: float = 30.0
    address_space: int | None = None


def outcomes(kind: Kind, seeds: range, seconds: float, folder: Path) -> Iterator[Outcome]:
    """Runs trials until their time is spent, at least one; a trial that breaks no promise leaves no files."""
    end, left = time.monotonic() + seconds, seeds
    while left:
        for outcome in _Process(kind, left[: kind.in_process], end, folder).outcomes():
            left = left[1:]
            yield outcome
        if time.monotonic() > end:
            return


def in_child(call: Callable[[], object]) -> str:
    """Runs a call in a process of its own, whose threads and memory end with it.

    Returns:
        What it raised, or how the process ended; an empty string if the call returned.
    """
    reader, writer = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if not pid:
        try:
            call()
        except BaseException as error:  # noqa: BLE001  # the process ends here
            os.write(writer, described(error).encode(errors="replace")[:4096])
        finally:
            os._exit(0)
    os.close(writer)
    said = os.read(reader, 4096).decode(errors="replace")
    os.close(reader)
    _, status = os.waitpid(pid, 0)
    return said or (status and _ended(status)) or ""


def use_one_heap() -> None:
    """Lets the allocator return what is freed, and reserve nothing, of which calls would use parts beyond a limit.

    To be called before there are threads, whose heaps reserve 64 MB of address space each.
    """
    trim_threshold, mmap_threshold, arena_max = -1, -3, -8  # numbers of malloc.h
    libc = ctypes.CDLL(None)
    for parameter, value in ((trim_threshold, 1 << 16), (mmap_threshold, 1 << 16), (arena_max, 1)):
        libc.mallopt(parameter, value)


def limit_memory(more: int) -> None:
    """Limits the address space to what this process has and a number of bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(
        resource.RLIMIT_AS, (pages * resource.getpagesize() + more, resource.RLIM_INFINITY)
    )


def unlimit_memory() -> None:
    """Removes the limit of the address space."""
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


class _Process:
    """A process that runs trials, and writes a line of JSON before and after each."""

    def __init__(self, kind: Kind, seeds: range, end: float, folder: Path) -> None:
        self._kind, self._seeds, self._folder = kind, seeds, folder
        self._errors = folder / "stderr"
        reader, writer = os.pipe()
        sys.stdout.flush()
        self._pid = os.fork()
        if not self._pid:
            os.close(reader)
            self._run(writer, end)
        os.close(writer)
        self._pipe, self._pending = reader, b""

    def outcomes(self) -> Iterator[Outcome]:
        """Iterates over the outcomes; the last is broken if the process died."""
        started: Outcome | None = None
        try:
            while (line := self._line()) is not None:
                outcome = Outcome(**json.loads(line))
                if outcome.how:
                    started = None
                    yield outcome
                else:
                    started = outcome
        finally:
            os.close(self._pipe)
            self._kill()
            _, status, used = os.wait4(self._pid, 0)
        if started is not None or status:
            about = started or Outcome(self._seeds[0], "the trial itself", "")
            details = death(status, self._errors.read_text(errors="replace"))
            yield about._replace(how=BROKEN, details=details, megabytes=used.ru_maxrss >> 10)

    def _line(self) -> bytes | None:
        """Returns the next line; None if the process ended or hangs."""
        while b"\n" not in self._pending:
            ready, _, _ = select.select([self._pipe], [], [], self._kind.seconds + GRACE)
            more = os.read(self._pipe, 1 << 16) if ready else b""
            if not more:
                return None
            self._pending += more
        line, self._pending = self._pending.split(b"\n", 1)
        return line

    def _kill(self) -> None:
        """Ends what is left of the process and of those that it started; one that has ended keeps its status."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGKILL)

    def _run(self, pipe: int, end: float) -> None:
        """Runs the trials; never returns."""
        os.setpgid(0, 0)
        status = 1
        try:
            errors = os.open(self._errors, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
            os.dup2(errors, 2)
            faulthandler.enable()
            if self._kind.address_space is not None:
                limit_memory(self._kind.address_space)
            for seed in self._seeds:
                self._try(seed, pipe, errors)
                if time.monotonic() > end:
                    break
            status = 0
        except BaseException:  # noqa: BLE001  # the process ends here
            traceback.print_exc()
        finally:
            os._exit(status)

    def _try(self, seed: int, pipe: int, errors: int) -> None:
        own = self._folder / f"{self._kind.name}-{seed}"
        own.mkdir()
        trial = self._kind.trial(seed, own)
        _write(pipe, Outcome(seed, trial.what, ""))
        before, start = os.fstat(errors).st_size, time.perf_counter()
        _reset_peak()
        faulthandler.dump_traceback_later(self._kind.seconds, exit=True)
        how, details, left = tried(trial.call)
        faulthandler.cancel_dump_traceback_later()
        seconds = time.perf_counter() - start
        said = os.pread(errors, 1 << 16, before).decode(errors="replace")
        if "panicked at" in said and how != MEMORY:  # in a thread
            how, details = BROKEN, death(0, said)
        if how != BROKEN:
            shutil.rmtree(own)
        _write(pipe, Outcome(seed, trial.what, how, details, seconds, _peak(), left))


def tried(call: Callable[[], int]) -> tuple[str, str, int]:
    """Returns how a call ends, what it raised, and the number of files that are left over."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", PieceworkWarning)
        try:
            return DONE, "", call()
        except PieceworkError as error:
            return OWN, str(error), 0
        except MemoryError:
            return MEMORY, "", 0
        except Broken as broken:
            return BROKEN, str(broken), 0
        except BaseException as error:  # noqa: BLE001  # any other is what this looks for
            return MEMORY if lacks_object(error) else BROKEN, described(error), 0


def lacks_object(error: BaseException) -> bool:
    """Returns whether Python had no memory for a small object, which PyO3 and Python itself report in their own ways."""
    is_of_pyo3 = type(error).__name__ == "PanicException" and "pointer is null" in str(error)
    is_of_python = any(
        text in str(error) for text in ("returned NULL", "error return without exception set")
    )
    return is_of_pyo3 or (isinstance(error, SystemError) and is_of_python)


def described(error: BaseException) -> str:
    """Returns an exception with the places that raised it."""
    frames = traceback.extract_tb(error.__traceback__)[-4:]
    places = [f"{'/'.join(Path(f.filename).parts[-2:])}:{f.lineno} {f.name}" for f in frames]
    message = " ".join(str(error).split())[:300]
    return f"{type(error).__name__}: {message} ({' > '.join(places)})"


def death(status: int, errors: str) -> str:
    """Returns why a process ended, from its status and what it wrote to standard error."""
    how = _ended(status)
    telling = [line.strip()[:300] for line in errors.splitlines() if TELLING.search(line)]
    frames = [f"{file}:{line} {name}" for file, line, name in FRAME.findall(errors)]
    own = [frame for frame in frames if not frame.startswith("torture/")]
    return f"{how}: {'; '.join(dict.fromkeys(telling[-3:]))} ({' < '.join(own[:4])})"


def _ended(status: int) -> str:
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return f"exit status {os.waitstatus_to_exitcode(status)}"


def _write(pipe: int, outcome: Outcome) -> None:
    fields: dict[str, Any] = outcome._asdict()
    os.write(pipe, json.dumps(fields).encode() + b"\n")


def _reset_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def _peak() -> int:
    """Returns the largest memory of this process since the last reset, and of its children, in MB."""
    status = Path("/proc/self/status").read_text()
    own = int(status.split("VmHWM:")[1].split()[0])
    return max(own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) >> 10
