"""Defines what traces have in common: a sequence of steps that is shown, and written to files: Parquet, NDJSON and JSON."""

from __future__ import annotations

import json
import os
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar, overload

from piecework._io.extras import import_extra
from piecework._io.files import Pathish, checked, replacing, write_aside
from piecework._messages import wrong_type
from piecework._result import MAX_ROWS, Result
from piecework.errors import ConfigError

if TYPE_CHECKING:
    import pyarrow as pa

    from piecework._show.document import Block
    from piecework.tokenizer import Tokenizer

FORMATS: Final[Mapping[str, str]] = {
    ".parquet": "parquet",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".json": "json",
}
"""The formats by the endings of file names."""

Step_co = TypeVar("Step_co", covariant=True)


class Saved(Result[Any]):
    """Serves as the base of records of trainings, which are shown step by step and written to files."""

    _function: ClassVar[str]
    """The public function that makes such a record."""

    def _instead(self, name: str) -> str:  # noqa: ARG002  # one answer for all
        """Returns the error for an assignment."""
        return f"a {type(self).__name__} is immutable; call piecework.{self._function} again"

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Returns the whole record as JSON values."""

    @abstractmethod
    def _document(self, steps: slice = slice(MAX_ROWS)) -> Iterable[Block]:
        """Returns a range of steps as a document."""

    def to_text(self, steps: slice = slice(None)) -> str:
        """Returns the record as lines of text.

        Args:
            steps: The range of steps to describe, by their indices from 0; without gaps.

        Raises:
            ConfigError: The range has gaps.
        """
        from piecework._show.terminal import as_text

        return as_text(self._document(as_range(steps)))

    def __str__(self) -> str:
        """Returns the first steps as lines of text; see :meth:`to_text` for all."""
        return self.to_text(slice(MAX_ROWS))

    @abstractmethod
    def columns(self) -> list[tuple[str, str]]:
        """Returns the names of the columns of :meth:`to_rows`, with their types as Arrow names them."""

    @abstractmethod
    def to_rows(self) -> list[dict[str, Any]]:
        """Returns the steps as rows of one flat table."""

    @abstractmethod
    def to_lines(self, steps: slice = slice(None)) -> Iterator[dict[str, Any]]:
        """Iterates over the steps as JSON values, one for each line of an NDJSON file.

        Args:
            steps: The range of steps, by their indices from 0.
        """

    def to_table(self) -> pa.Table:
        """Returns :meth:`to_rows` as a ``pyarrow.Table``.

        Raises:
            MissingExtraError: pyarrow is not installed.
        """
        return _table(self, "to_table")

    def save(self, path: Pathish) -> None:
        """Writes the record to a file, whose name decides the format.

        Args:
            path: A name that ends with ``.parquet`` for the flat table, with ``.ndjson`` or ``.jsonl`` for one JSON object a
                step, or with ``.json`` for the whole record as one object.

        Raises:
            ConfigError: The name has another ending.
            MissingExtraError: Parquet requires pyarrow, which is not installed.
            FileError: The file cannot be written.
        """
        kind = FORMATS.get(os.path.splitext(checked(path))[1].lower())
        if kind is None:
            expected = f"expected a name that ends with {', '.join(FORMATS)}"
            raise ConfigError(f"{expected}; found {checked(path)}", setting="path")
        if kind == "parquet":
            save_parquet(self, path)
            return
        values = [self.to_dict()] if kind == "json" else self.to_lines()
        lines = (f"{json.dumps(value, ensure_ascii=False)}\n" for value in values)
        write_aside(path, "".join(lines).encode())


def save_parquet(record: Saved, path: Pathish) -> None:
    """Writes the flat table of a record as Parquet.

    Raises:
        MissingExtraError: pyarrow is not installed.
        FileError: The file cannot be written.
    """
    name = checked(path)
    table = _table(record, name)
    parquet = import_extra("pyarrow.parquet", "parquet", name)
    with replacing(path) as temporary:
        parquet.write_table(table, temporary, compression="zstd")


def as_range(steps: slice) -> slice:
    """Returns an argument that is a slice, or raises a TypeError that names it."""
    if not isinstance(steps, slice):
        raise wrong_type("steps", "a slice", steps)
    return steps


def _table(record: Saved, place: str) -> pa.Table:
    """Returns the rows of a record as a ``pyarrow.Table``; `place` is named in the error for a missing package."""
    arrow = import_extra("pyarrow", "parquet", place)
    schema = arrow.schema([(name, arrow.type_for_alias(kind)) for name, kind in record.columns()])
    return arrow.Table.from_pylist(record.to_rows(), schema=schema)


class Trace(Saved, Sequence[Step_co]):
    """Serves as the base of the records of a training, which are sequences of its steps.

    Attributes:
        tokenizer: The trained tokenizer, equal to that of :func:`piecework.train`.
        top: The largest number of candidates or pieces that are recorded for each step.
    """

    tokenizer: Tokenizer
    top: int
    _steps: Sequence[Step_co]
    _function = "trace"

    @overload
    def __getitem__(self, index: int, /) -> Step_co: ...
    @overload
    def __getitem__(self, index: slice, /) -> tuple[Step_co, ...]: ...
    def __getitem__(self, index: int | slice, /) -> Step_co | tuple[Step_co, ...]:
        """Returns a step by its index from 0, or a tuple of steps."""
        found = self._steps[index]
        return tuple(found) if isinstance(index, slice) else found  # type: ignore[arg-type,return-value]

    def _training(self) -> dict[str, Any]:
        """Returns what was trained, as JSON values."""
        info = self.tokenizer.training
        return {
            "model": self.tokenizer.model_type,
            "trainer": info.trainer,
            "counts_sha256": info.counts_sha256,
            "top": self.top,
        }

    @property
    def _rows(self) -> Sequence[Step_co]:
        return self._steps

    def _summary(self) -> str:
        return f"{self.tokenizer.model_type}, {self.tokenizer.training._summary()}"

    def __eq__(self, other: object) -> bool:
        """Returns whether both record the same training of equal tokenizers."""
        if type(other) is not type(self):
            return NotImplemented
        return self.tokenizer == other.tokenizer and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]  # equal by content, and that can be large
