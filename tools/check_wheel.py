"""Checks what is in a wheel, and runs what the READMEs show in an empty environment that has it, and no compilers.

python tools/check_wheel.py dist/piecework-0.1.0-cp311-abi3-manylinux_2_28_x86_64.whl --run
"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
PAGES = (
    "README.md",
    "README.zh-CN.md",
    "docs/training.md",
    "docs/batches.md",
    "docs/migration.md",
    "docs/hf.md",
)
"""The pages whose blocks run: the first screen, ten minutes with one's own text, and the moves from other libraries."""
PEERS = ("sentencepiece", "tiktoken", "tokenizers", "transformers")
"""The libraries from which the pages move."""
COMPILERS = ("cargo", "rustc", "cc", "gcc", "clang", "c++")


def main() -> None:
    """Checks the wheel that the command line names."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument(
        "--run", action="store_true", help="run the READMEs; for a wheel of this machine"
    )
    given = parser.parse_args()
    wheel = given.wheel.resolve()
    check(wheel)
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB", flush=True)
    if given.run:
        run_pages(wheel)


def check(wheel: Path) -> None:
    """Checks that a wheel has its module, its licences and nothing of other projects; for Linux, that others can run it."""
    names = zipfile.ZipFile(wheel).namelist()
    modules = [name for name in names if name.endswith((".so", ".pyd", ".dll", ".dylib"))]
    # A folder `piecework.libs` would have libraries of the system, with licences of their own.
    assert [name.rpartition("/")[0] for name in modules] == ["piecework"], modules
    libc = "musl" if "musllinux" in wheel.name else "gnu"
    assert all("-linux-" not in name or f"-linux-{libc}" in name for name in modules), modules
    licences = {name.rpartition("/")[2] for name in names if "/licenses/" in name}
    assert licences == {"LICENSE", "THIRD_PARTY.md"}, licences
    if "manylinux" in wheel.name and wheel.name.endswith(f"_{platform.machine()}.whl"):
        tag = wheel.name.removesuffix(".whl").rpartition("-")[2]
        command = [sys.executable, "-m", "auditwheel", "show", str(wheel)]
        shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert f'platform tag: "{tag}"' in " ".join(shown.split()), shown


def run_pages(wheel: Path) -> None:
    """Installs a wheel where no compiler is, and runs the pages."""
    with tempfile.TemporaryDirectory(prefix="piecework-wheel-") as folder:
        environment = without_compilers(Path(folder, "bin"))
        start = time.monotonic()
        python = Path(folder, "venv", "bin", "python")
        run([sys.executable, "-m", "venv", str(Path(folder, "venv"))], environment)
        run([str(python), "-m", "pip", "install", "--quiet", str(wheel)], environment)
        run([str(python), "-c", "import piecework; print(piecework.__version__)"], environment)
        installed = time.monotonic() - start
        requirements = str(REPOSITORY / "requirements" / "test.txt")
        tools = ["pytest", "hypothesis", *PEERS, "--constraint", requirements]
        run([str(python), "-m", "pip", "install", "--quiet", *tools], environment)
        tests = [
            f"tests/docs/test_readme.py::test_blocks_print_what_they_show[{page}]" for page in PAGES
        ]
        run([str(python), "-m", "pytest", "--quiet", *tests], environment, REPOSITORY)
        print(f"{wheel.name}: installed in {installed:.1f} s; {len(PAGES)} pages run")


def without_compilers(folder: Path) -> dict[str, str]:
    """Returns an environment whose PATH has the programs of the system, but no compiler."""
    folder.mkdir()
    for place in ("/usr/bin", "/bin"):
        for program in Path(place).iterdir():
            target = folder / program.name
            if not program.name.startswith(COMPILERS) and not target.exists():
                target.symlink_to(program)
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("CARGO", "RUST", "VIRTUAL", "PYTHON"))
    }
    environment = kept | {"PATH": str(folder), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    found = [name for name in COMPILERS if shutil.which(name, path=environment["PATH"])]
    assert not found, found
    return environment


def run(command: list[str], environment: dict[str, str], folder: Path | None = None) -> None:
    """Runs a command, and ends the program with its exit status if it fails."""
    done = subprocess.run(command, env=environment, cwd=folder, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}")


if __name__ == "__main__":
    main()
