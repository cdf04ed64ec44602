"""Decodes ids incrementally."""

from collections.abc import Iterable, Iterator
from typing import Any, Generic, Self, final

from typing_extensions import TypeVar

_Step = TypeVar("_Step")
"""The result of a step: `str`, `bytes`, or a `StreamStep`."""
_Text = TypeVar("_Text", default=_Step)
"""`str` or `bytes`."""

@final
class DecodeStream(Generic[_Step, _Text]):
    r"""Decodes token ids to text or bytes incrementally, up to a stop; created by :meth:`Tokenizer.decode_stream`.

    The results of all steps and of :meth:`finish`, concatenated, equal ``decode`` of all ids, up to the first stop. A step
    returns all text that neither a later token nor a stop can change, so it never ends within a character. Its cost does not
    depend on the tokens before it. A stream decodes one text; a copy (``copy.copy``) is independent, as beam search needs.

    >>> import piecework as pw
    >>> tok = pw.Tokenizer(
    ...     pw.models.WordLevel(["ĠðŁ", "ĺ", "Ģ", "!"], unk_token="!"), decoder=pw.decoders.ByteLevel()
    ... )
    >>> stream = tok.decode_stream()
    >>> [stream.step(id) for id in [3, 0, 1, 2]], stream.finish()
    (['!', ' ', '', '😀'], '')

    A stop string may begin in one token and end in another. Its text is held back until it is met, or cannot be any more.

    >>> stream = tok.decode_stream(stop=["! !", 1])
    >>> stream.step(3), stream.step([0, 2]), stream.stopped
    ('', '', None)
    >>> stream.step([1, 3]), stream.stopped, stream.rest
    ('! �', 1, '!')
    """

    def step(self, ids: int | Iterable[int]) -> _Step:
        """Returns the new text of one token id or several.

        After a stop was met, the text is added to `rest`, and the result is empty.

        Args:
            ids: A token id or several, such as those of a text that is resumed.

        Returns:
            The new text or bytes that is safe to show; may be empty. In a stream with details, a :class:`StreamStep`.

        Raises:
            TokenIdError: An id is not in the vocabulary; the stream is unchanged.
            RegexError: A pattern of the decoder exceeded its limit of steps; the stream is reset.
            TextTooLongError: The text of this step is longer than 1 GiB; the stream is reset.
        """

    def finish(self) -> _Step:
        """Returns the rest of the text, and ends it: the next step begins another one.

        Returns:
            What depended on a later token, or was held back for a stop. An incomplete character becomes U+FFFD, or its bytes in
            a stream of bytes.
        """

    @property
    def stopped(self) -> str | int | None:
        """Returns the stop that was met, as it was passed, or None."""

    @property
    def rest(self) -> _Text:
        """Returns the text after the stop that was met; empty before.

        After a stop that is an id, it is the text of the ids after it.
        """

    def pieces(self, ids: Iterable[int]) -> Iterator[_Step]:
        r"""Iterates over the text of token ids as they arrive, up to a stop, and over the rest at the end.

        Args:
            ids: Token ids, such as those of a generating model; none is taken after a stop.

        Returns:
            An iterator over parts of the text that are not empty; in a stream with details, over all steps.

        >>> import piecework as pw
        >>> tok = pw.Tokenizer.from_str("[UNK]\nhug\n##s\n")
        >>> list(tok.decode_stream(stop="[UNK]").pieces([1, 2, 1, 0, 2]))
        ['hug', 's', ' hug']
        """

    def __class_getitem__(cls, item: Any, /) -> Any: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: dict[int, Any], /) -> Self: ...

@final
class StreamPieces(Generic[_Step]):
    """Iterates over the text of a stream; see :meth:`DecodeStream.pieces`."""

    def __iter__(self) -> Self: ...
    def __next__(self) -> _Step: ...
