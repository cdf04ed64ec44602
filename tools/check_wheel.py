"""Installs a wheel into an empty environment without compilers, and runs what the READMEs show there.

python tools/check_wheel.py dist/piecework-0.1.0-cp311-abi3-manylinux_2_28_x86_64.whl
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
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
    wheel = parser.parse_args().wheel.resolve()
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
        size = wheel.stat().st_size / 1e6
        print(
            f"{wheel.name}: {size:.1f} MB, installed in {installed:.1f} s; {len(PAGES)} pages run"
        )


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
