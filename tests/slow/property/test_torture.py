"""A part of `make torture` with fixed seeds breaks no promise: damaged files, killed writers, full disks, no memory, Ctrl-C."""

import os
import subprocess
import sys

import pytest

from paths import REPOSITORY

TRIALS = {"files": 195, "kills": 18, "disks": 14, "interrupts": 9, "memory": 45}
"""The kinds of trials and their numbers."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the program needs Linux"),
]


@pytest.mark.parametrize("kind", TRIALS)
def test_no_promise_is_broken(kind: str) -> None:
    paths = [str(REPOSITORY / "bench"), os.environ.get("PYTHONPATH", "")]
    command = [sys.executable, "-m", "torture", "--only", kind, "--trials", str(TRIALS[kind])]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    if "skipped: " in done.stdout:
        pytest.skip(done.stdout.splitlines()[-1])
