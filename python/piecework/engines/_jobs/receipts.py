"""Records what was done, in files beside the results, so that a run that was stopped resumes."""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

from piecework._io.atomic import AtomicFile, WrittenFile
from piecework._io.files import read_if_exists

__all__ = ["Receipt", "read_receipt", "write_receipt"]


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
    if value["plan"] != plan or any(file.problem_in(files_folder) for file in files):
        return None
    return Receipt(name, files, value["figures"])


def _path(folder: str, name: str) -> str:
    return os.path.join(folder, f"{name}.json")
