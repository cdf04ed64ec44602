"""Ends processes by signals while they write, and looks at what they leave, and at what the next call makes of it."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
import warnings
from functools import cache
from typing import TYPE_CHECKING

from piecework._io import temporary
from torture import writing
from torture.trials import Broken, Kind, Trial

if TYPE_CHECKING:
    from pathlib import Path

SIGNALS = (signal.SIGKILL, signal.SIGTERM)
SECONDS_TO_END = 10
"""The seconds in which the processes end that a killed one has started."""


def trial(seed: int, folder: Path) -> Trial:
    """Returns the trial of a seed: a call is stopped at a random moment, and repeated."""
    choice = random.Random(f"kills {seed}")
    name = [*writing.WRITINGS][seed % len(writing.WRITINGS)]
    signum, is_replaced = choice.choice(SIGNALS), choice.random() < 0.5
    has_names, moment = choice.random() < 0.5, choice.uniform(0, 1.05)

    def call() -> int:
        old, new, seconds = _undisturbed(name, folder.parent)
        target = folder / "out"
        if is_replaced:
            shutil.copytree(folder.parent / f"{name}-0", target)
        else:
            target.mkdir()
        _stop(name, target, signum, seconds * moment, has_names=has_names)
        left = writing.check_whole(name, target, old if is_replaced else {}, new)
        writing.run(name, target)
        writing.check_again(name, target, new)
        return left

    return Trial(name, call)


@cache
def _undisturbed(name: str, folder: Path) -> tuple[writing.Files, writing.Files, float]:
    """Returns what a call writes in both versions, and its seconds."""
    old = writing.undisturbed(name, 0, folder / f"{name}-0")
    start = time.perf_counter()
    new = writing.undisturbed(name, 1, folder / f"{name}-1")
    return old, new, time.perf_counter() - start


def _stop(
    name: str, target: Path, signum: signal.Signals, seconds: float, *, has_names: bool
) -> None:
    """Starts a call, and ends it after a time by a signal.

    Args:
        name: The name of the call.
        target: Its folder.
        signum: The signal.
        seconds: The time.
        has_names: Whether temporary files have names, as on file systems that have none without.

    Raises:
        Broken: A process outlives it, or the call fails.
    """
    pid = os.fork()
    if not pid:
        _write(name, target, has_names=has_names)
    time.sleep(seconds)
    os.kill(pid, signum)
    _, status = os.waitpid(pid, 0)
    _wait_for_group(pid)
    if status and not os.WIFSIGNALED(status):
        raise Broken(f"{name}: exit status {os.waitstatus_to_exitcode(status)} after {signum.name}")


def _write(name: str, target: Path, *, has_names: bool) -> None:
    """Runs the call; never returns."""
    os.setpgid(0, 0)
    status = 1
    try:
        if has_names:
            temporary._without_name = lambda folder, mode: None
        with warnings.catch_warnings(action="ignore"):
            writing.WRITINGS[name].call(target, 1)
        status = 0
    finally:
        os._exit(status)


def _wait_for_group(pid: int) -> None:
    """Waits until all processes of a group have ended."""
    end = time.monotonic() + SECONDS_TO_END
    while time.monotonic() < end:
        try:
            os.killpg(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.005)
    os.killpg(pid, signal.SIGKILL)
    raise Broken(f"a process goes on {SECONDS_TO_END} seconds after its program was killed")


KIND = Kind("kills", 0.25, trial, writing.prepare, in_process=1000, seconds=90)
