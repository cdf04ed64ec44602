"""Runs the tasks of a job that have no receipt yet: files beside the results, by which a run that was stopped resumes."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from piecework._exceptions import warn
from piecework._io.atomic import AtomicFile, WrittenFile
from piecework._io.checked_json import of_checked, to_checked
from piecework._io.files import read_if_exists
from piecework.errors import WorkerError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from piecework.engines import Engine


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


@dataclass(frozen=True)
class Task:
    """Serves as a base of functions that workers call: a pure function of its argument, which writes files and a receipt.

    Attributes:
        plan: The hash of the plan, which the receipts name.
        folder: The folder of the receipts, and of the files.
    """

    plan: str
    folder: str

    def __call__(self, item: Any) -> Receipt:
        """Returns the receipt of a part or shard."""
        raise NotImplementedError

    @property
    def files_folder(self) -> str:
        """Returns the folder of the files."""
        return self.folder

    def write_receipt(
        self, name: str, files: tuple[WrittenFile, ...], figures: dict[str, Any]
    ) -> Receipt:
        """Writes the receipt of a part or shard after its files, and returns it."""
        value = {"plan": self.plan, "files": files, "figures": figures}
        with AtomicFile(self._path(name), self.folder) as file:
            file.write(to_checked(value))
            file.commit(sync=False)
        return Receipt(name, files, figures)

    def read_receipt(self, name: str) -> Receipt | None:
        """Returns the receipt of a part or shard whose files are complete; None if it is to be done (again)."""
        data = read_if_exists(self._path(name))
        if data is None:
            return None
        try:
            value = of_checked(data)
        except ValueError as error:  # as when the machine stopped before the disk had the file
            warn(f"{self._path(name)} is damaged: {error}; its part is done again")
            return None
        files = tuple(WrittenFile(*file) for file in value["files"])
        if value["plan"] != self.plan or any(file.problem_in(self.files_folder) for file in files):
            return None
        return Receipt(name, files, value["figures"])

    def _path(self, name: str) -> str:
        return os.path.join(self.folder, f"{name}.json")

    def compatibility(self) -> dict[str, Any]:
        """Returns values by their names, which the program sends and a worker must compute equally."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """Returns the fields and the values to compare."""
        return {"fields": self.__dict__.copy(), "compatibility": self.compatibility()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restores the fields.

        Raises:
            WorkerError: This worker computes another value, as with another version of piecework.
        """
        self.__dict__.update(state["fields"])
        found = self.compatibility()
        for name, value in state["compatibility"].items():
            if found.get(name) != value:
                raise WorkerError(
                    f"the worker on {platform.node()} computes another {name} than the program: "
                    f"{found.get(name)} instead of {value}",
                    hint="install the same build of piecework on all machines",
                )


class Named(Protocol):
    """Describes an argument of a task, whose receipt has its name."""

    @property
    def name(self) -> str:
        """Returns the name."""


Item = TypeVar("Item", bound=Named)


def complete(
    engine: Engine, items: Sequence[Item], task: Task, note: Callable[[Receipt, bool], None]
) -> list[Receipt]:
    """Returns the receipts of all items; those whose files are complete are not run again.

    Args:
        engine: Where the others run.
        items: The items.
        task: The task of each item.
        note: A function that is called with each receipt, and whether its item ran now.

    Returns:
        The receipts in the order of the items.

    Raises:
        WorkerError: A worker died at each attempt, or the engine lost a result.
    """
    receipts: dict[str, Receipt] = {}
    for item in items:
        if found := task.read_receipt(item.name):
            receipts[item.name] = found
            note(found, False)
    missing = [item for item in items if item.name not in receipts]
    for receipt in engine.run(task, missing):
        if receipt.name not in receipts:
            receipts[receipt.name] = receipt
            note(receipt, True)
    if lost := [item.name for item in items if item.name not in receipts]:
        raise WorkerError(f"the engine returned no result for {lost[0]}")
    return [receipts[item.name] for item in items]
