"""Defines the options of engines, which run the parts of a job."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from piecework.cli.declare import Option
from piecework.cli.messages import OptionError, refuse

if TYPE_CHECKING:
    from piecework.engines import Engine

EngineName = Literal["local", "ray", "spark"]
"""The engines."""


@dataclass(frozen=True)
class EngineOptions:
    """Holds the options of engines for verbs that need none.

    Options:
        engine: Read the files in parts: in processes of this machine, or on a cluster of Ray or Spark (default: in threads of
            one process). The result does not depend on it.
        address: Connect to this cluster: auto or host:port for ray, a master such as spark://host:7077 for spark (default: this
            machine).
        workers: Run N parts at once, each in a process (default: one per core); the result does not depend on it.
        part_bytes: Read about N bytes of input at a time in each process (default: 64 MiB; evaluate: 32 MiB).
    """

    section: ClassVar[str] = "Engine options"

    engine: EngineName | None = None
    address: Annotated[str | None, Option(metavar="ADDRESS")] = None
    workers: int | None = None
    part_bytes: int | None = None

    def chosen(self) -> Engine | None:
        """Returns the engine; None for threads of this process.

        Raises:
            OptionError: Another option requires an engine.
        """
        if self.engine is not None:
            return engine_of(self.engine, self.address, self.workers)
        refuse(asdict(self), "requires --engine")
        return None


def engine_of(name: EngineName, address: str | None, workers: int | None) -> Engine:
    """Returns an engine.

    Args:
        name: Its name.
        address: The address of its cluster; by default this machine.
        workers: The number of parts at once.

    Raises:
        OptionError: An address is given for the engine of this machine.
    """
    from piecework.engines import Local, Ray, Spark

    if name == "ray":
        return Ray(address, workers)
    if name == "spark":
        return Spark(address, workers)
    if address is not None:
        raise OptionError("--address", "requires --engine ray or spark")
    return Local(workers)
