"""Writes and reads the files of encoded parts, which are removed at the end of a run.

A part has the ids of its documents (``.ids``), their lengths (``.lengths``), and if documents are shuffled their sort keys
(``.keys``), and invalid lines (``.skipped``). It consists of runs of some million tokens; the documents of a run are in the order of their keys, so that a range
of keys is one place of each run. Columns that are kept are an Arrow stream for each run (``.kept``).
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

from piecework._io.arrays import read_array
from piecework._io.atomic import AtomicFiles, WrittenFile
from piecework.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    import numpy.typing as npt

    from piecework._io.document_batch import Skipped
    from piecework.engines._jobs.parts import Part

    Array = npt.NDArray[Any]

RUN_TOKENS = 2_000_000
"""The number of tokens after which a run ends; it bounds the memory of a worker, as the next two do."""
_RUN_DOCUMENTS = 500_000
_RUN_KEPT_BYTES = 1 << 25
LENGTH = "<u4"
KEY = "<u8"


class Rows(NamedTuple):
    """Holds the tokens of some rows: documents or sequences.

    Attributes:
        ids: The ids of all rows.
        lengths: The number of tokens of each row.
        kept: The other columns, a table of pyarrow; None if there are none.
    """

    ids: Array
    lengths: Array
    kept: Any = None


class Run(NamedTuple):
    """Describes a run by its place in the files of its part.

    Attributes:
        part: The name of the part.
        first_document: The number of documents before it.
        documents: The number of its documents.
        first_token: The number of tokens before it.
        tokens: The number of its tokens.
        first_byte: The number of bytes of other columns before it.
        bytes: The number of bytes of its other columns.
    """

    part: str
    first_document: int
    documents: int
    first_token: int
    tokens: int
    first_byte: int = 0
    bytes: int = 0


class Slice(NamedTuple):
    """Describes some documents of a run that follow each other.

    Attributes:
        run: The run.
        first_document: The first of them, from 0 in the run.
        documents: Their number.
        first_token: The first of their tokens, from 0 in the run.
        tokens: Their number.
    """

    run: Run
    first_document: int
    documents: int
    first_token: int
    tokens: int

    @classmethod
    def whole(cls, run: Run) -> Slice:
        """Returns all documents of a run."""
        return cls(run, 0, run.documents, 0, run.tokens)


class PartWriter(AtomicFiles):
    """Writes the files of a part."""

    def __init__(self, folder: str, part: Part, seed: int | None, has_kept: bool) -> None:
        """Opens the files.

        Args:
            folder: Their folder.
            part: The part.
            seed: The seed of the order of documents; None for the order of the input.
            has_kept: Whether there are other columns.
        """
        super().__init__(folder)
        self._part, self._seed = part, seed
        self._waiting: list[Rows] = []
        self.runs: list[Run] = []
        suffixes = ["ids", "lengths", "skipped"]
        suffixes += ["keys"] * (seed is not None) + ["kept"] * has_kept
        names = {suffix: os.path.join(folder, f"{part.name}.{suffix}") for suffix in suffixes}
        self._file = {suffix: self.create(name) for suffix, name in names.items()}

    def add(self, rows: Rows) -> None:
        """Appends documents."""
        self._waiting.append(rows)
        tokens, documents, kept = (
            sum(sizes) for sizes in zip(*map(_sizes, self._waiting), strict=True)
        )
        if tokens >= RUN_TOKENS or documents >= _RUN_DOCUMENTS or kept >= _RUN_KEPT_BYTES:
            self._end_run()

    def skip(self, lines: Iterable[Skipped]) -> None:
        """Records invalid lines."""
        for line in lines:
            self._file["skipped"].write(json.dumps(asdict(line)).encode() + b"\n")

    def finish(self) -> tuple[WrittenFile, ...]:
        """Gives the files their names, and returns their sizes and hashes."""
        if self._waiting:
            self._end_run()
        return self.commit(sync=False)

    def _end_run(self) -> None:
        rows = joined(self._waiting)
        last = self.runs[-1] if self.runs else Run(self._part.name, 0, 0, 0, 0)
        first_document, count = last.first_document + last.documents, len(rows.lengths)
        if self._seed is not None:
            keys = sort_keys(self._seed, self._part.number, first_document, count)
            order = keys.argsort(kind="stable")
            rows = in_order(rows, order)
            self._file["keys"].write(keys[order].astype(KEY, copy=False).data)
        self._file["ids"].write(rows.ids.data)
        self._file["lengths"].write(rows.lengths.astype(LENGTH, copy=False).data)
        size = 0 if rows.kept is None else self._file["kept"].write(_packed(rows.kept))
        first_token, first_byte = last.first_token + last.tokens, last.first_byte + last.bytes
        tokens = len(rows.ids)
        self.runs.append(
            Run(last.part, first_document, count, first_token, tokens, first_byte, size)
        )
        self._waiting = []


def _sizes(rows: Rows) -> tuple[int, int, int]:
    """Returns the numbers of tokens, of documents, and of bytes of other columns."""
    return len(rows.ids), len(rows.lengths), 0 if rows.kept is None else rows.kept.nbytes


def load(folder: str, slices: Sequence[Slice], dtype: str, shuffled: bool) -> Rows:
    """Returns the documents of some slices, in the order of the output."""
    rows = joined([_load_slice(folder, each, dtype) for each in slices])
    return in_order(rows, _order(folder, slices)) if shuffled else rows


def load_lengths(folder: str, slices: Sequence[Slice], *, shuffled: bool = False) -> Array:
    """Returns the number of tokens of each document of some slices, in the order of the slices or shuffled."""
    import numpy as np

    lengths = np.concatenate([_column(folder, each, "lengths", LENGTH) for each in slices])
    return lengths[_order(folder, slices)] if shuffled else lengths


def load_keys(folder: str, run: Run) -> Array:
    """Returns the sort keys of the documents of a run, in their order."""
    return _column(folder, Slice.whole(run), "keys", KEY)


def _order(folder: str, slices: Sequence[Slice]) -> npt.NDArray[np.intp]:
    """Returns the order of the documents of some slices; of equal keys the earlier document is first."""
    import numpy as np

    keys = np.concatenate([_column(folder, each, "keys", KEY) for each in slices])
    return keys.argsort(kind="stable")


def _column(folder: str, each: Slice, suffix: str, dtype: str) -> Array:
    path = os.path.join(folder, f"{each.run.part}.{suffix}")
    return read_array(path, dtype, each.run.first_document + each.first_document, each.documents)


def _load_slice(folder: str, each: Slice, dtype: str) -> Rows:
    run = each.run
    path = os.path.join(folder, f"{run.part}.ids")
    ids = read_array(path, dtype, run.first_token + each.first_token, each.tokens)
    kept = None
    if run.bytes:
        path = os.path.join(folder, f"{run.part}.kept")
        table = _unpacked(read_array(path, "u1", run.first_byte, run.bytes))
        kept = table.slice(each.first_document, each.documents)
    return Rows(ids, _column(folder, each, "lengths", LENGTH), kept)


def without(rows: Rows, left_out: npt.NDArray[np.bool_]) -> Rows:
    """Returns rows without some of them, which are marked."""
    if not left_out.any():
        return rows
    kept = ~left_out
    ids = rows.ids[kept.repeat(rows.lengths)]
    return Rows(ids, rows.lengths[kept], None if rows.kept is None else rows.kept.filter(kept))


def joined(rows: Sequence[Rows]) -> Rows:
    """Returns rows after each other."""
    import numpy as np

    if len(rows) == 1:
        return rows[0]
    kept = None
    if rows[0].kept is not None:
        import pyarrow as pa

        try:
            kept = pa.concat_tables([each.kept for each in rows], promote_options="permissive")
        except pa.ArrowException as error:
            raise FormatError(
                f"the columns to keep have other types in other files: {error}",
                hint="convert the files to one schema, or keep fewer columns",
            ) from None
    ids = np.concatenate([each.ids for each in rows])
    return Rows(ids, np.concatenate([each.lengths for each in rows]), kept)


def in_order(rows: Rows, order: npt.NDArray[np.intp]) -> Rows:
    """Returns rows in another order."""
    import numpy as np

    starts = np.cumsum(rows.lengths, dtype=np.int64) - rows.lengths
    lengths = rows.lengths[order]
    ends = np.cumsum(lengths, dtype=np.int64)
    # The place of each token: that in the new order, moved by the distance of its row.
    places = np.repeat(starts[order] - (ends - lengths), lengths)
    places += np.arange(len(rows.ids))
    kept = None if rows.kept is None else rows.kept.take(order)
    return Rows(rows.ids[places], lengths, kept)


def sort_keys(seed: int, part: int, first: int, count: int) -> npt.NDArray[np.uint64]:
    """Returns the sort keys of some documents: SplitMix64 of the seed and the document's number.

    Source: Steele, Lea and Flood 2014, "Fast Splittable Pseudorandom Number Generators". Keys do not depend on a version of
    NumPy, as its own generators may.

    >>> sort_keys(0, 0, 0, 2)
    array([16294208416658607535,  7960286522194355700], dtype=uint64)
    """
    import numpy as np

    with np.errstate(over="ignore"):
        numbers = np.arange(first + 1, first + count + 1, dtype=np.uint64)
        numbers += np.uint64(part) << np.uint64(40)
        state = np.uint64(seed) + numbers * np.uint64(0x9E3779B97F4A7C15)
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return state ^ (state >> np.uint64(31))


def _packed(table: Any) -> memoryview:
    """Returns a table as an Arrow stream."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return memoryview(sink.getvalue())


def _unpacked(data: Array) -> Any:
    import pyarrow as pa

    return pa.ipc.open_stream(pa.py_buffer(data)).read_all()
