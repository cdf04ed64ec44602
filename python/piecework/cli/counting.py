"""Counts the words of files with the options of verbs, and loads word counts."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from piecework.cli.declare import Option
from piecework.cli.input import STDIN
from piecework.cli.messages import refuse
from piecework.cli.options import NoProgress, Reading, Threads  # noqa: TC001  # read at run time
from piecework.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from piecework import Tokenizer, WordCounts
    from piecework._progress import Progress
    from piecework.cli.engine import EngineOptions
    from piecework.tokenizer._results import CountsSummary
    from piecework.trainers import Trainer


@dataclass(frozen=True, kw_only=True)
class Counting:
    """Holds the options of counting the words of files.

    Memory options:
        max_memory: Keep words in this memory, such as 300MB or 2GiB, and those that exceed it in temporary files while they are
            counted; train and extend learn in it, too; the result does not depend on it (default: no limit).
        work_dir: Write temporary files into this folder (default: the system's).
    """

    reading: Reading
    max_memory: Annotated[str | None, Option(metavar="SIZE")] = None
    work_dir: Annotated[str | None, Option(metavar="FOLDER")] = None
    threads: Threads = None
    no_progress: NoProgress = False

    def settings(
        self, progress: Callable[[Progress], object], engine: EngineOptions | None = None
    ) -> dict[str, Any]:
        """Returns the settings of :meth:`piecework.WordCounts.from_texts`, except for how texts are split.

        Args:
            progress: The callback for progress.
            engine: The engine, if the files are counted in parts.
        """
        settings = {"max_memory": self.max_memory, "work_dir": self.work_dir, "progress": progress}
        if engine is not None and (chosen := engine.chosen()) is not None:
            # The workers of an engine have one thread each.
            return settings | {"engine": chosen, "part_bytes": engine.part_bytes}
        return settings | {"threads": self.threads}

    def words(
        self,
        files: Sequence[str],
        like: Trainer | Tokenizer,
        pipeline: Mapping[str, Any] | None = None,
        *,
        are_counts: bool,
        progress: Callable[[Progress], object],
        engine: EngineOptions | None = None,
    ) -> WordCounts:
        """Adds up files of word counts, or counts the words of files of documents.

        Args:
            files: The files; `-` is standard input.
            like: The trainer that learns from the words, or the tokenizer that splits the texts.
            pipeline: The normalizer and the pre-tokenizer that replace those of `like`.
            are_counts: Whether the files are word counts.
            progress: The callback for progress.
            engine: The engine, if the files are counted in parts.

        Raises:
            OptionError: An option of reading or counting is given for files of word counts.
        """
        from piecework.corpus._counts import count_within
        from piecework.corpus._splitting import splitting_like

        if are_counts:
            self._check_unused(engine)
            return _load_counts(files, self.max_memory, self.work_dir)
        splitting, keeps_line_ends = splitting_like(like)
        corpus = self.reading.corpus(files, keep_line_ends=keeps_line_ends)
        settings = {**splitting, **(pipeline or {}), **self.settings(progress, engine)}
        return count_within(corpus, **settings)

    def _check_unused(self, engine: EngineOptions | None) -> None:
        """Raises OptionError for options of reading and counting, since there are no words to count."""
        why = "with --counts, which counts no words"
        self.reading.check_unused(why)
        refuse({"engine": engine and engine.chosen()}, f"has no effect {why}; remove it")


def summary_of(output: Path, summary: CountsSummary) -> dict[str, Any]:
    """Returns the JSON of a file of word counts."""
    return {
        "output": str(output),
        "words": summary.words,
        "total": summary.total,
        "counts_sha256": summary.fingerprint,
    }


def _load_counts(files: Sequence[str], max_memory: str | None, work_dir: str | None) -> WordCounts:
    """Returns the sum of files of word counts, one of which may be standard input.

    Raises:
        PieceworkError: See :meth:`piecework.WordCounts.load_files` and `merge`.
    """
    from piecework.corpus._counts import load_within

    named = [file for file in files if file != STDIN]
    tables = [_load_input() for file in files if file == STDIN]
    if named:
        tables.insert(0, load_within(named, max_memory=max_memory, work_dir=work_dir))
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
