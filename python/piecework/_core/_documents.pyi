"""Parses the documents of text and JSON lines."""

from collections.abc import Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

@final
class DocumentReader:
    r"""Reads the documents of consecutive blocks of a file.

    Args:
        members: The member of JSON lines with the text, and other members to return; None for a text file.
        whole: Whether a text file is one document, not each of its lines.
        keep_line_ends: Whether the lines of a text file include their line ends.
        stop: Whether reading ends at the first line that is no document.
        span: The byte of the file where the first block begins, whether the first line began before, and the byte from
            which on lines are not read (None for all).

    >>> from piecework._core import DocumentReader
    >>> reader = DocumentReader(members=("text", []), whole=False, keep_line_ends=False, stop=False,
    ...     span=(0, False, None))
    >>> parsed = reader.read(b'{"text": "a"}\n{"text": 1}', True)
    >>> fault = parsed.faults[0]
    >>> len(parsed.texts), fault.kind, fault.line, fault.byte, fault.reason
    (1, 'no text', 1, 23, '"text" is a number; expected a string')
    """

    def __new__(
        cls,
        *,
        members: tuple[str, Sequence[str]] | None,
        whole: bool,
        keep_line_ends: bool,
        stop: bool,
        span: tuple[int, bool, int | None],
    ) -> DocumentReader: ...
    def read(self, block: bytes, last: bool) -> ParsedDocuments:
        """Returns the documents of the lines that end in a block, or at its end if it is the last one."""

    @property
    def is_finished(self) -> bool:
        """Returns whether no further block is required."""

    @property
    def pending(self) -> int:
        """Returns the number of bytes of the unfinished line."""

@final
class ParsedDocuments:
    """Holds the documents of a block in columns, and the faults among its lines."""

    @property
    def texts(self) -> TextArray:
        """Returns the texts."""

    @property
    def positions(self) -> NDArray[np.int64]:
        """Returns the byte where the line of each document begins."""

    @property
    def lines(self) -> NDArray[np.int64]:
        """Returns the number of line ends before the line of each document, from the first byte that was read."""

    @property
    def kept(self) -> list[TextArray]:
        """Returns the other members, in the order of `keep`."""

    @property
    def faults(self) -> list[LineFault]:
        """Returns the lines that are no documents."""

@final
class LineFault:
    """Describes a line that is no document."""

    @property
    def kind(self) -> str:
        """Returns what is wrong, on which the remedy depends.

        One of ``"invalid UTF-8"``, ``"too long"``, ``"invalid JSON"``, ``"unfinished JSON"``, ``"not an object"``,
        ``"no text"``, ``"repeated member"`` and ``"lone surrogate"``.
        """

    @property
    def line(self) -> int:
        """Returns the number of line ends before it, from the first byte that was read."""

    @property
    def start(self) -> int:
        """Returns the byte of the file where it begins."""

    @property
    def byte(self) -> int:
        """Returns the byte of the file with the problem."""

    @property
    def reason(self) -> str:
        """Returns the problem with it."""

    @property
    def invalid_byte(self) -> int | None:
        """Returns the first invalid byte if it is not UTF-8."""

    @property
    def field(self) -> str | None:
        """Returns the field of the longest string of an object without text."""

@final
class TextArray:
    """Holds texts, which Arrow libraries read without a copy."""

    def __len__(self) -> int: ...
    @property
    def nbytes(self) -> int:
        """Returns the number of bytes of all texts."""

    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...
