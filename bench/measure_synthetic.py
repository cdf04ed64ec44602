"""Time and memory of 30,000 merges from a synthetic table of 3 million words, in the core alone."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus import Row

GOALS = {"likelihood": 20, "frequency": 15, "pmi": 15, "sum": 15}


def measure() -> Iterator[Row]:
    """Runs the core's example program, which makes the table and prints seconds and peak memory."""
    root = Path(__file__).parents[1]
    command = [
        "cargo",
        "run",
        "--quiet",
        "--release",
        "--locked",
        "--package",
        "piecework-core",
        "--example",
        "synthetic",
    ]
    for criterion, goal in GOALS.items():
        done = subprocess.run(
            [*command, criterion], cwd=root, check=True, capture_output=True, text=True
        )
        figure = next(line for line in done.stdout.splitlines() if "peak" in line).split(": ", 1)[1]
        yield f"3 million words, 30,000 merges, {criterion}", figure, f"{goal} s, 1.5 GB"
