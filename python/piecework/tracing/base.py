"""Defines what traces have in common: a sequence of steps that is written to files and shown."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

from piecework._immutable import Immutable
from piecework.html import MAX_ROWS

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from piecework.io.files import Pathish
    from piecework.tokenizer import Tokenizer

__all__ = ["Saved", "Trace"]

Step_co = TypeVar("Step_co", covariant=True)


class Saved(Immutable):
    """Serves as the base of records that are written to files."""

    __slots__ = ()

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Returns the whole record as JSON values."""

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
        from piecework.tracing.files import to_table

        return to_table(self, "to_table")

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
        from piecework.tracing.files import save

        save(self, path)


class Trace(Saved, Sequence[Step_co]):
    """Serves as the base of the records of a training, which are sequences of its steps.

    Attributes:
        tokenizer: The trained tokenizer, equal to that of :func:`piecework.train`.
        top: The largest number of candidates or pieces that are recorded for each step.
    """

    tokenizer: Tokenizer
    top: int
    _steps: Sequence[Step_co]

    def __len__(self) -> int:
        return len(self._steps)

    @overload
    def __getitem__(self, index: int, /) -> Step_co: ...
    @overload
    def __getitem__(self, index: slice, /) -> tuple[Step_co, ...]: ...
    def __getitem__(self, index: int | slice, /) -> Step_co | tuple[Step_co, ...]:
        """Returns a step by its index from 0, or a tuple of steps."""
        found = self._steps[index]
        return tuple(found) if isinstance(index, slice) else found  # type: ignore[arg-type,return-value]

    @abstractmethod
    def to_text(self, steps: slice = slice(None)) -> str:
        """Returns the trace as lines of text.

        Args:
            steps: The range of steps to describe, by their indices from 0.
        """

    def __str__(self) -> str:
        """Returns the first steps as lines of text; see :meth:`to_text` for all."""
        return self.to_text(slice(MAX_ROWS))

    def __repr__(self) -> str:
        """Returns the trainer's settings in short, and the number of steps."""
        info = self.tokenizer.training
        kind = type(self).__name__
        return f"{kind}({', '.join([self.tokenizer.model_type, *info._summary()])})"

    def _instead(self, name: str) -> str:  # noqa: ARG002  # one answer for all
        """Returns the error for an assignment."""
        return f"a {type(self).__name__} is immutable; call piecework.trace again"
