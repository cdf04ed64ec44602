"""Reads the record batches of Arrow IPC files and streams; Feather files of version 2 are such files."""

from __future__ import annotations

import importlib
import os
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from piecework._io.document_batch import WHOLE, Range
from piecework.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from piecework._io.sources import Source
    from piecework._io.tables import Table

__all__ = ["open_arrow"]

_FILE = b"ARROW1"
_FEATHER = b"FEA1"


def open_arrow(file: BinaryIO, source: Source) -> Table:
    """Opens a file or a stream, by its first bytes.

    Raises:
        FormatError: The file is one of Feather's version 1.
    """
    start = file.read(len(_FILE))
    file.seek(0)
    if start.startswith(_FEATHER):
        raise FormatError(
            "a Feather file of version 1",
            place=f"{source.shown_name}: ",
            hint="write it again: pyarrow.feather.write_feather(pyarrow.feather.read_table(old), new)",
        )
    size = source.size or 0
    return _ArrowFile(file, size) if start == _FILE else _ArrowStream(file, size)


def _options(schema: Any, columns: list[str]) -> Any:
    """Returns the options that read the columns which contain these names alone."""
    ipc = importlib.import_module("pyarrow.ipc")
    # A point may lead to a member of a column, or be a part of the column's name.
    fields = [
        place
        for place, name in enumerate(schema.names)
        if any(column == name or column.startswith(f"{name}.") for column in columns)
    ]
    return ipc.IpcReadOptions(included_fields=fields, use_threads=False)


class _ArrowFile:
    """Reads an Arrow file; its ranges are those of record batches."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file, self._size = file, size
        reader = importlib.import_module("pyarrow.ipc").open_file(file)
        self.schema, self._count = reader.schema, reader.num_record_batches

    def split(self, part_bytes: int) -> list[Range]:
        """Returns ranges of equally many batches."""
        parts = max(1, min(self._count, -(-self._size // max(1, part_bytes))))
        bounds = [self._count * part // parts for part in range(parts + 1)]
        return [Range(*bound) for bound in pairwise(bounds)]

    def first_row(self, part: Range) -> int:
        """Returns the number of rows before a range, for which its batches are read without their texts."""
        return sum(
            batch.num_rows for batch in self._read(Range(0, part.start), self.schema.names[:1])
        )

    def batches(self, part: Range, columns: list[str]) -> Iterator[tuple[Any, float]]:
        """Iterates over the batches of a range, and an equal share of the bytes of the file."""
        for batch in self._read(part, columns):
            yield batch, self._size / self._count

    def _read(self, part: Range, columns: list[str]) -> Iterator[Any]:
        self._file.seek(0)
        reader = importlib.import_module("pyarrow.ipc").open_file(
            self._file, options=_options(self.schema, columns)
        )
        return (reader.get_batch(place) for place in range(self._count)[part.start : part.end])


class _ArrowStream:
    """Reads an Arrow stream, as `datasets` writes them; it has one range."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file, self._size = file, size
        self.schema = importlib.import_module("pyarrow.ipc").open_stream(file).schema

    def split(self, part_bytes: int) -> list[Range]:  # noqa: ARG002  # as other tables have it
        """Returns the whole stream."""
        return [WHOLE]

    def first_row(self, part: Range) -> int:  # noqa: ARG002  # as other tables have it
        """Returns 0."""
        return 0

    def batches(self, part: Range, columns: list[str]) -> Iterator[tuple[Any, float]]:  # noqa: ARG002
        """Iterates over the batches, and the bytes of the stream that were read for each."""
        self._file.seek(0)
        options = _options(self.schema, columns)
        done = 0
        for batch in importlib.import_module("pyarrow.ipc").open_stream(
            self._file, options=options
        ):
            now = self._file.seek(0, os.SEEK_CUR)
            yield batch, now - done
            done = now
