"""Paths of the repository, its cases, and the data next to it."""

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
CASES = REPOSITORY / "spec" / "cases"


def data_folder() -> Path:
    """Returns the path of the shared data, which may not exist."""
    return Path(os.environ.get("PIECEWORK_DATA", REPOSITORY.parent / "shared" / "data"))


def unpacked(path: Path) -> bytes:
    """Returns the content of a Zstandard file."""
    zstandard = pytest.importorskip("zstandard", reason="the corpora are packed: no zstandard")
    with path.open("rb") as packed:
        return bytes(zstandard.ZstdDecompressor().stream_reader(packed).read())
