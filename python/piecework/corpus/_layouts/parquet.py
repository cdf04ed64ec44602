"""Parquet: a column of lists of ids, and the columns that are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework._exceptions import wrap_os_error
from piecework._io.extras import import_extra
from piecework.corpus._layouts.layout import Layout, ShardContents, Target
from piecework.errors import FormatError

if TYPE_CHECKING:
    from piecework._io.atomic import AtomicFile
    from piecework.corpus._parts import Rows

_COLUMN = "ids"


class _Sink:
    """Passes bytes of pyarrow to a file, which pyarrow does not close."""

    closed = False

    def __init__(self, file: AtomicFile) -> None:
        self.write = file.write

    def flush(self) -> None:
        """Does nothing: the file is flushed when it is complete."""

    close = flush


def _types(schema: Any) -> str:
    return ", ".join(f"{field.name} {field.type}" for field in schema if field.name != _COLUMN)


def _table(rows: Rows) -> Any:
    """Returns rows as a table of pyarrow."""
    import numpy as np
    import pyarrow as pa

    offsets = np.cumsum(np.concatenate([[0], rows.lengths]), dtype=np.int32)
    ids = pa.ListArray.from_arrays(pa.array(offsets), pa.array(rows.ids))
    if rows.kept is None:
        return pa.table({_COLUMN: ids})
    return rows.kept.combine_chunks().add_column(0, _COLUMN, ids)


def _lists(path: str) -> Any:
    """Returns the column of ids of a file.

    Raises:
        FileError: The file cannot be read.
        FormatError: The file is damaged, or has no column of lists of ids.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        lists = pq.ParquetFile(path).read(columns=[_COLUMN]).column(_COLUMN)
        lists.validate(full=True)
    except (pa.ArrowException, OSError, KeyError, UnicodeDecodeError) as error:
        if isinstance(error, OSError) and error.errno:
            raise wrap_os_error(error, path) from None
        raise FormatError(f"damaged: {error}", place=f"{path}: ") from None
    kind = lists.type
    if not pa.types.is_list(kind) or not pa.types.is_integer(kind.value_type):
        raise FormatError(f"expected lists of ids, found {kind}", place=f"{path}: ")
    if lists.null_count or any(chunk.values.null_count for chunk in lists.chunks):
        raise FormatError("expected lists of ids, found nulls", place=f"{path}: ")
    return lists


class Parquet(Layout):
    """Writes and reads Parquet files with a column `ids`."""

    suffixes = (".parquet",)
    has_columns = True
    most_open = 1  # it is decompressed into memory

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._file = self.file(".parquet")
        self._parquet: Any = None

    def add(self, rows: Rows) -> None:
        """Appends rows as a row group."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        table = _table(rows)
        if self._parquet is None:
            self._parquet = pq.ParquetWriter(
                pa.PythonFile(_Sink(self._file), mode="w"), table.schema, compression="zstd"
            )
            self.callback(self._parquet.close)  # also after an error
        if not table.schema.equals(self._parquet.schema):
            known, found = (_types(schema) for schema in (self._parquet.schema, table.schema))
            raise FormatError(
                f"the columns of two files differ: {known}, then {found}",
                hint="convert the files to one schema, or keep fewer columns",
            )
        self._parquet.write_table(table)

    def end(self) -> None:
        """Writes the footer."""
        import numpy as np

        from piecework.corpus._parts import Rows

        if self._parquet is None:  # a shard without rows has a schema nevertheless
            self.add(Rows(np.empty(0, self.target.dtype), np.empty(0, np.int64)))
        self._parquet.close()

    @staticmethod
    def read(target: Target) -> ShardContents:
        """Returns the tokens of a shard, which are decompressed into memory."""
        import numpy as np

        path = target.path(".parquet")
        lists = _lists(path)
        ids = np.concatenate(
            [chunk.flatten().to_numpy() for chunk in lists.chunks] or [np.empty(0, target.dtype)]
        )
        ends = np.cumsum(lists.combine_chunks().value_lengths().to_numpy(), dtype=np.int64)
        if (len(ends), len(ids)) != (target.rows, target.tokens):
            problem = f"{len(ends):,} rows and {len(ids):,} tokens; expected {target.rows:,} and {target.tokens:,}"
            raise FormatError(problem, place=f"{path}: ")
        return ShardContents(ids, ends)

    @staticmethod
    def check() -> None:
        """Raises MissingExtraError if pyarrow is not installed."""
        import_extra("pyarrow", "parquet", "a corpus of Parquet files")
