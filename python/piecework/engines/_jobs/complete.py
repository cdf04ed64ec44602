"""Runs the parts of a job that have no receipt yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from piecework.engines._jobs.receipts import read_receipt
from piecework.errors import WorkerError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from piecework.engines import Engine
    from piecework.engines._jobs.receipts import Receipt


__all__ = ["complete"]


class Named(Protocol):
    """Describes a piece of work whose receipt has its name."""

    @property
    def name(self) -> str:
        """Returns the name."""


Work = TypeVar("Work", bound=Named)


def complete(
    engine: Engine,
    items: Sequence[Work],
    fn: Callable[[Work], Receipt],
    *,
    plan: str,
    work_folder: str,
    files_folder: str,
    note: Callable[[Receipt, bool], None],
) -> list[Receipt]:
    """Returns the receipts of all items; those whose files are complete are not run again.

    Args:
        engine: Where the others run.
        items: The items.
        fn: The function of an item, which leaves its receipt.
        plan: The hash of the plan, which the receipts name.
        work_folder: The folder of the receipts.
        files_folder: The folder of the files.
        note: A function that is called with each receipt, and whether its item ran now.

    Returns:
        The receipts in the order of the items.

    Raises:
        WorkerError: A worker died at each attempt, or the engine lost a result.
    """
    receipts: dict[str, Receipt] = {}
    for item in items:
        if found := read_receipt(work_folder, plan, item.name, files_folder):
            receipts[item.name] = found
            note(found, False)
    missing = [item for item in items if item.name not in receipts]
    for receipt in engine.run(fn, missing):
        if receipt.name not in receipts:
            receipts[receipt.name] = receipt
            note(receipt, True)
    if lost := [item.name for item in items if item.name not in receipts]:
        raise WorkerError(f"the engine returned no result for {lost[0]}")
    return [receipts[item.name] for item in items]
