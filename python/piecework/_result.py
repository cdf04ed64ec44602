r"""Defines what results have in common.

>>> import piecework as pw
>>> report = pw.lint(pw.Tokenizer.from_str("[UNK]\nhug\n"), select=["missing-byte"])
>>> report
LintReport(no findings)
>>> print(report.to_markdown())
no findings
<BLANKLINE>
>>> len(report), report.to_dict()["findings"]
(0, [])
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Generic, TypeVar

from piecework._settings.immutable import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from piecework._show.document import Block


MAX_ROWS = 50
"""The number of rows of a table that a result shows."""
_MAX_SUMMARY = 200
"""The number of characters of a summary."""


Row_co = TypeVar("Row_co", covariant=True)
"""The type of the main parts of a result."""


class Result(Record, Generic[Row_co]):
    """Serves as the base of what calls return: in one line, as text, as HTML, as JSON values, and as a sequence of rows.

    Results are equal by their values. Subclasses write neither text nor HTML: they summarize themselves, and build a
    document of what they contain.
    """

    __slots__ = ()

    @abstractmethod
    def _summary(self) -> str:
        """Returns the result in a line."""

    @abstractmethod
    def _document(self) -> Iterable[Block]:
        """Returns the result as a document."""

    @property
    @abstractmethod
    def _rows(self) -> Sequence[Row_co]:
        """Returns the main parts of the result."""

    def __repr__(self) -> str:
        """Returns the kind and the summary on a line."""
        from piecework._display import abridged

        # Cut twice, because escapes make a text longer.
        shown = abridged(abridged(self._summary(), _MAX_SUMMARY), _MAX_SUMMARY)
        return f"{type(self).__name__}({shown})"

    def __str__(self) -> str:
        """Returns the result as text."""
        from piecework._show.terminal import as_text

        return as_text(self._document())

    def _repr_html_(self) -> str:
        """Returns the result as HTML without scripts, for notebooks."""
        from piecework._show.html import as_html

        return as_html(self._document())

    def to_markdown(self) -> str:
        """Returns the result as Markdown, for comments and reports."""
        from piecework._show.markdown import as_markdown

        return as_markdown(self._document()) + "\n"

    def __len__(self) -> int:
        """Returns the number of the main parts."""
        return len(self._rows)

    def __iter__(self) -> Iterator[Row_co]:
        """Iterates over the main parts."""
        return iter(self._rows)

    def __eq__(self, other: object) -> bool:
        """Returns whether both are results of one kind with equal values."""
        return self.to_dict() == other.to_dict() if type(other) is type(self) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # equal by content, and that can be large
