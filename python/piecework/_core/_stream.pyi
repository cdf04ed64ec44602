"""Decodes ids incrementally."""

from collections.abc import Sequence
from typing import Any, final

@final
class DecodeStream:
    """Decodes ids to text or bytes incrementally; :class:`piecework.DecodeStream` wraps it."""

    def step(self, ids: Sequence[int]) -> Any:
        """Returns the new text that no later id can change."""

    def finish(self) -> Any:
        """Returns the rest of the text and resets the stream."""

    def __copy__(self) -> DecodeStream: ...
