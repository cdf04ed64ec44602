"""Counts the words of files in parts on an engine, and merges their tables."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from itertools import accumulate
from typing import TYPE_CHECKING

from piecework import _core
from piecework._io.atomic import remove_temporary
from piecework._io.documents import warn_of_skipped
from piecework._io.files import make_folder, replacing
from piecework._io.folders import remove_folder, temporary_folder
from piecework._io.lock import locked_folder
from piecework._progress import reporting
from piecework.corpus._counting.merging import MergeBucket, TableFiles, merge_level
from piecework.corpus._counting.part import CountPart
from piecework.engines import connected
from piecework.engines._jobs.complete import complete
from piecework.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from piecework._progress import ProgressLike, Report
    from piecework.corpus._counting.plan import CountPlan
    from piecework.engines import Engine
    from piecework.engines._jobs.receipts import Receipt

__all__ = ["CountingJob"]


class CountingJob:
    """Runs a counting in parts.

    The parts, and the mergings of their files, leave receipts in a hidden folder of the work folder, which is removed at the
    end. A job that was stopped resumes when it is repeated with the same work folder.
    """

    def __init__(
        self,
        plan: CountPlan,
        engine: Engine,
        *,
        work_dir: str | None,
        max_memory: int | None,
        progress: ProgressLike,
    ) -> None:
        """Describes the job; nothing runs yet.

        Args:
            plan: The plan.
            engine: Where the parts run.
            work_dir: A folder that all workers share; None for the system's folder of temporary files.
            max_memory: The limit of memory of a worker in bytes.
            progress: Whether to show progress, or a callback for it.

        Raises:
            ConfigError: There is no work folder, and the workers may be on other machines.
        """
        self._plan, self._engine, self._work_dir = plan, engine, work_dir
        self._max_memory, self._progress = max_memory, progress
        self._check_work_dir()

    def _check_work_dir(self) -> None:
        """Raises an error if the workers may not see the work folder; a connected engine knows that better."""
        if self._work_dir is None and getattr(self._engine, "is_remote", False):
            hint = "pass a folder that all machines have under this name"
            message = "is required, since the workers may run on other machines"
            raise ConfigError(message, setting="work_dir", hint=hint)

    @contextmanager
    def counted(self) -> Iterator[str]:
        """Returns a context manager of the file with the counts of all words; it is removed at the end.

        Raises:
            PieceworkError: As for counting in this process; and WorkerError if a worker died at each attempt.
        """
        with ExitStack() as stack:
            work_dir = self._work_dir or stack.enter_context(temporary_folder())
            name = f".piecework-counting-{self._plan.sha256[:16]}"
            folder = make_folder(os.path.join(os.path.abspath(work_dir), name))
            stack.enter_context(locked_folder(folder))
            remove_temporary(folder)
            report = stack.enter_context(reporting(self._progress))
            with connected(self._engine):
                self._check_work_dir()
                table = self._merged(folder, self._counted(folder, report), report)
            path = os.path.join(folder, "all.counts")
            with replacing(path) as out:
                files = [os.path.join(folder, file) for file in table.files]
                _core.merge_counts(files, out, folder, [table.first_document] * len(files))
            yield path
            remove_folder(folder)

    def _counted(self, folder: str, report: Report) -> list[TableFiles]:
        """Counts the parts, and returns their files with the number of the first document of each."""
        plan = self._plan
        sizes = {part.name: part.bytes for part in plan.parts}
        total, done = sum(sizes.values()), 0

        def note(receipt: Receipt, is_new: bool) -> None:
            nonlocal done
            done += sizes[receipt.name]
            report("counting bytes", done, total)

        count = CountPart(
            plan.splitter,
            plan.reading,
            plan.inputs,
            plan.sha256,
            folder,
            plan.buckets,
            self._max_memory,
        )
        receipts = complete(
            self._engine,
            plan.parts,
            count,
            plan=plan.sha256,
            work_folder=folder,
            files_folder=folder,
            note=note,
        )
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

            complete(
                self._engine,
                mergings,
                MergeBucket(self._plan.sha256, folder),
                plan=self._plan.sha256,
                work_folder=folder,
                files_folder=folder,
                note=note,
            )
        return tables[0]


def _warn_of_skipped(receipts: Sequence[Receipt]) -> None:
    """Warns of lines that are no documents, as reading in this process does."""
    count = sum(receipt.figures["skipped"] for receipt in receipts)
    if count:
        first = next(each.figures["first_skipped"] for each in receipts if each.figures["skipped"])
        warn_of_skipped(count, first)
