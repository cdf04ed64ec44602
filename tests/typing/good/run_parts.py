"""Runs parts with an engine, and with an engine of the program's own."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar, assert_type

import piecework as pw

Part = TypeVar("Part")
Receipt = TypeVar("Receipt")


class InOrder:
    """Runs one part after the other."""

    def run(self, fn: Callable[[Part], Receipt], parts: Sequence[Part]) -> Iterator[Receipt]:
        return map(fn, parts)


engines: list[pw.engines.Engine] = [InOrder(), pw.engines.Local(workers=1)]
assert_type([list(engine.run(len, ["a", "bc"])) for engine in engines], list[list[int]])
assert_type(pw.engines.Ray(address="auto", workers=2), pw.engines.Ray)
assert_type(pw.engines.Spark(config={"spark.master": "local"}).is_remote, bool)
