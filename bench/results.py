"""The JSON of a run of `make bench`, for `bench/figure.py` and for comparisons between runs.

The members of the document, all required:

* `schema`: `SCHEMA`; it changes whenever a member changes.
* `date`: the day of the run in UTC, as YYYY-MM-DD.
* `machine`: `cpu` (model name), `cpus` (number), `architecture`, `system`.
* `kernel`: the instruction set of the fast path, such as "AVX2".
* `threads`: the threads of each library; a row that uses more says so.
* `versions`: of Python and of each installed library of `LIBRARIES`.
* `rows`: every printed row, with `benchmark` (its name in `bench/run.py`), `subject`, `result` and `goal`.
* `cells`: every comparison with other libraries, as numbers: the fields of `Cell`.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, NamedTuple

import kernels

if TYPE_CHECKING:
    from collections.abc import Iterable

    from corpus import Row

SCHEMA = "piecework-bench-1"
LIBRARIES = (
    *("tokenizers", "sentencepiece", "tiktoken", "tokie", "gigatoken", "fastokens"),
    *("jieba", "numpy"),
)
THREADS = 1


class Cell(NamedTuple):
    """A comparison of libraries in one task; all figures are from one run."""

    group: str
    """A panel of the figure: "WordPiece", "BPE", "Unigram" or "training"."""
    model: str
    """The vocabulary that encodes, or the model that is trained."""
    text: str
    """The kind of text, such as "English"."""
    cache: str | None
    """Whether the tokenizer has encoded the text before: "cold", "warm", or None for a training."""
    unit: str
    """Megabytes per CPU second ("MB/s"), or CPU seconds ("s")."""
    figures: dict[str, float]
    """By library, piecework first."""
    different: list[str]
    """The libraries with other results: their ids differ, so they have no figure, or they train another model."""


def document(rows: Iterable[tuple[str, Row]], cells: Iterable[Cell]) -> dict[str, Any]:
    """Returns the JSON document of a run; each row is preceded by the name of its benchmark."""
    return {
        "schema": SCHEMA,
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "machine": {
            "cpu": processor(),
            "cpus": os.cpu_count() or 1,
            "architecture": platform.machine(),
            "system": platform.system(),
        },
        "kernel": kernels.current(),
        "threads": THREADS,
        "versions": {"python": platform.python_version(), **_versions()},
        "rows": [
            {"benchmark": name, "subject": subject, "result": result, "goal": goal}
            for name, (subject, result, goal) in rows
        ],
        "cells": [_rounded(cell)._asdict() for cell in cells],
    }


def as_text(document: dict[str, Any]) -> str:
    """Returns a document as text, with a line for each cell and row."""
    lists = {name: document[name] for name in ("rows", "cells")}
    head = json.dumps({**document, **dict.fromkeys(lists, ())}, indent=2, ensure_ascii=False)
    for name, values in lists.items():
        lines = ",\n".join(f"    {json.dumps(value, ensure_ascii=False)}" for value in values)
        head = head.replace(
            f'"{name}": []', f'"{name}": [\n{lines}\n  ]' if lines else f'"{name}": []'
        )
    return head + "\n"


def processor() -> str:
    """Returns the model name of the CPU."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [
                line.split(": ", 1)[1].strip() for line in file if line.startswith("model name")
            ]
    except (OSError, IndexError):
        names = []
    return names[0] if names else platform.processor() or platform.machine()


def _versions() -> dict[str, str]:
    import piecework as pw

    found = {"piecework": pw.__version__}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _rounded(cell: Cell) -> Cell:
    return cell._replace(figures={name: float(f"{x:.4g}") for name, x in cell.figures.items()})
