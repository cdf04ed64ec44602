"""Runs the trials: `make torture`, or some: `make torture ARGS="--only files --seconds 120 --seed 0"`.

The exit status is an error if a promise was broken. A line says which, and the arguments that repeat it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

from torture import disks, files, interrupts, kills, memory
from torture.table import HEAD, Table
from torture.trials import Kind, outcomes, use_one_heap

KINDS = {module.KIND.name: module.KIND for module in (files, kills, disks, interrupts, memory)}
LONGEST = 1680
"""The seconds of a whole run, in which preparations and the last trial of each kind do not count: they take two minutes more."""


def main() -> None:
    """Runs the kinds of trials that the command line names, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", action="append", choices=KINDS, help="a kind of trials; by default all"
    )
    parser.add_argument("--seconds", type=float, default=LONGEST, help="the time in all")
    parser.add_argument(
        "--seed", type=int, default=0, help="the number of the first trial of each kind"
    )
    parser.add_argument("--trials", type=int, default=1 << 40, help="the most trials of each kind")
    given = parser.parse_args()
    if sys.platform != "linux":
        sys.exit(
            "torture: needs Linux, which counts the memory of a process and has mount namespaces"
        )
    # Where memory fails while a backtrace is printed, the standard library of Rust waits for its own lock.
    os.environ["RUST_BACKTRACE"] = "0"
    use_one_heap()
    kinds = [KINDS[name] for name in dict.fromkeys(given.only or KINDS)]
    folder = Path(tempfile.mkdtemp(prefix="piecework-torture-"))
    total = sum(kind.share for kind in kinds)
    print(HEAD)
    seeds = range(given.seed, given.seed + given.trials)
    broken = sum(_run(kind, seeds, given.seconds * kind.share / total, folder) for kind in kinds)
    if broken:
        sys.exit(f"{broken} trials broke a promise; their files are in {folder}")
    shutil.rmtree(folder)


def _run(kind: Kind, seeds: range, seconds: float, folder: Path) -> int:
    """Runs trials of a kind, prints their table, and returns the number of broken promises."""
    if reason := kind.missing():
        print(f"{kind.name:<11} skipped: {reason}", flush=True)
        return 0
    own = folder / kind.name
    own.mkdir()
    kind.prepare(own)
    table = Table(kind.name)
    for outcome in outcomes(kind, seeds, seconds, own):
        table.add(outcome)
    table.print()
    return table.broken


if __name__ == "__main__":
    main()
