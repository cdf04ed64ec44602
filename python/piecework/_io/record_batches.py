"""Reads the record batches of Parquet files, and of Arrow IPC files and streams."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from itertools import pairwise
from typing import TYPE_CHECKING, Any, BinaryIO

import pyarrow as pa
from pyarrow import ipc

from piecework._io.document_batch import WHOLE, Range
from piecework.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._io.sources import Source

_FILE = b"ARROW1"
_FEATHER = b"FEA1"
"""The first bytes of an Arrow file, and of a file of Feather's version 1; one of version 2 is an Arrow file."""
_ROWS = 1 << 14
"""The maximum number of rows of a batch of Parquet."""
_MOST_ROWS = 1 << 60
"""A number of rows that no row group has."""


class Table(ABC):
    """Reads the record batches of a file.

    Attributes:
        schema: The schema.
    """

    schema: Any

    @abstractmethod
    def split(self, part_bytes: int) -> list[Range]:
        """Returns ranges of row groups or batches with about `part_bytes` bytes, as stored."""

    @abstractmethod
    def first_row(self, part: Range) -> int:
        """Returns the number of rows before a range."""

    @abstractmethod
    def batches(self, part: Range, columns: list[str]) -> Iterator[tuple[Any, float]]:
        """Iterates over the batches of a range, with these columns, and their bytes as stored."""


def open_table(file: BinaryIO, source: Source) -> Table:
    """Opens a file of Parquet, or a file or stream of Arrow by its first bytes.

    Raises:
        FormatError: The file is one of Feather's version 1.
    """
    size = file.seek(0, os.SEEK_END)  # the size of a URL may be unknown
    file.seek(0)
    if source.format == "parquet":
        return _Parquet(file, size)
    start = file.read(len(_FILE))
    file.seek(0)
    if start.startswith(_FEATHER):
        raise FormatError(
            "a Feather file of version 1",
            place=f"{source.shown_name}: ",
            hint="write it again: pyarrow.feather.write_feather(pyarrow.feather.read_table(old), new)",
        )
    return _ArrowFile(file, size) if start == _FILE else _ArrowStream(file, size)


def _options(schema: Any, columns: list[str]) -> Any:
    """Returns the options that read the columns which contain these names alone."""
    # A point may lead to a member of a column, or be a part of the column's name.
    fields = [
        place
        for place, name in enumerate(schema.names)
        if any(column == name or column.startswith(f"{name}.") for column in columns)
    ]
    return ipc.IpcReadOptions(included_fields=fields, use_threads=False)


def _checked(batch: Any) -> Any:
    """Returns a batch whose offsets and indexes stay within its buffers; pyarrow takes them from the file as they are.

    Texts may be invalid UTF-8, which is a fault of a row.

    Raises:
        pa.ArrowInvalid: They do not.
    """
    batch.validate()
    for column in batch.columns:
        column.view(_as_bytes(column.type)).validate(full=True)
    return batch


def _as_bytes(kind: Any) -> Any:
    """Returns the type of the same buffers whose texts are bytes."""
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_as_bytes(field.type)) for field in kind.fields])
    if pa.types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, _as_bytes(kind.value_type), kind.ordered)
    return _BYTES.get(kind, kind)


_BYTES = {
    pa.string(): pa.binary(),
    pa.large_string(): pa.large_binary(),
    pa.string_view(): pa.binary_view(),
}


class _ArrowFile(Table):
    """Reads an Arrow file; its ranges are those of record batches."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file, self._size = file, size
        reader = ipc.open_file(file)
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
        reader = ipc.open_file(self._file, options=_options(self.schema, columns))
        places = range(self._count)[part.start : part.end]
        return (_checked(reader.get_batch(place)) for place in places)


class _Bounded:
    """Reads a file, from which no more bytes are asked than it has: a damaged message may have any length."""

    closed = False

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file, self._size = file, size

    def read(self, size: int) -> bytes:
        """Returns the next bytes, `size` at most."""
        return self._file.read(min(size, self._size - self._file.seek(0, os.SEEK_CUR)))


class _ArrowStream(Table):
    """Reads an Arrow stream, as `datasets` writes them; it has one range."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file, self._stream = file, _Bounded(file, size)
        self.schema = ipc.open_stream(self._stream).schema

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
        for batch in ipc.open_stream(self._stream, options=options):
            now = self._file.seek(0, os.SEEK_CUR)
            yield _checked(batch), now - done
            done = now


class _Parquet(Table):
    """Reads a Parquet file; its ranges are those of row groups.

    The metadata of row groups are not asked for: damaged ones end the process, since pyarrow does not catch the exceptions
    of the calls that read them. The calls that read batches are safe.
    """

    def __init__(self, file: BinaryIO, size: int) -> None:
        import pyarrow.parquet as pq

        self._file, self._size = pq.ParquetFile(file), size
        self.schema, self._rows = self._file.schema_arrow, dict[int, int]()

    def split(self, part_bytes: int) -> list[Range]:
        """Returns ranges of row groups of at least `part_bytes` bytes, except for the last one."""
        ranges, start, size = list[Range](), 0, 0.0
        for group in range(self._file.num_row_groups):
            size += self._stored_bytes(self._rows_of(group))
            if size >= part_bytes:
                ranges.append(Range(start, group + 1))
                start, size = group + 1, 0.0
        if size or not ranges:
            ranges.append(Range(start, self._file.num_row_groups) if size else WHOLE)
        return ranges

    def first_row(self, part: Range) -> int:
        """Returns the number of rows before a range."""
        return sum(self._rows_of(group) for group in range(part.start))

    def batches(self, part: Range, columns: list[str]) -> Iterator[tuple[Any, float]]:
        """Iterates over the batches of a range, with these columns, and a share of the bytes of the file by their rows."""
        for group in range(self._file.num_row_groups)[part.start : part.end]:
            for batch in self._read(group, columns, _ROWS):
                yield batch, self._stored_bytes(batch.num_rows)

    def _read(self, group: int, columns: list[str], rows: int) -> Iterator[Any]:
        """Iterates over the batches of a row group with at most a number of rows."""
        found: Iterator[Any] = self._file.iter_batches(
            batch_size=rows, row_groups=[group], columns=columns, use_threads=False
        )
        return found

    def _rows_of(self, group: int) -> int:
        """Returns the number of rows of a row group, from batches without columns."""
        if group not in self._rows:
            batches = self._read(group, [], _MOST_ROWS)
            self._rows[group] = sum(batch.num_rows for batch in batches)
        return self._rows[group]

    def _stored_bytes(self, rows: int) -> float:
        """Returns the share of some rows in the bytes of the file."""
        all_rows: int = self._file.metadata.num_rows
        return self._size * rows / max(1, all_rows)
