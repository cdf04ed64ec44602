"""Defines the options, ranges and batches of reading documents."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from piecework._exceptions import from_surrogate
from piecework._messages import shown, wrong_type
from piecework.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    class ArrowArray(Protocol):
        """Shares an array through the Arrow PyCapsule interface."""

        def __arrow_c_array__(
            self, requested_schema: object = None, /
        ) -> tuple[object, object]: ...
        def __len__(self) -> int: ...


DEFAULT_FIELD = "text"
"""The member or column with the text, unless another one is chosen."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    r"""Holds the options of reading documents.

    Args:
        field: The member of JSON lines, or the column of Parquet, with the text; ``"text"`` by default. A point leads to
            a member of a member, ``"\."`` is a point in a name.
        keep: Other members or columns to return.
        per: Whether each ``"line"`` of a text file is a document, or the whole ``"file"``.
        encoding: The character encoding of text and JSON lines; ``"auto"`` to detect that of each file, None for UTF-8.
        errors: ``"strict"`` makes invalid bytes an error, ``"replace"`` replaces them by U+FFFD.
        on_error: ``"raise"`` raises for a line or row that is no document, ``"skip"`` skips and lists it.
        keep_line_ends: Whether the lines of text files include their line ends.

    Raises:
        ConfigError: An option has an unknown value.

    >>> ReadOptions(field="content", keep=("id",), on_error="skip").on_error
    'skip'
    """

    field: str | None = None
    keep: Sequence[str] = ()
    per: str = "line"
    encoding: str | None = None
    errors: str = "strict"
    on_error: str = "raise"
    keep_line_ends: bool = False

    def __post_init__(self) -> None:
        """Checks the options."""
        check_name("field", self.field)
        _check_choice("per", self.per, ("line", "file"))
        _check_choice("on_error", self.on_error, ("raise", "skip"))
        if isinstance(self.keep, str):
            raise ConfigError("expected names in a tuple, found one str", setting="keep")
        for name in self.keep:
            check_name("keep", name)
        object.__setattr__(self, "keep", tuple(self.keep))

    @property
    def is_decoded(self) -> bool:
        """Returns whether Python decodes the bytes of text and JSON lines."""
        return self.encoding is not None or self.errors != "strict"

    def to_json(self) -> dict[str, Any]:
        """Returns the options as JSON values, for plans and manifests."""
        return asdict(self) | {"keep": list(self.keep)}


def check_name(setting: str, name: object) -> None:
    """Raises an error for a name of a member or column that is no ``str``, or empty."""
    if name is not None and not isinstance(name, str):
        raise wrong_type(setting, "a str or None", name)
    if name == "":
        raise ConfigError("expected the name of a member or column, found ''", setting=setting)
    try:
        (name or "").encode()
    except UnicodeEncodeError as error:
        raise from_surrogate(error, setting=setting) from None


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if not isinstance(value, str):
        raise wrong_type(name, "a str", value)
    if value not in choices:
        expected = " or ".join(map(repr, choices))
        raise ConfigError(f"expected {expected}, found {shown(value)}", setting=name)


@dataclass(frozen=True, slots=True)
class Range:
    """Describes a part of a source: bytes of text and JSON lines, row groups of Parquet.

    A line belongs to the range where it begins.

    Attributes:
        start: The first byte or row group.
        end: One past the last byte or row group; None for the end of the source.
    """

    start: int = 0
    end: int | None = None


WHOLE = Range()


@dataclass(frozen=True, slots=True)
class Skipped:
    """Describes a line that is no document.

    Attributes:
        name: The file.
        line: The line, from 1.
        byte: The byte of the file with the problem, from 0; None in another encoding than UTF-8.
        reason: What is wrong.
    """

    _UNIT: ClassVar[str] = "line"

    name: str
    line: int
    byte: int | None
    reason: str

    def __str__(self) -> str:
        """Returns the place and the reason."""
        return f"{self.name}: {self._UNIT} {self.line}: {self.reason}"


class SkippedRow(Skipped):
    """Describes a row of a table that is no document.

    Attributes:
        name: The file.
        line: The row, from 1.
        byte: The byte of the text with the problem, from 0; None for a null.
        reason: What is wrong.
    """

    __slots__ = ()
    _UNIT: ClassVar[str] = "row"


@dataclass(frozen=True, slots=True, eq=False)
class Documents:
    """Holds a batch of documents in columns.

    Attributes:
        texts: The texts, a column of strings for :meth:`Tokenizer.encode_batch`, pyarrow or polars.
        kept: The other columns by name. JSON values that are not strings are their JSON text; null and missing members
            are null.
        skipped: The lines or rows that are no documents.
        skipped_positions: For each of them the position that it would have as a document.
        bytes_read: The number of bytes of the source that were read so far, as stored.
        text_bytes: The number of bytes of all texts.
        get_positions: Returns :attr:`positions`.
        get_lines: Returns :attr:`lines`; None for a table.
    """

    texts: ArrowArray
    kept: Mapping[str, ArrowArray]
    skipped: list[Skipped]
    skipped_positions: Sequence[int]
    bytes_read: int
    text_bytes: int
    # Functions, since reading alone does not import NumPy, which takes as long as the start of the program.
    get_positions: Callable[[], NDArray[np.int64]]
    get_lines: Callable[[], NDArray[np.int64]] | None = None

    @property
    def positions(self) -> NDArray[np.int64]:
        """Returns for each document the byte where its line begins, or in a table its row number, from 0."""
        return self.get_positions()

    @property
    def lines(self) -> NDArray[np.int64] | None:
        """Returns for each document the number of lines before it, from the first byte of the range; None for a table."""
        return None if self.get_lines is None else self.get_lines()

    def __len__(self) -> int:
        """Returns the number of documents."""
        return len(self.texts)
