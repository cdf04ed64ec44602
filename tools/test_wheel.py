"""Runs the tests marked `smoke`, which need only piecework, pytest, pytest-xdist and Hypothesis, with this Python.

python tools/test_wheel.py [FOLDER] [--environment FOLDER] [OPTION ...]

With a folder of wheels, the one for this Python is installed into an environment (by default a temporary one); else the tests
run with what is installed. Other options are those of pytest.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
REQUIRED = ("click", "filelock", "numpy", "pytest", "pytest-xdist", "hypothesis")
IS_GIL_OFF = "import sys, piecework; sys.exit(sys._is_gil_enabled())"
"""Without the global lock, importing a module that needs it switches it on."""


def main() -> None:
    """Runs the tests that the command line selects."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("wheels", type=Path, nargs="?")
    parser.add_argument("--environment", type=Path)
    given, options = parser.parse_known_args()
    if given.wheels is None:
        test(Path(sys.executable), options)
        return
    with tempfile.TemporaryDirectory(prefix="piecework-wheel-") as folder:
        test(installed(given.wheels.resolve(), given.environment or Path(folder)), options)


def installed(wheels: Path, environment: Path) -> Path:
    """Installs the wheel for this Python, and returns the Python of the environment."""
    folder, suffix = ("Scripts", ".exe") if os.name == "nt" else ("bin", "")
    python = environment.resolve() / folder / f"python{suffix}"
    if not python.exists():
        run([sys.executable, "-m", "venv", "--clear", str(environment)])
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    this = [
        "--no-index",
        "--no-deps",
        "--force-reinstall",
        "--find-links",
        str(wheels),
        "piecework",
    ]
    run([*install, *this])
    run([*install, "--constraint", str(REPOSITORY / "requirements" / "test.txt"), *REQUIRED])
    return python


def test(python: Path, options: list[str]) -> None:
    """Runs the tests with a Python, whose global lock stays off if it has none."""
    # Their files are listed, because others import packages that such an environment lacks.
    paths = sorted((REPOSITORY / "tests").rglob("test_*.py"))
    files = [str(path) for path in paths if "mark.smoke" in path.read_text("utf-8")]
    assert files, "there are no tests"
    if hasattr(sys, "_is_gil_enabled") and not sys._is_gil_enabled():
        run([str(python), "-W", "error::RuntimeWarning", "-c", IS_GIL_OFF])
    parallel = (
        [] if any(option.startswith(("-n", "--numprocesses")) for option in options) else ["-nauto"]
    )
    selected = ["--quiet", *parallel, "-m", "smoke and not slow"]
    run([str(python), "-m", "pytest", *selected, *options, *files])


def run(command: list[str]) -> None:
    """Runs a command in the repository, and ends the program with its exit status if it fails."""
    done = subprocess.run(command, cwd=REPOSITORY, check=False)
    if done.returncode:
        sys.exit(done.returncode)


if __name__ == "__main__":
    main()
