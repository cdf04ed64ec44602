"""Decodes token ids incrementally."""

from __future__ import annotations

import copy
import operator
from typing import TYPE_CHECKING, Any, AnyStr, Generic

from piecework._settings.arguments import as_ids, check_iterable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from piecework._core import DecodeStream as CoreStream


class DecodeStream(Generic[AnyStr]):
    """Decodes token ids to text or bytes incrementally; created by :meth:`Tokenizer.decode_stream`.

    The results of all steps and of :meth:`finish`, concatenated, equal ``decode`` of all ids. A step returns all text that
    no later token can change, so it never ends within a character. Its cost does not depend on the tokens before it.
    A stream decodes one text; a copy (``copy.copy``) is independent, as beam search needs.

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
        """Wraps a stream of the core."""
        self._core = core

    def step(self, ids: int | Iterable[int]) -> AnyStr:
        """Returns the new text of one token id or several.

        Args:
            ids: A token id or several, such as the ids of a prompt.

        Returns:
            The new text or bytes that no later token can change; may be empty.

        Raises:
            TokenIdError: An id is not in the vocabulary; the stream is unchanged.
            RegexError: A pattern of the decoder exceeded its limit of steps; the stream is reset.
            TextTooLongError: The text of this step is longer than 1 GiB; the stream is reset.
        """
        try:
            id_list = [operator.index(ids)]  # type: ignore[arg-type]  # an iterable raises
        except TypeError:
            id_list = as_ids(ids)  # type: ignore[arg-type]
        new: AnyStr = self._core.step(id_list)
        return new

    def finish(self) -> AnyStr:
        """Returns the rest of the text and resets the stream.

        Returns:
            The text that depended on a later token. An incomplete character becomes U+FFFD, or its bytes in a stream of
            bytes.
        """
        rest: AnyStr = self._core.finish()
        return rest

    def pieces(self, ids: Iterable[int]) -> Iterator[AnyStr]:
        r"""Iterates over the text of token ids as they arrive, and over the rest at the end.

        Args:
            ids: Token ids, such as those of a generating model.

        Yields:
            Non-empty parts of the text.

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
        """Returns an independent stream with the same state."""
        return DecodeStream(copy.copy(self._core))

    def __deepcopy__(self, memo: dict[int, Any]) -> DecodeStream[AnyStr]:
        """Returns an independent stream with the same state."""
        return copy.copy(self)
