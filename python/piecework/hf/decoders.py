"""Defines decoders, which convert tokens to text.

>>> from piecework.hf import decoders
>>> decoders.WordPiece().decode(["hug", "##s"])
'hugs'
"""

from __future__ import annotations

from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any

from piecework._messages import shown as _shown
from piecework.hf import _arguments, _calls, _patterns, _state
from piecework.hf._arguments import character as _character, flag as _flag, string as _string
from piecework.hf._declared import setting as _setting
from piecework.hf._patterns import prepend_scheme as _scheme

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence as Sequence2

    from piecework._core import DecodeStream as CoreStream
    from piecework.hf._tokenizer import Tokenizer

__all__ = [
    "CTC",
    "BPEDecoder",
    "ByteFallback",
    "ByteLevel",
    "DecodeStream",
    "Decoder",
    "Fuse",
    "Metaspace",
    "Replace",
    "Sequence",
    "Strip",
    "WordPiece",
]


class Decoder(_state.Component):
    """Serves as the base of all decoders."""

    _kind = "Decoder"

    @staticmethod
    def custom(decoder: Any) -> Decoder:
        """Returns a decoder that calls ``decoder.decode_chain`` with a list of tokens, which returns another list.

        If the object has only ``decode``, which returns the text, that is called.

        >>> from piecework.hf.decoders import Decoder
        >>> class Plus:
        ...     def decode_chain(self, tokens):
        ...         return ["+".join(tokens)]
        >>> Decoder.custom(Plus()).decode(["a", "b"])
        'a+b'
        """
        return Decoder._of_custom(decoder)

    def decode(self, tokens: Sequence2[str]) -> str:
        """Returns the text of tokens.

        >>> from piecework.hf.decoders import Metaspace
        >>> Metaspace().decode(["▁to", "▁be"])
        'to be'
        """
        if isinstance(tokens, str):
            raise TypeError("expected a list of tokens, found 'str'")
        texts = [_string(token) for token in tokens]
        if _calls.has_custom(self):
            return "".join(self._chain(texts))
        from piecework._core import decode_tokens

        return decode_tokens(_state.dumps(self._write()), texts)

    def _chain(self, tokens: list[str]) -> list[str]:
        """Returns what the decoder makes of tokens, as parts of a text."""
        if self._custom is None:
            return [self.decode(tokens)]
        if hasattr(self._custom, "decode_chain"):
            return [
                _string(token) for token in _state.call_custom(self._custom, "decode_chain", tokens)
            ]
        return [_string(self._custom.decode(tokens))]


class ByteLevel(Decoder):
    """Decodes characters that represent bytes.

    Args:
        **_kwargs: Ignored, such as the settings of a pre-tokenizer.

    >>> from piecework.hf.decoders import ByteLevel
    >>> ByteLevel().decode(["Ġna", "Ã¯ve"])
    ' naïve'
    """

    def __init__(self, **_kwargs: Any) -> None:
        """Creates the decoder."""
        self._set(self._defaults())

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        return {"add_prefix_space": True, "trim_offsets": True, "use_regex": True}


class WordPiece(Decoder):
    """Joins words by spaces, and tokens with the prefix to the token before them.

    Args:
        prefix: The prefix of tokens that continue a word.
        cleanup: Whether spaces before punctuation are removed.

    >>> from piecework.hf.decoders import WordPiece
    >>> WordPiece("@").decode(["hug", "@s"])
    'hugs'
    """

    prefix: str = _setting(_string, default="##")
    cleanup: bool = _setting(_flag, default=True)


class Metaspace(Decoder):
    """Replaces the character that represents a space.

    Args:
        replacement: The character.
        prepend_scheme: Whether the encoder prepended it: ``"always"``, ``"never"`` or ``"first"``.
        split: Whether the encoder split before it.

    >>> from piecework.hf.decoders import Metaspace
    >>> Metaspace().decode(["▁to", "▁be"])
    'to be'
    """

    replacement: str = _setting(_character, default="▁")
    prepend_scheme: str = _setting(_scheme, default="always")
    split: bool = _setting(_flag, default=True)


class BPEDecoder(Decoder):
    """Replaces the suffix of tokens that end a word by a space.

    Args:
        suffix: The suffix.

    >>> from piecework.hf.decoders import BPEDecoder
    >>> BPEDecoder().decode(["to</w>", "be</w>"])
    'to be'
    """

    suffix: str = _setting(_string, default="</w>")


class CTC(Decoder):
    """Decodes the output of connectionist temporal classification: repeated tokens are one.

    Args:
        pad_token: The token between equal tokens, which is removed.
        word_delimiter_token: The token that becomes a space.
        cleanup: Whether spaces before punctuation are removed.

    >>> from piecework.hf.decoders import CTC
    >>> CTC().decode(["h", "h", "<pad>", "i"])
    'hi'
    """

    pad_token: str = _setting(_string, default="<pad>")
    word_delimiter_token: str = _setting(_string, default="|")
    cleanup: bool = _setting(_flag, default=True)


class ByteFallback(Decoder):
    """Decodes tokens such as ``<0x61>`` to bytes.

    >>> from piecework.hf.decoders import ByteFallback
    >>> ByteFallback().decode(["<0xC3>", "<0xA9>"])
    'é'
    """


class Fuse(Decoder):
    """Joins all tokens to one.

    >>> from piecework.hf.decoders import Fuse
    >>> Fuse().decode(["to", "be"])
    'tobe'
    """


class Strip(Decoder):
    """Removes a character at the ends of tokens.

    Args:
        content: The character.
        left: The largest number to remove at the start.
        right: The largest number to remove at the end.

    >>> from piecework.hf.decoders import Strip
    >>> Strip("_", left=1).decode(["_a", "_b"])
    'ab'
    """

    content: str = _setting(_character, default=" ")
    start: int = _setting(_arguments.unsigned, default=0, alias="left")
    stop: int = _setting(_arguments.unsigned, default=0, alias="right")


class Replace(Decoder):
    """Replaces the matches of a pattern in tokens.

    Args:
        pattern: A string, or a :class:`piecework.hf.Regex`.
        content: The replacement.

    >>> from piecework.hf.decoders import Replace
    >>> Replace("_", " ").decode(["a", "_b"])
    'a b'
    """

    def __init__(self, pattern: str | _patterns.Regex, content: str) -> None:
        """Checks the settings."""
        self._set({"pattern": _patterns.pattern_state(pattern), "content": _string(content)})


class _OwnDecoder(Decoder, _state.OwnComponent):
    """Holds a decoder that only piecework has, such as `SentencePiece`."""


class Sequence(Decoder, _state.Parts):
    """Applies several decoders in order.

    Args:
        decoders_py: The decoders; a change of one of them takes effect here, too.

    >>> from piecework.hf.decoders import Sequence
    >>> Sequence([]).decode(["a", "b"])
    'ab'
    """

    _member = "decoders"
    _base = Decoder

    def __init__(self, decoders_py: list[Decoder]) -> None:
        """Checks the decoders."""
        self._hold(decoders_py)

    def _chain(self, tokens: list[str]) -> list[str]:
        for part in self._parts():
            tokens = part._chain(tokens)
        return tokens


class DecodeStream:
    r"""Decodes token ids incrementally, such as those of a generating model.

    A step returns the text that no later id can change. So the texts of all steps, concatenated, are the text of all ids,
    except what is still open at the end, which :meth:`finish` returns.

    Args:
        ids: Token ids before the first step, such as those of a prompt. Steps return the text after theirs, or all text if
            theirs ends within a character.
        skip_special_tokens: Whether special tokens are omitted.

    >>> from piecework.hf import Tokenizer, decoders, models
    >>> tok = Tokenizer(models.WordLevel({"hug": 0, "##s": 1}, unk_token="hug"))
    >>> tok.decoder = decoders.WordPiece()
    >>> stream = decoders.DecodeStream()
    >>> stream.step(tok, 0), stream.step(tok, 1)
    ('hug', 's')
    """

    __slots__ = ("_ids", "_pending", "_skip", "_source", "_stream", "_texts")
    _ids: list[int]
    """All ids."""
    _texts: list[str] | None
    """The text of the given ids, and what was returned after it; None before the first step."""
    _pending: str
    """The end of that text, as far as the stream of the tokenizer has not returned it."""
    _stream: CoreStream[str] | _CustomStream | None
    """The stream of the tokenizer of the last step."""
    _source: object
    """The object that the stream was made from; another one after a change of the tokenizer."""

    def __init__(
        self, ids: Sequence2[int] | None = None, skip_special_tokens: bool | None = False
    ) -> None:
        """Takes the ids before the first step."""
        self._start([_id(number) for number in ids or ()], bool(skip_special_tokens))

    def _start(self, ids: list[int], skip: bool) -> None:
        self._ids, self._skip, self._texts = ids, skip, None
        self._pending, self._stream, self._source = "", None, None

    def step(self, tokenizer: Tokenizer, id: int | list[int]) -> str | None:  # noqa: A002  # as tokenizers
        """Returns the text that one or several ids add; None if it depends on later ids.

        Args:
            tokenizer: The tokenizer of the ids.
            id: An id, or a list of ids.

        Returns:
            The new text, or None.

        >>> from piecework.hf import Tokenizer, decoders, models
        >>> tok = Tokenizer(models.WordLevel({"Ã": 0, "©": 1}, "Ã"))
        >>> tok.decoder = decoders.ByteLevel()
        >>> stream = decoders.DecodeStream()
        >>> stream.step(tok, 0), stream.step(tok, 1)
        (None, 'é')
        """
        from piecework.hf._tokenizer import Tokenizer

        if not isinstance(tokenizer, Tokenizer):
            raise TypeError(
                f"{type(tokenizer).__name__!r} object is not an instance of 'Tokenizer'"
            )
        try:
            ids = [_id(number) for number in (id if isinstance(id, list) else [id])]
        except OverflowError as error:
            raise TypeError(f"expected an id or a list of ids: {error}") from None
        try:
            stream, texts, before = self._following(tokenizer)
            new = before + self._unseen(_decoded(stream, tokenizer, ids))
        except Exception:
            self._source = None  # the next step decodes all ids before this one again
            raise
        self._ids += ids
        texts.append(new)
        return new or None

    def finish(self) -> str:
        """Returns the rest of the text, which may be empty, and forgets all ids; `tokenizers` has no such method.

        >>> from piecework.hf import Tokenizer, decoders, models
        >>> tok = Tokenizer(models.WordLevel({"<0xC3>": 0, "<0xA9>": 1}, "<0xC3>"))
        >>> tok.decoder = decoders.ByteFallback()
        >>> stream = decoders.DecodeStream()
        >>> stream.step(tok, [0, 1]), stream.finish()
        (None, 'é')
        """
        rest = "" if self._stream is None else self._unseen(self._stream.finish())
        self._start([], self._skip)
        return rest

    def _following(
        self, tokenizer: Tokenizer
    ) -> tuple[CoreStream[str] | _CustomStream, list[str], str]:
        """Returns the stream of a tokenizer, the list of texts, and what a new stream adds to them for the ids so far."""
        core, is_custom = tokenizer._ready(), _calls.has_custom(tokenizer._parts["decoder"])
        source: object = tokenizer._applied if is_custom else core
        if self._stream is not None and self._texts is not None and source is self._source:
            return self._stream, self._texts, ""
        if self._texts is None:
            # As in `tokenizers`: the given ids are context, unless their text ends in an incomplete character.
            text = tokenizer.decode(self._ids, self._skip) if self._ids else ""
            self._texts = ["" if text.endswith(_INCOMPLETE) else text]
        self._stream = (
            _CustomStream(partial(tokenizer.decode, skip_special_tokens=self._skip))
            if is_custom
            else core.decode_stream(self._skip, "text", added_as_entries=True)
        )
        self._source, self._pending = source, "".join(self._texts)
        before = self._unseen(_decoded(self._stream, tokenizer, self._ids)) if self._ids else ""
        return self._stream, self._texts, before

    def _unseen(self, new: str) -> str:
        """Returns what a part of the stream adds to the text that is known already."""
        if not self._pending:
            return new
        known = _common_length(self._pending, new)
        # After a difference, which another tokenizer or incomplete given ids can cause, nothing else is known.
        self._pending = self._pending[known:] if known == len(new) else ""
        return new[known:]

    def __copy__(self) -> DecodeStream:
        """Returns a stream in the same state."""
        copied = DecodeStream((), self._skip)
        copied.__setstate__(self.__getstate__())
        copied._pending, copied._source = self._pending, self._source
        copied._stream = copy(self._stream)
        return copied

    def __deepcopy__(self, _memo: dict[int, Any]) -> DecodeStream:
        """Returns a stream in the same state."""
        return self.__copy__()

    def __getstate__(self) -> tuple[list[int], bool, list[str] | None]:
        """Returns the state without the stream of the tokenizer, which the next step makes again."""
        texts = None if self._texts is None else ["".join(self._texts)]
        return list(self._ids), self._skip, texts

    def __setstate__(self, state: tuple[list[int], bool, list[str] | None]) -> None:
        """Takes the state of another stream."""
        match state:
            case ([*ids], bool(skip), [str()] | None as texts):
                self._start([_id(number) for number in ids], skip)
                self._texts = texts
            case _:
                raise ValueError(f"expected the state of a DecodeStream, found {_shown(state)}")


class _CustomStream:
    """Decodes ids with a decoder that calls a Python object, whose text later ids may change in any way.

    As in `tokenizers`, text is returned if it does not end in an incomplete character, and only the last ids are decoded
    again.
    """

    __slots__ = ("_decode", "_ids", "_prefix", "_read")

    def __init__(self, decode: Callable[[list[int]], str]) -> None:
        self._decode = decode
        self._ids = list[int]()
        self._prefix, self._read = "", 0
        """The text of the first ids, which was returned, and their number."""

    def step(self, ids: Sequence2[int]) -> str:
        self._ids = [*self._ids, *ids]  # another list, since a copy of the stream has the same
        text = self._decode(self._ids)
        is_open = text.endswith(_INCOMPLETE) or len(text) <= len(self._prefix)
        if is_open and len(self._ids) - self._read < _MOST_OPEN:
            return ""
        return self._taken(text)

    def finish(self) -> str:
        return self._taken(self._decode(self._ids))

    def _taken(self, text: str) -> str:
        """Returns the end of the text that is new, and keeps its ids as the context of the next ones."""
        new = text[_common_length(self._prefix, text) :]
        self._ids = self._ids[self._read :]
        self._prefix, self._read = self._decode(self._ids), len(self._ids)
        return new


_INCOMPLETE = "\ufffd"
"""The last character of text that may end within a character."""
_MOST_OPEN = 16
"""The number of ids after which text is returned even if it ends in an incomplete character; its bytes are fewer."""


def _decoded(
    stream: CoreStream[str] | _CustomStream, tokenizer: Tokenizer, ids: Sequence2[int]
) -> str:
    """Returns the new text of a stream; as in :meth:`Tokenizer.decode`, unknown ids are omitted."""
    core = tokenizer._ready()
    text: str = stream.step([number for number in ids if core.id_to_token(number) is not None])
    return text


def _common_length(one: str, other: str) -> int:
    """Returns the length of the longest common prefix."""
    differences = (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(differences, min(len(one), len(other)))


def _id(number: Any) -> int:
    return _arguments.unsigned(number, 1 << 32)
