"""Columns of texts that other libraries have."""

from typing import Any, final

@final
class ArrowTexts:
    """Texts in Arrow arrays, none of them null, read where they lie.

    >>> import pyarrow as pa
    >>> from piecework._core import ArrowTexts
    >>> texts = ArrowTexts(pa.chunked_array([["a"], ["b", "c"]]))
    >>> len(texts), texts[1]
    (3, 'b')
    """

    def __new__(cls, column: Any) -> ArrowTexts:
        """Take what has ``__arrow_c_stream__`` or ``__arrow_c_array__``."""

    def __len__(self) -> int: ...
    def __getitem__(self, place: int) -> str: ...
