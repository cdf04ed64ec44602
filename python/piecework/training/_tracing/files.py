"""Writes traces to files: Parquet, NDJSON and JSON."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Final

from piecework._io.extras import import_extra
from piecework._io.files import checked, replacing, write_aside
from piecework.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa

    from piecework._io.files import Pathish
    from piecework.training._tracing.base import Saved

__all__ = ["FORMATS", "format_of", "save", "save_parquet", "to_table"]

FORMATS: Final[Mapping[str, str]] = {
    ".parquet": "parquet",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".json": "json",
}
"""The formats by the endings of file names."""


def format_of(path: Pathish) -> str:
    """Returns the format of a file by its name.

    Raises:
        ConfigError: The ending is unknown.

    >>> format_of("trace.jsonl")
    'ndjson'
    """
    name = checked(path)
    kind = FORMATS.get(os.path.splitext(name)[1].lower())
    if kind is None:
        raise ConfigError(
            f"expected a name that ends with {', '.join(FORMATS)}; found {name}", setting="path"
        )
    return kind


def _json_lines(record: Saved) -> Iterator[str]:
    """Iterates over the steps as lines of JSON, without line ends."""
    return (json.dumps(line, ensure_ascii=False) for line in record.to_lines())


def to_table(record: Saved, place: str) -> pa.Table:
    """Returns the rows of a record as a ``pyarrow.Table``; `place` is named in the error for a missing package."""
    arrow = import_extra("pyarrow", "parquet", place)
    schema = arrow.schema([(name, arrow.type_for_alias(kind)) for name, kind in record.columns()])
    return arrow.Table.from_pylist(record.to_rows(), schema=schema)


def save_parquet(record: Saved, path: Pathish) -> None:
    """Writes the flat table of a record as Parquet.

    Raises:
        MissingExtraError: pyarrow is not installed.
        FileError: The file cannot be written.
    """
    name = checked(path)
    table = to_table(record, name)
    parquet = import_extra("pyarrow.parquet", "parquet", name)
    with replacing(path) as temporary:
        parquet.write_table(table, temporary, compression="zstd")


def save(record: Saved, path: Pathish) -> None:
    """Writes a record; see :meth:`Saved.save`."""
    kind = format_of(path)
    if kind == "parquet":
        save_parquet(record, path)
        return
    if kind == "json":
        text = json.dumps(record.to_dict(), ensure_ascii=False)
    else:
        text = "\n".join(_json_lines(record))
    write_aside(path, f"{text}\n".encode() if text else b"")
