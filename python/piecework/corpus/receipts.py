"""Records what was done, in files beside the results, so that a run that was stopped goes on."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from piecework.io import read_if_exists
from piecework.io.arrays import read_array
from piecework.io.atomic import AtomicFile, WrittenFile

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Receipt", "problem_of", "read_receipt", "write_receipt"]


class Receipt(NamedTuple):
    """Records a part or a shard that is done.

    Attributes:
        name: The name of the part or shard.
        files: Its files.
        figures: Its counts, as JSON values.
    """

    name: str
    files: tuple[WrittenFile, ...]
    figures: dict[str, Any]


def write_receipt(folder: str, plan: str, receipt: Receipt) -> None:
    """Writes a receipt, after its files, with the hash of the plan that they belong to."""
    value = {"plan": plan, "files": receipt.files, "figures": receipt.figures}
    data = json.dumps(value).encode()
    with AtomicFile(_path(folder, receipt.name), folder) as file:
        file.write(data)
        file.commit(sync=False)


def read_receipt(folder: str, plan: str, name: str, files_folder: str) -> Receipt | None:
    """Returns the receipt of a part or shard whose files are complete; None if it is to be done (again).

    Args:
        folder: The folder of the receipts.
        plan: The hash of the plan.
        name: The name of the part or shard.
        files_folder: The folder of its files.
    """
    data = read_if_exists(_path(folder, name))
    if data is None:
        return None
    try:
        value = json.loads(data)
    except ValueError:  # the machine stopped before the disk had the file
        return None
    files = tuple(WrittenFile(*file) for file in value["files"])
    if value["plan"] != plan or not _are_unchanged(files_folder, files):
        return None
    return Receipt(name, files, value["figures"])


def _path(folder: str, name: str) -> str:
    return os.path.join(folder, f"{name}.json")


def _are_unchanged(folder: str, files: Iterable[WrittenFile]) -> bool:
    """Returns whether files exist with their sizes and hashes."""
    return all(problem_of(folder, file) is None for file in files)


def problem_of(folder: str, file: WrittenFile) -> str | None:
    """Returns what is wrong with a file: missing, or of another size or hash; None if it is as it was written."""
    path = os.path.join(folder, file.name)
    if not os.path.exists(path):
        return "is missing"
    size = os.path.getsize(path)
    if size != file.bytes:
        return f"has {size:,} bytes; {file.bytes:,} were written"
    return None if _hash_of(path) == file.sha256 else "has other bytes than were written"


_BLOCK = 1 << 24


def _hash_of(path: str) -> str:
    """Returns the SHA-256 of a file, as 64 hexadecimal digits."""
    sha = hashlib.sha256()
    for start in range(0, os.path.getsize(path), _BLOCK):
        size = min(_BLOCK, os.path.getsize(path) - start)
        sha.update(read_array(path, "u1", start, size).data)
    return sha.hexdigest()
