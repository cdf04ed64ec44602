"""Functions that tests of engines run in worker processes."""

import os
import signal
import sys
import time
from pathlib import Path

from piecework.errors import ConfigError


def square(number: int) -> int:
    return number * number


def inverse(number: int) -> float:
    return 1 / number


def sleep_or_divide(seconds: float) -> float:
    """Raises ZeroDivisionError for 0, and otherwise takes some time."""
    time.sleep(seconds)
    return 1 / seconds


def refuse(part: str) -> None:
    raise ConfigError("refused", setting="part", hint="pass another")


def unpicklable(part: str) -> object:
    return lambda: part


def printing(text: str) -> int:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
    return len(text)


def die_once(path: str) -> str:
    """Kills its process at the first attempt."""
    try:
        Path(path).touch(exist_ok=False)
    except FileExistsError:
        return path
    die(path)
    return path


def die(part: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def leave(part: str) -> None:
    os._exit(3)


def record_and_wait(path: str) -> None:
    """Writes the id of its process, and waits for a file `go` beside it, ten seconds at most."""
    Path(path).write_text(str(os.getpid()))
    for _ in range(500):
        if Path(path).with_name("go").exists():
            return
        time.sleep(0.02)
