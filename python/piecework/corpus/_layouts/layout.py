"""Defines the interface of output formats: how the rows of a shard become files, and how these are read."""

from __future__ import annotations

import os
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from piecework._io.atomic import AtomicFile, AtomicFiles, WrittenFile

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from piecework.corpus._parts import Rows

    Ids = npt.NDArray[np.uint16 | np.uint32 | np.int32]


class Target(NamedTuple):
    """Describes a shard to write or to read.

    Attributes:
        folder: The folder of its files.
        name: The name of its files, without suffix.
        dtype: The type of the ids.
        rows: The number of its rows.
        tokens: The number of its tokens.
        sequence_length: The number of tokens of each row; None if rows are documents.
        tokenizer: The fingerprint of the tokenizer.
        temporary_folder: The folder of files that are not complete; not used for reading.
    """

    folder: str
    name: str
    dtype: str
    rows: int
    tokens: int
    sequence_length: int | None
    tokenizer: str
    temporary_folder: str = ""

    def path(self, suffix: str) -> str:
        """Returns the path of a file of the shard."""
        return os.path.join(self.folder, f"{self.name}{suffix}")


class ShardContents(NamedTuple):
    """Holds the tokens of a shard, which are read from its files when they are used.

    Attributes:
        ids: The ids of all rows, an array.
        ends: The end of each row in `ids`; None if the files do not contain it.
    """

    ids: Ids
    ends: npt.NDArray[np.int64] | None


class Layout(AtomicFiles):
    """Writes the rows of a shard to files of a format, and reads them; the base of the formats."""

    suffixes: ClassVar[tuple[str, ...]]
    """The suffixes of the files of a shard."""
    has_rows: ClassVar[bool] = True
    """Whether the files say where rows end."""
    has_columns: ClassVar[bool] = False
    """Whether the files have columns of the documents beside the ids."""
    most_open: ClassVar[int] = 1000
    """The largest number of shards that a reader has open: those that are mapped take no memory."""

    @staticmethod
    def dtype(id_limit: int) -> str:
        """Returns the type of the ids for a vocabulary whose ids are below a limit.

        Raises:
            ConfigError: The format cannot hold the ids.
        """
        return smallest_dtype(id_limit)

    @staticmethod
    def check() -> None:
        """Raises MissingExtraError if a package that the format requires is not installed."""

    @staticmethod
    @abstractmethod
    def read(target: Target) -> ShardContents:
        """Returns the tokens of a shard.

        Raises:
            FileError: A file is missing, or is too short.
            FormatError: A file does not have the format.
        """

    def __init__(self, target: Target) -> None:
        """Opens the files."""
        super().__init__(target.temporary_folder)
        self.target = target

    def file(self, suffix: str) -> AtomicFile:
        """Returns a new file of the shard, which :meth:`finish` completes."""
        return self.create(self.target.path(suffix))

    @abstractmethod
    def add(self, rows: Rows) -> None:
        """Appends rows."""

    def end(self) -> None:
        """Writes what follows the rows; in most formats nothing."""

    def finish(self) -> tuple[WrittenFile, ...]:
        """Completes the files, and returns their sizes and hashes."""
        self.end()
        return self.commit()


class IndexedLayout(Layout):
    """Writes ids to a first file, and keeps the lengths of the rows for a second one."""

    ids: AtomicFile

    def __init__(self, target: Target) -> None:
        """Opens the files."""
        super().__init__(target)
        self._lengths: list[npt.NDArray[Any]] = []

    def add(self, rows: Rows) -> None:
        """Appends rows."""
        self.ids.write(rows.ids.data)
        self._lengths.append(rows.lengths)

    def ends(self) -> npt.NDArray[np.int64]:
        """Returns 0 and the end of each row, in tokens."""
        import numpy as np

        first = np.zeros(1, np.int64)
        return np.cumsum(np.concatenate([first, *self._lengths]), dtype=np.int64)


def smallest_dtype(id_limit: int) -> str:
    """Returns unsigned integers of 16 bits if all ids fit, otherwise of 32.

    >>> smallest_dtype(65536), smallest_dtype(65537)
    ('<u2', '<u4')
    """
    return "<u2" if id_limit <= 1 << 16 else "<u4"
