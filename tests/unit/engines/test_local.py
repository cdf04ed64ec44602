"""Parts of jobs in worker processes."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import engine_functions as functions
from piecework.engines import Local
from piecework.errors import ConfigError, WorkerError


@pytest.mark.parametrize("workers", [1, 2, 5, None])
def test_every_part_has_one_result(workers: int | None) -> None:
    assert sorted(Local(workers).run(functions.square, range(20))) == [n * n for n in range(20)]


def test_no_parts() -> None:
    assert list(Local().run(functions.square, [])) == []


def test_an_error_of_the_function_is_raised_here() -> None:
    with pytest.raises(ZeroDivisionError, match="division by zero") as caught:
        list(Local(2).run(functions.inverse, [1, 0, 2]))
    assert "in a worker process" in caught.value.__notes__[0]


def test_our_errors_keep_their_parts() -> None:
    with pytest.raises(ConfigError) as caught:
        list(Local(1).run(functions.refuse, ["x"]))
    assert (caught.value.setting, caught.value.hint) == ("part", "pass another")


def test_a_result_that_cannot_be_pickled_is_an_error() -> None:
    with pytest.raises(WorkerError, match="cannot be sent"):
        list(Local(1).run(functions.unpicklable, ["x"]))


def test_a_function_of_the_program_itself_is_an_error() -> None:
    code = (
        "import sys; sys.path[:] = sys.argv[1:]\n"
        "from piecework.engines import Local\n"
        "def own(part): return part\n"
        "list(Local(1).run(own, [1]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *sys.path], capture_output=True, text=True, check=False
    )
    assert "WorkerError: a worker cannot read the function" in done.stderr
    assert "define both in a module that can be imported" in done.stderr


def test_printing_does_not_disturb_the_results(capfd: pytest.CaptureFixture[str]) -> None:
    assert list(Local(1).run(functions.printing, ["to be"])) == [5]
    out, err = capfd.readouterr()
    assert (out, err) == ("", "to be\n")


def test_a_part_whose_worker_dies_is_tried_again(tmp_path: Path) -> None:
    parts = [str(tmp_path / str(number)) for number in range(4)]
    assert sorted(Local(2).run(functions.die_once, parts)) == sorted(parts)


@pytest.mark.parametrize(("fn", "how"), [("die", "SIGKILL"), ("leave", "exit code 3")])
def test_a_part_that_kills_its_workers_is_an_error(fn: str, how: str) -> None:
    with pytest.raises(WorkerError, match=rf"the part 'x': .*{how} at each of 3 attempts"):
        list(Local(1).run(getattr(functions, fn), ["x"]))


def test_no_process_is_left_when_the_caller_stops(tmp_path: Path) -> None:
    run: Any = Local(2).run(functions.record_and_wait, [str(tmp_path / str(n)) for n in range(2)])
    with pytest.raises(TimeoutError):
        next(_with_limit(run, tmp_path))
    run.close()
    for path in tmp_path.iterdir():
        with pytest.raises(ProcessLookupError):
            os.kill(int(path.read_text()), 0)


def _with_limit(run: Any, folder: Path) -> Any:
    """Raises TimeoutError in this thread when both workers are at work."""

    def stop(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 1.5)
    try:
        yield from run
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@pytest.mark.parametrize("workers", [0, -1, True, "2", 1.5])
def test_a_wrong_number_of_workers(workers: Any) -> None:
    with pytest.raises(ConfigError, match="workers: expected a positive integer or None"):
        Local(workers)


def test_a_worker_ends_with_its_program(tmp_path: Path) -> None:
    """The pipe of a killed program ends, and with it the worker."""
    code = (
        "import sys; sys.path[:] = sys.argv[2:]\n"
        "from piecework.engines import Local; import engine_functions\n"
        "list(Local(1).run(engine_functions.record_and_wait, [sys.argv[1]]))"
    )
    record = tmp_path / "pid"
    program = subprocess.Popen([sys.executable, "-c", code, str(record), *sys.path])
    while not (record.exists() and record.read_text()):
        time.sleep(0.02)
    os.kill(program.pid, signal.SIGKILL)
    program.wait()
    (tmp_path / "go").touch()
    worker = int(record.read_text())
    for _ in range(200):
        if not Path(f"/proc/{worker}").exists():
            return
        time.sleep(0.05)
    pytest.fail(f"the worker {worker} still runs")
