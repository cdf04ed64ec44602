"""Random calls of everything public, with arguments that fit and that do not: errors are ours, and none ends the process.

Each call has a name and a number, from which its arguments are drawn. PIECEWORK_SEED is the first number and PIECEWORK_TRIALS how
many calls of each name there are (`make random-calls SEED=1 TRIALS=10000`).
"""

import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

import call_objects
import public_calls
import random_calls
from profiles import scaled

FIRST = int(os.environ.get("PIECEWORK_SEED") or 0)
TRIALS = int(os.environ.get("PIECEWORK_TRIALS") or scaled(10))
PARTS = 4
pytestmark = pytest.mark.filterwarnings("ignore")
WITHOUT_OBJECTS = {
    "PieceworkError",  # and its subclasses, which errors of calls are
    "hf.OffsetReferential",
    "hf.OffsetType",
    "hf.SplitDelimiterBehavior",
    "hf.normalizers.Precompiled",
    "tokenizer.Replacement",
}
"""Public classes without objects to call: bases, dictionaries, enumerations, and what small tokenizers have not."""


@pytest.mark.parametrize("part", range(PARTS))
def test_errors_of_random_calls_are_ours(part: int, tmp_path: Path) -> None:
    numbers = [str(number) for number in (FIRST, TRIALS, part, PARTS)]
    done = subprocess.run(
        [sys.executable, random_calls.__file__, *numbers],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    latest = (tmp_path / "call").read_text(encoding="utf-8")
    assert done.returncode == 0, f"{latest}\n{done.stderr[-3000:]}"
    *faults, calls = done.stdout.splitlines()
    assert not faults, "\n".join(faults)
    assert int(calls) > 100 * min(TRIALS, 100)


def test_objects_of_all_classes_are_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    call_objects.write_files()
    found = call_objects.objects()
    missing = {
        name
        for name, value in public_calls.public_callables().items()
        if inspect.isclass(value) and not any(issubclass(kind, value) for kind in found)
    }
    assert {name for name in missing if not name.startswith("errors.")} == WITHOUT_OBJECTS


def test_calls_that_are_left_out_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    call_objects.write_files()
    assert public_calls.LEFT_OUT.keys() <= {subject.name for subject in public_calls.subjects()}
