"""Text that grows with its tokens, as a model gives them."""

from __future__ import annotations

import copy
import operator
from typing import TYPE_CHECKING, Any, AnyStr, Generic

from piecework.arguments import as_ids, check_iterable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from piecework._core import DecodeStream as CoreStream

__all__ = ["DecodeStream"]


class DecodeStream(Generic[AnyStr]):
    """Text, or bytes, that grows with its token ids; made by :meth:`Tokenizer.decode_stream`.

    What the steps give and what :meth:`finish` gives, put together, is what ``decode`` gives for all ids at once. A step gives
    all that no later token can change, so it never ends within a character. It costs no more for all the tokens before it.
    A stream belongs to one text; its copy (``copy.copy``) goes on by itself, as in a search with several beams.

    >>> import piecework as pw
    >>> tok = pw.Tokenizer(
    ...     pw.models.WordLevel(["ĠðŁ", "ĺ", "Ģ", "!"], unk_token="!"), decoder=pw.decoders.ByteLevel()
    ... )
    >>> stream = tok.decode_stream()
    >>> [stream.step(id) for id in [3, 0, 1, 2]], stream.finish()
    (['!', ' ', '', '😀'], '')
    """

    __slots__ = ("_core",)

    def __init__(self, core: CoreStream) -> None:
        """Hold a stream of the core."""
        self._core = core

    def step(self, ids: int | Iterable[int]) -> AnyStr:
        """Give what one token or several add.

        Args:
            ids: A token id, or several; the ids of a prompt, whose text nobody needs again, at once.

        Returns:
            The text, or bytes, that is new and that no later token can change; empty if there is none yet.

        Raises:
            TokenIdError: An id that is not in the vocabulary; the stream stays as it was.
            RegexError: A pattern of the decoder gave up; the stream begins anew.
            TextTooLongError: The text of this step is longer than 1 GiB; the stream begins anew.
        """
        try:
            some = [operator.index(ids)]  # type: ignore[arg-type]  # what is none raises
        except TypeError:
            some = as_ids(ids)  # type: ignore[arg-type]
        new: AnyStr = self._core.step(some)
        return new

    def finish(self) -> AnyStr:
        """Give what is left when no more tokens come; the stream is then as new.

        Returns:
            The text that waited for another token; U+FFFD for a character that lacks bytes, in a stream of bytes what
            there is of it.
        """
        rest: AnyStr = self._core.finish()
        return rest

    def pieces(self, ids: Iterable[int]) -> Iterator[AnyStr]:
        r"""Iterate over the text as the tokens come: each step that gives something, and what is left at the end.

        Args:
            ids: Token ids, such as a model generates.

        Yields:
            Pieces of the text, none of them empty.

        >>> import piecework as pw
        >>> tok = pw.Tokenizer.from_str("[UNK]\nhug\n##s\n")
        >>> list(tok.decode_stream().pieces([1, 2, 1]))
        ['hug', 's', ' hug']
        """
        for number in check_iterable("ids", ids, "token ids"):
            if piece := self.step(number):
                yield piece
        if piece := self.finish():
            yield piece

    def __copy__(self) -> DecodeStream[AnyStr]:
        """Give a stream that goes on from here by itself."""
        return DecodeStream(copy.copy(self._core))

    def __deepcopy__(self, memo: dict[int, Any]) -> DecodeStream[AnyStr]:
        """Give a stream that goes on from here by itself."""
        return copy.copy(self)
