"""Compares what a worker computes with what the program computed, so that another version of piecework is an error."""

from __future__ import annotations

import platform
from typing import Any

from piecework.errors import WorkerError

__all__ = ["CheckedTask"]


class CheckedTask:
    """Serves as a base of functions that are sent to workers, and compare themselves with the program when they arrive."""

    def compatibility(self) -> dict[str, Any]:
        """Returns values by their names, which the program sends and a worker must compute equally."""
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        """Returns the fields and the values to compare."""
        return {"fields": self.__dict__.copy(), "compatibility": self.compatibility()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restores the fields.

        Raises:
            WorkerError: This worker computes another value.
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
