"""Text that grows with its ids."""

from collections.abc import Sequence
from typing import Any, final

@final
class DecodeStream:
    """A stream of ids that become text, or bytes; :class:`piecework.DecodeStream` is around it."""

    def step(self, ids: Sequence[int]) -> Any:
        """Give what these ids add that can change no more."""

    def finish(self) -> Any:
        """Give what is left when no more ids come; the stream then begins anew."""

    def __copy__(self) -> DecodeStream: ...
