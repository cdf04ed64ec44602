"""Typed programs of users under mypy and pyright, both strict: those in `good` have no error, those in `bad` all of theirs.

A wrong line of a bad program ends with the codes of mypy and the rules of pyright that must be reported for it:
``# E: call-arg | reportCallIssue``. The good programs run, too, so they show what calls return.
"""

import json
import os
import re
import runpy
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from paths import REPOSITORY

FOLDER = Path(__file__).parent
GOOD, BAD = (sorted((FOLDER / kind).glob("*.py")) for kind in ("good", "bad"))
SOURCES = REPOSITORY / "python"
EXPECTED = re.compile(r"# E: ([a-z -]+) \| ([A-Za-z ]+)$")
MYPY_ERROR = re.compile(r"(.+?):(\d+): error: .* \[([a-z-]+)\]$", re.MULTILINE)

Errors = dict[str, set[str]]
"""The kinds of errors of each line with one, such as ``{"bad/train.py:7": {"arg-type"}}``."""


def errors_by_line(found: Iterable[tuple[Path | str, int, Iterable[str]]]) -> Errors:
    """Returns errors, given as a path, the number of a line and kinds, by their lines."""
    errors: Errors = {}
    for path, line, kinds in found:
        place = f"{Path(path).relative_to(FOLDER)}:{line}"
        errors.setdefault(place, set()).update(kinds)
    return errors


def expected(column: int) -> Errors:
    """Returns the errors that the programs name: of mypy in the first column, of pyright in the second."""
    return errors_by_line(
        (path, number, match[column].split())
        for path in (*GOOD, *BAD)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if (match := EXPECTED.search(line))
    )


def output(command: list[str], **environment: str) -> str:
    """Returns what a type checker prints; its status is 1 if there are errors."""
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=FOLDER,
        env={**os.environ, **environment},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_good_programs_run(path: Path) -> None:
    runpy.run_path(str(path))


@pytest.mark.slow
def test_mypy_reports_exactly_the_expected_errors(tmp_path: Path) -> None:
    command = ["mypy", "--strict", "--config-file=", f"--cache-dir={tmp_path}"]
    command += ["--follow-imports=silent", "--explicit-package-bases", "--show-absolute-path"]
    found = output([*command, *map(str, (*GOOD, *BAD))], MYPYPATH=f"{SOURCES}{os.pathsep}{FOLDER}")
    errors = ((path, int(line), [code]) for path, line, code in MYPY_ERROR.findall(found))
    assert errors_by_line(errors) == expected(1), found


@pytest.mark.slow
def test_pyright_reports_exactly_the_expected_errors(tmp_path: Path) -> None:
    project = tmp_path / "pyrightconfig.json"
    settings = {
        "include": [str(FOLDER / "good"), str(FOLDER / "bad")],
        "extraPaths": [str(SOURCES)],
        "typeCheckingMode": "strict",
    }
    project.write_text(json.dumps(settings), encoding="utf-8")
    command = ["basedpyright", "--project", str(project), "--pythonpath", sys.executable]
    found = output([*command, "--outputjson"])
    errors = errors_by_line(
        (each["file"], each["range"]["start"]["line"] + 1, [each["rule"]])
        for each in json.loads(found)["generalDiagnostics"]
    )
    # An attribute that does not exist is reported as unknown, too.
    unknown = {"reportUnknownMemberType"}
    assert {line: kinds - unknown or kinds for line, kinds in errors.items()} == expected(2), found
