"""Reads Arrow columns of texts."""

from typing import Any, final

@final
class ArrowTexts:
    """Holds texts in Arrow arrays without nulls, which are read without a copy.

    >>> import pyarrow as pa
    >>> from piecework._core import ArrowTexts
    >>> texts = ArrowTexts(pa.chunked_array([["a"], ["b", "c"]]))
    >>> len(texts), texts[1]
    (3, 'b')
    """

    def __new__(cls, column: Any) -> ArrowTexts:
        """Wraps an object that has ``__arrow_c_stream__`` or ``__arrow_c_array__``."""

    def __len__(self) -> int: ...
    def invalid_utf8(self) -> list[tuple[int, int, int]]:
        """Returns the texts that are not UTF-8: the index, the first invalid byte and its value."""

    def __getitem__(self, place: int) -> str: ...
