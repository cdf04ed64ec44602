"""Texts for the benchmarks, from the shared data if it is present."""

from __future__ import annotations

import os
import tempfile
from functools import cache
from pathlib import Path

import zstandard

DATA = Path(os.environ.get("PIECEWORK_DATA", Path(__file__).parents[2] / "shared" / "data"))

Row = tuple[str, str, str]


def skipped(what: str) -> Row:
    """Returns the row of a measure whose texts are absent."""
    return what, "skipped: the shared data is absent (set PIECEWORK_DATA)", "-"


def is_there() -> bool:
    """Returns whether the shared data is present."""
    return (DATA / "corpora").is_dir()


@cache
def read(name: str) -> bytes:
    """Returns a corpus such as ``en/botchan.txt``, unpacked."""
    return unpacked(DATA / "corpora" / name)


def unpacked(path: Path) -> bytes:
    """Returns a file of the shared data, which may be packed."""
    if path.exists():
        return path.read_bytes()
    packed = path.with_name(path.name + ".zst").read_bytes()
    return zstandard.ZstdDecompressor().decompressobj().decompress(packed)


def files(kind: str) -> list[str]:
    """Unpacks all text of a folder such as ``en`` and returns the paths of the files."""
    folder = Path(tempfile.mkdtemp(prefix="piecework-bench-"))
    paths = sorted((DATA / "corpora" / kind).iterdir())
    for name in [path.name.removesuffix(".zst") for path in paths]:
        (folder / name).write_bytes(read(f"{kind}/{name}"))
    return sorted(map(str, folder.iterdir()))


def english_text(but: str = "") -> bytes:
    """Returns all English text, without the corpus `but`."""
    paths = [Path(path) for path in files("en")]
    return b"".join(path.read_bytes() for path in paths if f"en/{path.name}" != but)


def repeated(text: bytes, size: int) -> bytes:
    """Returns a text repeated to at most `size` bytes, cut after the last whole line."""
    longer = (text * (size // len(text) + 1))[:size]
    return longer[: longer.rindex(b"\n") + 1]


def english(size: int) -> bytes:
    """Returns all English text, repeated to at most `size` bytes."""
    return repeated(english_text(), size)


def english_files() -> list[str]:
    """Returns files with all English text, the novels twice: about 59 MB."""
    paths = files("en")
    return [*paths, *(path for path in paths if path.endswith("novels-25.txt"))]
