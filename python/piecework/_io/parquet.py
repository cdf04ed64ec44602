"""Reads the record batches of Parquet files."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from piecework._io.document_batch import WHOLE, Range

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

__all__ = ["ParquetTable"]

_ROWS = 1 << 14
"""The maximum number of rows of a batch."""


class ParquetTable:
    """Reads a Parquet file; its ranges are those of row groups.

    Attributes:
        schema: The schema.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = importlib.import_module("pyarrow.parquet").ParquetFile(file)
        self.schema = self._file.schema_arrow

    def split(self, part_bytes: int) -> list[Range]:
        """Returns ranges of row groups of at least `part_bytes` compressed bytes, except for the last one."""
        ranges, start, size = list[Range](), 0, 0
        for group in range(self._file.num_row_groups):
            size += self._stored_bytes(group)
            if size >= part_bytes:
                ranges.append(Range(start, group + 1))
                start, size = group + 1, 0
        if size or not ranges:
            ranges.append(Range(start, self._file.num_row_groups) if size else WHOLE)
        return ranges

    def first_row(self, part: Range) -> int:
        """Returns the number of rows before a range."""
        return sum(self._rows(group) for group in range(part.start))

    def batches(self, part: Range, columns: list[str]) -> Iterator[tuple[Any, float]]:
        """Iterates over the batches of a range, with these columns, and their compressed bytes."""
        for group in range(self._file.num_row_groups)[part.start : part.end]:
            row_bytes = self._stored_bytes(group) / max(1, self._rows(group))
            for batch in self._file.iter_batches(
                batch_size=_ROWS, row_groups=[group], columns=columns, use_threads=False
            ):
                yield batch, row_bytes * batch.num_rows

    def _rows(self, group: int) -> int:
        rows: int = self._file.metadata.row_group(group).num_rows
        return rows

    def _stored_bytes(self, group: int) -> int:
        """Returns the number of compressed bytes of a row group."""
        row_group = self._file.metadata.row_group(group)
        return sum(
            row_group.column(at).total_compressed_size for at in range(row_group.num_columns)
        )
