"""Makes settings of counting words, and loads word counts."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from piecework.cli.input import STDIN
from piecework.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from piecework import WordCounts
    from piecework._progress import Progress
    from piecework.cli.engine import EngineOptions
    from piecework.cli.options import CountingMemory
    from piecework.tokenizer._results import CountsSummary

__all__ = ["counting_settings", "load_counts", "summary_of"]


def counting_settings(
    splitting: dict[str, Any],
    memory: CountingMemory,
    threads: int | None,
    progress: Callable[[Progress], object],
    engine: EngineOptions | None = None,
) -> dict[str, Any]:
    """Returns the settings of :meth:`piecework.WordCounts.from_texts`.

    Args:
        splitting: The normalizer, pre-tokenizer and added tokens.
        memory: The limit of memory.
        threads: The number of threads; by default one per core.
        progress: The callback for progress.
        engine: The engine, if the files are counted in parts.
    """
    settings = {**splitting, **asdict(memory), "threads": threads, "progress": progress}
    if engine is not None and (chosen := engine.chosen()) is not None:
        # The workers of an engine have one thread each.
        settings |= {"threads": None, "engine": chosen, "part_bytes": engine.part_bytes}
    return settings


def summary_of(output: Path, summary: CountsSummary) -> dict[str, Any]:
    """Returns the JSON of a file of word counts."""
    return {
        "output": str(output),
        "words": summary.words,
        "total": summary.total,
        "counts_sha256": summary.fingerprint,
    }


def load_counts(files: Sequence[str], work_dir: str | None) -> WordCounts:
    """Returns the sum of files of word counts, one of which may be standard input.

    Raises:
        PieceworkError: See :meth:`piecework.WordCounts.load_files` and `merge`.
    """
    from piecework import WordCounts

    named = [file for file in files if file != STDIN]
    tables = [_load_input() for file in files if file == STDIN]
    if named:
        tables.insert(0, WordCounts.load_files(named, work_dir=work_dir))
    first, *others = tables
    for other in others:
        first = first.merge(other)
    return first


def _load_input() -> WordCounts:
    from piecework import WordCounts
    from piecework._io.kinds import check_start
    from piecework.corpus._counts import LOAD_COMMAND

    data = sys.stdin.buffer.read()
    check_start(data, "standard input", LOAD_COMMAND)
    try:
        return WordCounts.from_bytes(data)
    except FormatError as error:
        raise error.at("standard input") from None
