"""Counts the words of files in parts on an engine, and merges their tables."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar

from piecework import _core
from piecework._io.documents import warn_of_skipped
from piecework._io.files import Pathish, make_folder, replacing
from piecework._io.folders import remove_folder, temporary_folder
from piecework._io.lock import locked_folder
from piecework._io.temporary import remove_left
from piecework._progress import ProgressLike, Report, reporting
from piecework.corpus._counting.merging import MergeBucket, TableFiles, merge_level
from piecework.corpus._counting.part import CountPart
from piecework.engines import Engine, connected
from piecework.engines._jobs.tasks import Receipt, complete
from piecework.errors import ConfigError
from piecework.tokenizer._results import CountsSummary

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from piecework.corpus._counting.plan import CountPlan


@dataclass(frozen=True)
class CountedInParts:
    """Holds the words of a counting in parts, which runs when they are asked for.

    The parts, and the mergings of their files, leave receipts in a hidden folder of the work folder, which is removed at the
    end. A job that was stopped resumes when it is repeated with the same work folder.

    Attributes:
        plan: The plan.
        engine: Where the parts run.
        work_dir: A folder that all workers share; None for the system's folder of temporary files.
        max_memory: The limit of memory of a worker in bytes.
        progress: Whether to show progress, or a callback for it.
        table_limit: The limit of the size of the table in bytes, or None.
        functions: The Python functions that split the texts; there are none.

    Raises:
        ConfigError: There is no work folder, and the workers may be on other machines.
    """

    plan: CountPlan
    engine: Engine
    work_dir: str | None
    max_memory: int | None
    progress: ProgressLike
    table_limit: int | None
    functions: ClassVar[tuple[()]] = ()

    def __post_init__(self) -> None:
        """Checks that there is a work folder if it is needed."""
        self._check_work_dir()

    def _check_work_dir(self) -> None:
        """Raises an error if the workers may not see the work folder; a connected engine knows that better."""
        if self.work_dir is None and getattr(self.engine, "is_remote", False):
            hint = "pass a folder that all machines have under this name"
            message = "is required, since the workers may run on other machines"
            raise ConfigError(message, setting="work_dir", hint=hint)

    def table(self) -> _core.WordCounts:
        """Returns the words as a table in memory."""
        with self._counted() as path:
            return _core.WordCounts.from_files([path], None, self.table_limit)

    def save(self, path: Pathish) -> CountsSummary:
        """Writes the words to a file of word counts, as :meth:`WordCounts.save` does."""
        with self._counted() as counted, replacing(path) as name:
            return CountsSummary(*_core.merge_counts([counted], name, None, None))

    @contextmanager
    def _counted(self) -> Iterator[str]:
        """Returns a context manager of the file with the counts of all words; it is removed at the end.

        Raises:
            PieceworkError: As for counting in this process; and WorkerError if a worker died at each attempt.
        """
        with ExitStack() as stack:
            work_dir = self.work_dir or stack.enter_context(temporary_folder())
            name = f".piecework-counting-{self.plan.sha256[:16]}"
            folder = make_folder(os.path.join(os.getcwd(), work_dir, name))
            stack.enter_context(locked_folder(folder))
            remove_left(folder)
            report = stack.enter_context(reporting(self.progress))
            with connected(self.engine):
                self._check_work_dir()
                table = self._merged(folder, self._tables(folder, report), report)
            path = os.path.join(folder, "all.counts")
            with replacing(path) as out:
                files = [os.path.join(folder, file) for file in table.files]
                _core.merge_counts(files, out, folder, [table.first_document] * len(files))
            yield path
            remove_folder(folder)

    def _tables(self, folder: str, report: Report) -> list[TableFiles]:
        """Counts the parts, and returns their files with the number of the first document of each."""
        plan = self.plan
        sizes = {part.name: part.bytes for part in plan.parts}
        total, done = sum(sizes.values()), 0

        def note(receipt: Receipt, is_new: bool) -> None:
            nonlocal done
            done += sizes[receipt.name]
            report("counting bytes", done, total)

        count = CountPart(
            plan.sha256,
            folder,
            plan.splitter,
            plan.reading,
            plan.inputs,
            plan.buckets,
            self.max_memory,
        )
        receipts = complete(self.engine, plan.parts, count, note)
        _warn_of_skipped(receipts)
        counts = (receipt.figures["documents"] for receipt in receipts)
        firsts = accumulate(counts, initial=plan.first_document)
        return [
            TableFiles(tuple(file.name for file in receipt.files), first)
            for receipt, first in zip(receipts, firsts, strict=False)  # the last sum is that of all
        ]

    def _merged(self, folder: str, tables: Sequence[TableFiles], report: Report) -> TableFiles:
        """Merges the files of tables level by level until those of one table are left."""
        level = 0
        while len(tables) > 1:
            level += 1
            mergings, tables = merge_level(tables, level)
            done, total = 0, len(mergings)

            def note(receipt: Receipt, is_new: bool, total: int = total) -> None:
                nonlocal done
                done += 1
                report("merging counts", done, total)

            complete(self.engine, mergings, MergeBucket(self.plan.sha256, folder), note)
        return tables[0]


def _warn_of_skipped(receipts: Sequence[Receipt]) -> None:
    """Warns of lines that are no documents, as reading in this process does."""
    count = sum(receipt.figures["skipped"] for receipt in receipts)
    if count:
        first = next(each.figures["first_skipped"] for each in receipts if each.figures["skipped"])
        warn_of_skipped(count, first)
