"""Loads damaged files of every format, and uses those that are accepted."""

from __future__ import annotations

import gzip
import os
import random
import shutil
import zlib
from typing import TYPE_CHECKING

from torture import samples
from torture.mutations import mutated
from torture.trials import Kind, Trial, in_child

if TYPE_CHECKING:
    from pathlib import Path

TIMES = 0.3
"""How often a compressed file is damaged before it is compressed."""


def prepare(folder: Path) -> None:
    """Writes the undamaged files."""
    if failure := in_child(lambda: samples.write(folder / "samples")):
        raise SystemExit(f"torture: the undamaged files could not be written: {failure}")


def trial(seed: int, folder: Path) -> Trial:
    """Returns the trial of a seed: a file is damaged, and its folder is loaded and used."""
    os.fsync = lambda handle: None  # waiting for the disk would take most of the time
    choice = random.Random(f"files {seed}")
    kind = [*samples.FORMATS][seed % len(samples.FORMATS)]
    example = choice.choice(sorted((folder.parent / "samples" / kind).iterdir()))
    here = folder / "files"
    shutil.copytree(example, here)
    (folder / "example").write_text(f"{kind}/{example.name}")
    for _ in range(choice.choice((1, 1, 1, 2))):
        _damage(choice.choice(sorted(path for path in here.rglob("*") if path.is_file())), choice)

    def call() -> int:
        samples.FORMATS[kind].use(here)
        return 0

    return Trial(kind, call)


def _damage(path: Path, choice: random.Random) -> None:
    data = path.read_bytes()
    if path.suffix == ".gz" and choice.random() < TIMES:
        try:
            path.write_bytes(gzip.compress(mutated(gzip.decompress(data), choice), 1))
        except (EOFError, OSError, zlib.error):  # it was damaged before
            return
    else:
        path.write_bytes(mutated(data, choice))


KIND = Kind("files", 0.4, trial, prepare, in_process=300, seconds=60, address_space=3 << 30)
