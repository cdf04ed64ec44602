"""Merges the files of parts in a tree, each bucket apart, in workers."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from piecework import _core
from piecework._io.atomic import AtomicFiles
from piecework.engines._jobs.tasks import Receipt, Task

if TYPE_CHECKING:
    from collections.abc import Sequence

FAN_IN = 64
"""The number of files that a worker merges at once."""


class TableFiles(NamedTuple):
    """Describes the files of one part, or of some that were merged.

    Attributes:
        files: The file of each bucket.
        first_document: What is added to the numbers of the documents in the files.
    """

    files: tuple[str, ...]
    first_document: int


class Merging(NamedTuple):
    """Describes the files of one bucket that a worker merges.

    Attributes:
        name: The name of the result.
        files: The files.
        first_documents: What is added to the numbers of the documents, for each file.
    """

    name: str
    files: tuple[str, ...]
    first_documents: tuple[int, ...]


class MergeBucket(Task):
    """Merges files of one bucket, and writes the receipt; a pure function of the files."""

    def __call__(self, merging: Merging) -> Receipt:
        """Returns the receipt of a merging."""
        paths = [os.path.join(self.folder, name) for name in merging.files]
        with AtomicFiles(self.folder) as files:
            out = files.create(os.path.join(self.folder, merging.name))
            _core.merge_counts(paths, out.temporary, self.folder, merging.first_documents)
            written = files.commit(sync=False)
        return self.write_receipt(merging.name, written, {})


def merge_level(tables: Sequence[TableFiles], level: int) -> tuple[list[Merging], list[TableFiles]]:
    """Returns the mergings of a level of the tree, and the files that they make."""
    mergings, merged = [], []
    for start in range(0, len(tables), FAN_IN):
        group = tables[start : start + FAN_IN]
        names = []
        for bucket, files in enumerate(zip(*(table.files for table in group), strict=True)):
            names.append(f"merged-{level}-{start // FAN_IN:06}.{bucket:02}.counts")
            firsts = tuple(table.first_document for table in group)
            mergings.append(Merging(names[-1], files, firsts))
        merged.append(TableFiles(tuple(names), 0))
    return mergings, merged
