"""Reads the documents of tables, the rows of Parquet and Arrow files, a slice of a batch at a time.

It requires an extra: :mod:`piecework._io.documents` imports it after a check.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from piecework import _core
from piecework._exceptions import from_undecodable
from piecework._io.document_batch import DEFAULT_FIELD, Documents, Range, ReadOptions, SkippedRow
from piecework._io.opening import open_file
from piecework._io.record_batches import Table, open_table
from piecework._io.remedies import column_remedy
from piecework._messages import shown
from piecework.errors import ConfigError, DocumentError, FormatError, PieceworkError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._io.sources import Source

_ROWS = 1 << 14
"""The maximum number of rows whose texts are made at a time, since a dictionary can be much smaller than its texts."""


class _Fault(NamedTuple):
    """Describes a row that is no document: the reason, and the first invalid byte if it is not UTF-8."""

    row: int
    reason: str
    byte: int | None = None
    value: int = 0


@contextmanager
def _open(source: Source) -> Iterator[Table]:
    """Opens a table.

    Raises:
        FileError: The file cannot be read.
        FormatError: The file is damaged, or of another format.
    """
    name = source.shown_name
    with open_file(source) as file:
        if not file.seekable():
            problem = f"{source.format.capitalize()} cannot be read from a pipe"
            raise FormatError(problem, place=f"{name}: ", hint="pass a file")
        try:
            yield open_table(file, source)
        except PieceworkError:
            raise
        except UnicodeDecodeError as error:  # such as of the name of a column
            raise FormatError(f"damaged: {error}", place=f"{name}: ") from None
        except KeyError as error:  # a batch lacks a column that the schema has
            raise FormatError(f"damaged: {error.args[0]}", place=f"{name}: ") from None
        except (pa.ArrowException, OSError, EOFError) as error:
            if isinstance(error, OSError) and error.errno:
                raise
            raise FormatError(str(error), place=f"{name}: ") from None


def split_rows(source: Source, part_bytes: int) -> list[Range]:
    """Returns ranges of the row groups or batches of a table; see :func:`piecework._io.documents.split`."""
    with _open(source) as table:
        return table.split(part_bytes)


def read_rows(
    source: Source, options: ReadOptions, part: Range, batch_bytes: int
) -> Iterator[Documents]:
    """Iterates over the documents of a range of a table; see :func:`piecework._io.documents.read`."""
    fields = [("field", options.field or DEFAULT_FIELD), *(("keep", name) for name in options.keep)]
    with _open(source) as table:
        columns = [_column(table.schema, source, setting, name) for setting, name in fields]
        names = list(dict.fromkeys(".".join(path) for path in columns))
        row, stored = table.first_row(part), 0.0
        for batch, size in table.batches(part, names):
            row_bytes = size / max(1, batch.num_rows)
            for arrays in _slices(batch, columns, batch_bytes):
                stored += row_bytes * len(arrays[0])
                yield _documents(source, options, arrays, row, round(stored))
                row += len(arrays[0])


def _column(schema: Any, source: Source, setting: str, field: str) -> list[str]:
    """Returns the path to a column, after checking that the schema has it."""
    path = column_path(field)
    fields, found = schema, None
    for name in path:
        names = [] if fields is None else [each.name for each in fields]
        if name not in names:
            known = ", ".join(schema.names)
            problem = f"no column {shown(field)}; found {known}"
            raise _column_error(problem, schema, source, setting)
        if names.count(name) > 1:
            problem = f"{names.count(name)} columns {shown(name)}"
            raise FormatError(problem, place=f"{source.shown_name}: ", hint="rename all but one")
        found = fields.field(name).type
        fields = found if hasattr(found, "fields") else None
    if setting == "field" and _text_type(found) is None:
        problem = f"the column {shown(field)} has the type {found}; expected strings"
        raise _column_error(problem, schema, source, setting)
    return path


def _column_error(problem: str, schema: Any, source: Source, setting: str) -> ConfigError:
    """Returns the exception for a column that cannot be read."""
    strings = [each.name for each in schema if _text_type(each.type) is not None]
    hint = column_remedy(strings) if setting == "field" else None
    return ConfigError(problem, setting=setting, place=f"{source.shown_name}: ", hint=hint)


def column_path(field: str) -> list[str]:
    r"""Returns the names on the path to a column: a point leads to a member of a struct, ``\.`` is a point.

    >>> column_path("meta.source"), column_path("meta\\.source")
    (['meta', 'source'], ['meta.source'])
    """
    return [name.replace("\0", ".") for name in field.replace("\\.", "\0").split(".")]


def _text_type(kind: Any) -> Any:
    """Returns the type with offsets for a type of texts; None for another type."""
    if pa.types.is_dictionary(kind):
        return _text_type(kind.value_type)
    if str(kind) in {"string", "large_string", "binary", "large_binary"}:
        return kind
    return {"string_view": pa.large_string(), "binary_view": pa.large_binary()}.get(str(kind))


def _slices(batch: Any, columns: list[list[str]], batch_bytes: int) -> Iterator[list[Any]]:
    """Iterates over the columns of a batch in slices whose texts have at most `batch_bytes` bytes."""
    for row in range(0, batch.num_rows, _ROWS):
        arrays = [_extracted(batch.slice(row, _ROWS), path) for path in columns]
        for start, end in _bounds(arrays[0], batch_bytes):
            yield [array.slice(start, end - start) for array in arrays]


def _extracted(batch: Any, path: list[str]) -> Any:
    """Returns the column of a path; texts as an array with offsets."""
    array = batch.column(path[0])
    for name in path[1:]:
        array = pc.struct_field(array, name)
    kind = _text_type(array.type)
    return array if kind is None or kind == array.type else array.cast(kind)


def _bounds(texts: Any, batch_bytes: int) -> Iterator[tuple[int, int]]:
    """Iterates over ranges of texts with at most `batch_bytes` bytes, unless one text is longer."""
    ends = np.cumsum(pc.binary_length(texts).fill_null(0).to_numpy(), dtype=np.int64)
    start, before = 0, 0
    while start < len(ends):
        end = max(start + 1, int(np.searchsorted(ends, before + batch_bytes, side="right")))
        yield start, end
        start, before = end, int(ends[end - 1])


def _documents(
    source: Source, options: ReadOptions, arrays: list[Any], row: int, stored: int
) -> Documents:
    """Returns the documents of the rows from `row` on."""
    positions = np.arange(row, row + len(arrays[0]), dtype=np.int64)
    faults = _faults(arrays, [options.field or DEFAULT_FIELD, *options.keep])
    if faults and options.on_error == "raise":
        raise _error(source, row, faults[0])
    if faults:
        valid = np.ones(len(positions), bool)
        valid[[fault.row for fault in faults]] = False
        positions, arrays = positions[valid], [array.filter(valid) for array in arrays]
    return Documents(
        arrays[0],
        dict(zip(options.keep, arrays[1:], strict=True)),
        [
            SkippedRow(source.shown_name, row + fault.row + 1, fault.byte, fault.reason)
            for fault in faults
        ],
        [row + fault.row for fault in faults],
        bytes_read=stored,
        text_bytes=pc.sum(pc.binary_length(arrays[0])).as_py() or 0,
        get_positions=lambda: positions,
    )


def _faults(arrays: list[Any], names: list[str]) -> list[_Fault]:
    """Returns the rows that are no documents, in order, each once."""
    nulls = np.flatnonzero(arrays[0].is_null().to_numpy(zero_copy_only=False))
    name = shown(names[0])
    found = {row: _Fault(row, f"{name} is null; expected a string") for row in nulls.tolist()}
    for array, name in zip(arrays, names, strict=True):
        if _text_type(array.type) is None:
            continue
        rows = np.flatnonzero(array.is_valid().to_numpy(zero_copy_only=False))
        for at, byte, value in _core.ArrowTexts(array.drop_null()).invalid_utf8():
            row, reason = int(rows[at]), f"invalid UTF-8 in {shown(name)} (0x{value:02x})"
            found.setdefault(row, _Fault(row, reason, byte, value))
    return [found[row] for row in sorted(found)]


def _error(source: Source, row: int, fault: _Fault) -> PieceworkError:
    """Returns the exception for a row."""
    number = row + fault.row + 1
    place = f"{source.shown_name}: row {number}: "
    hint = 'pass `on_error="skip"` to skip such rows'
    if fault.byte is not None:
        cause = UnicodeDecodeError("utf-8", bytes([fault.value]), 0, 1, fault.reason)
        problem = f"{fault.reason} at byte {fault.byte} of the text"
        return from_undecodable(cause, problem, (number, fault.byte), hint=hint, place=place)
    error = DocumentError(fault.reason, place=place, hint=hint)
    error.line, error.byte = number, None
    return error
