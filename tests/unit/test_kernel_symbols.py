"""The vector kernels in the compiled core: no instruction is called as a function."""

import shutil
import subprocess

import pytest

from paths import REPOSITORY

# The stamp of `make build`, which every release build of the core leaves.
BUILT = REPOSITORY / ".venv" / ".built"


def defined_symbols() -> list[str]:
    """Returns the symbols that the newest release build of our own crate defines, before they are stripped."""
    archives = (REPOSITORY / "target" / "release" / "deps").glob("libpiecework_core-*.rlib")
    newest = max(archives, key=lambda archive: archive.stat().st_mtime)
    listed = subprocess.run(
        ["nm", "--demangle", "--defined-only", "--format=just-symbols", newest],
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=120,
    )
    return listed.stdout.splitlines()


@pytest.mark.skipif(
    shutil.which("nm") is None, reason="lists the symbols of an archive: no nm (binutils)"
)
@pytest.mark.skipif(not BUILT.exists(), reason="reads the archive of a release build: make build")
def test_no_kernel_calls_an_intrinsic_as_a_function() -> None:
    symbols = defined_symbols()
    # The archive is the right one, and its symbols are not stripped.
    assert any("fast::masks" in symbol for symbol in symbols)
    assert [symbol for symbol in symbols if "core_arch::x86::" in symbol] == []
