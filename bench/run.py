"""Runs all benchmarks: `make bench`, or some: `make bench ARGS="encode train"`, or those of the figure: `ARGS=figure`.

Every benchmark checks equality first and prints a row: subject, result, goal. Ratios compare CPU seconds of one thread
within one run, unless stated otherwise. Nothing here is a test: a missed goal is a row, not a failure, but different ids
are an error.
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import kernels
from results import Cell, as_text, document, processor

if TYPE_CHECKING:
    from corpus import Row

MEASURES = [
    *(
        "exact",
        "splits",
        "linear",
        "encode",
        "bpe",
        "models",
        "unigram",
        "count",
        "counting",
        "train",
        "train_bpe",
        "train_unigram",
        "training_memory",
        "bits",
        "interrupt",
        "synthetic",
    ),
    *(
        "pipelines",
        "load",
        "cold",
        "memory",
        "added",
        "jieba",
        "file",
        "hf",
        "decode",
        "chat",
        "corpus",
        "cluster",
    ),
    "explain",
    "lint",
    "evaluate",
    "surgery",
    "play",
]

FIGURE = ("encode", "bpe", "unigram", "train", "train_bpe", "train_unigram")
"""The benchmarks with cells, which `bench/figure.py` draws; together they take about 15 minutes."""
RESULTS = Path(__file__).with_name("results.json")


def main() -> None:
    """Runs the benchmarks named on the command line, or all, and writes their results as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="benchmark", help=", ".join(MEASURES))
    parser.add_argument(
        "--json",
        type=Path,
        help="write the results to this file (default: bench/results.json if the run has all cells of the figure)",
    )
    parser.add_argument(
        "--kernel",
        choices=kernels.NAMES,
        help="the vector instructions of the fast path (default: the fastest of this machine)",
    )
    asked = parser.parse_args()
    if asked.kernel:
        kernels.use(asked.kernel)
    names = benchmarks(asked.names)
    rows, cells = measured(names)
    file = asked.json or (RESULTS if set(FIGURE) <= set(names) and cells else None)
    if file is not None:
        file.write_text(as_text(document(rows, cells)), encoding="utf-8")
        print(f"\nresults: {file}")


def benchmarks(asked: list[str]) -> list[str]:
    """Returns the names of the benchmarks to run; "figure" stands for those with cells."""
    names = [name for word in asked for name in (FIGURE if word == "figure" else (word,))]
    if unknown := [name for name in names if name not in MEASURES]:
        sys.exit(
            f"unknown benchmark: {', '.join(unknown)}; choose from figure, {', '.join(MEASURES)}"
        )
    return names or MEASURES


def measured(names: list[str]) -> tuple[list[tuple[str, Row]], list[Cell]]:
    """Runs benchmarks, prints their rows, and returns rows and cells."""
    cpu = f"{os.cpu_count()} x {processor()}"
    machine = f"Python {platform.python_version()}, {platform.machine()}, {cpu}"
    print(f"{machine}, kernel {kernels.current()}\n")
    rows: list[tuple[str, Row]] = []
    cells: list[Cell] = []
    for name in names:
        for found in importlib.import_module(f"measure_{name}").measure():
            if isinstance(found, Cell):
                cells.append(found)
                continue
            subject, result, goal = found
            print(f"{subject:<58} {result:<44} goal: {goal}", flush=True)
            rows.append((name, found))
    return rows, cells


if __name__ == "__main__":
    main()
