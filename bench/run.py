"""Runs all benchmarks: `make bench`, or some of them: `make bench ARGS="encode train"`.

Every benchmark checks equality first and prints a row: subject, result, goal. Ratios compare CPU seconds of one thread
within one run, unless stated otherwise. Nothing here is a test: a missed goal is a row, not a failure, but different ids
are an error.
"""

from __future__ import annotations

import importlib
import platform
import sys

MEASURES = [
    *(
        "exact",
        "splits",
        "linear",
        "encode",
        "bpe",
        "unigram",
        "count",
        "train",
        "train_bpe",
        "train_unigram",
        "bits",
        "interrupt",
        "synthetic",
    ),
    *("pipelines", "load", "cold", "memory", "added", "jieba", "file"),
]


def main() -> None:
    """Runs the benchmarks named on the command line, or all."""
    names = sys.argv[1:] or MEASURES
    if unknown := [name for name in names if name not in MEASURES]:
        sys.exit(f"unknown benchmark: {', '.join(unknown)}; choose from {', '.join(MEASURES)}")
    print(f"Python {platform.python_version()}, {platform.machine()}, {_processor()}\n")
    for name in names:
        for what, figure, goal in importlib.import_module(f"measure_{name}").measure():
            print(f"{what:<58} {figure:<44} goal: {goal}", flush=True)


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [
                line.split(": ", 1)[1].strip() for line in file if line.startswith("model name")
            ]
    except (OSError, IndexError):
        return platform.processor()
    return f"{len(names)} x {names[0]}" if names else platform.processor()


if __name__ == "__main__":
    main()
