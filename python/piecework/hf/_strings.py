"""Defines texts during normalization and pre-tokenization, for components written in Python.

Both keep for each character of the current text the characters of the original that it represents.
"""

from __future__ import annotations

import operator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self

from piecework._messages import shown
from piecework.hf._arguments import flag, instance, listed, number32, stages, string
from piecework.hf._patterns import Regex, behavior as behavior_state, pattern_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from piecework.hf._encoding import Encoding

_Span = tuple[int, int]
_Range = int | tuple[int, int] | slice


class Token:
    """Holds a token of a model: its id, its text and its offsets in bytes of the normalized word.

    Args:
        id: The id.
        value: The text.
        offsets: The start and end.

    >>> from piecework.hf import Token
    >>> Token(3, "hug", (0, 3)).as_tuple()
    (3, 'hug', (0, 3))
    """

    __slots__ = ("_id", "_offsets", "_value")

    def __init__(self, id: int, value: str, offsets: tuple[int, int]) -> None:  # noqa: A002  # as tokenizers
        """Checks the values."""
        self._id, self._value = number32(id), string(value)
        start, end = offsets
        self._offsets = number32(start), number32(end)

    @property
    def id(self) -> int:
        """Returns the id."""
        return self._id

    @property
    def value(self) -> str:
        """Returns the text."""
        return self._value

    @property
    def offsets(self) -> tuple[int, int]:
        """Returns the start and end in bytes of the normalized word."""
        return self._offsets

    def as_tuple(self) -> tuple[int, str, tuple[int, int]]:
        """Returns id, text and offsets.

        >>> from piecework.hf import Token
        >>> Token(7, "hug", (0, 3)).as_tuple()
        (7, 'hug', (0, 3))
        """
        return self._id, self._value, self._offsets


class _CallbackText:
    """Serves as the base of texts that a function of the caller changes, and cannot use when it has returned."""

    __slots__ = ()
    _callback: ClassVar[str]
    """The method of the caller that gets such a text."""

    @contextmanager
    def _in_callback(self) -> Iterator[Self]:
        """Returns a copy for a function of the caller: its changes are taken over, and it becomes unusable."""
        passed = self._copy()
        try:
            yield passed
        finally:
            for name in self._fields():
                setattr(self, name, getattr(passed, name))
                delattr(passed, name)

    def _copy(self) -> Self:
        """Returns a copy that can be changed independently."""
        copied = type(self).__new__(type(self))
        for name in self._fields():
            setattr(copied, name, getattr(self, name))
        return copied

    @classmethod
    def _fields(cls) -> Iterator[str]:
        return (name for kind in cls.__mro__ for name in kind.__dict__.get("__slots__", ()))

    def __getattr__(self, name: str) -> NoReturn:
        """Raises an exception if the text was passed to a function and is used afterwards, and AttributeError otherwise."""
        kind = type(self).__name__
        if name in self._fields():
            message = f"Cannot use a {kind}RefMut outside `{self._callback}`"
            raise Exception(message)  # as tokenizers
        raise AttributeError(f"{kind!r} object has no attribute {name!r}")


class NormalizedString(_CallbackText):
    """Holds a text and its normalized form, with their alignment.

    Args:
        sequence: The text.

    >>> from piecework.hf import NormalizedString
    >>> text = NormalizedString("Élan vital")
    >>> text.nfd()
    >>> text.lowercase()
    >>> text.filter(lambda c: c.isascii())
    >>> text.normalized, text[0:4]
    ('elan vital', NormalizedString(original="Élan", normalized="elan"))
    """

    __slots__ = ("_original", "_origins", "_start", "_text")
    _callback = "normalize"
    _original: str
    """The part of the original that the text was made from."""
    _start: int
    """Its position in the whole original, in characters."""
    _text: str
    _origins: list[_Span]
    """For each character of the text the characters of `_original` that it represents."""

    def __init__(self, sequence: str) -> None:
        """Begins with the text itself as its normalized form."""
        self._original = self._text = string(sequence)
        self._start = 0
        self._origins = [(place, place + 1) for place in range(len(sequence))]

    @property
    def normalized(self) -> str:
        """Returns the normalized text."""
        return self._text

    @property
    def original(self) -> str:
        """Returns the original text."""
        return self._original

    def _apply(self, normalizer: dict[str, Any]) -> None:
        """Applies a normalizer of the core."""
        text, spans = stages(normalizer=normalizer).normalize_aligned(self._text)
        self._origins = [self._origin(span) for span in spans]
        self._text = text

    def _origin(self, span: _Span) -> _Span:
        """Returns the original characters of a range of the text."""
        start, end = span
        if start < end:
            return self._origins[start][0], self._origins[end - 1][1]
        at = self._origins[start - 1][1] if start else 0
        return at, at

    def _part(self, start: int, end: int) -> NormalizedString:
        """Returns a range of the text."""
        first, last = self._origin((start, end))
        part = NormalizedString(self._original[first:last])
        part._start = self._start + first
        part._text = self._text[start:end]
        part._origins = [(a - first, b - first) for a, b in self._origins[start:end]]
        return part

    def nfd(self) -> None:
        """Normalizes to Unicode's canonical decomposition."""
        self._apply({"type": "NFD"})

    def nfkd(self) -> None:
        """Normalizes to Unicode's compatibility decomposition."""
        self._apply({"type": "NFKD"})

    def nfc(self) -> None:
        """Normalizes to Unicode's canonical composition."""
        self._apply({"type": "NFC"})

    def nfkc(self) -> None:
        """Normalizes to Unicode's compatibility composition."""
        self._apply({"type": "NFKC"})

    def lowercase(self) -> None:
        """Lowercases the text."""
        self._apply({"type": "Lowercase"})

    def uppercase(self) -> None:
        """Uppercases the text."""
        self._replace_characters(str.upper)

    def strip(self) -> None:
        """Removes white space at both ends."""
        self._apply({"type": "Strip", "strip_left": True, "strip_right": True})

    def lstrip(self) -> None:
        """Removes white space at the start."""
        self._apply({"type": "Strip", "strip_left": True, "strip_right": False})

    def rstrip(self) -> None:
        """Removes white space at the end."""
        self._apply({"type": "Strip", "strip_left": False, "strip_right": True})

    def prepend(self, s: str) -> None:
        """Prepends a string, which represents the first character.

        >>> from piecework.hf import NormalizedString
        >>> text = NormalizedString("be")
        >>> text.prepend("to ")
        >>> text.normalized
        'to be'
        """
        before = self._origins[:1] * len(string(s)) or [(0, 0)] * len(s)
        self._origins = before + self._origins
        self._text = s + self._text

    def append(self, s: str) -> None:
        """Appends a string, which represents the last character."""
        after = self._origins[-1:] * len(string(s)) or [(0, 0)] * len(s)
        self._origins = self._origins + after
        self._text += s

    def clear(self) -> None:
        """Removes all text."""
        self._text, self._origins = self._text[:0], []

    def filter(self, func: Callable[[str], bool]) -> None:
        """Keeps the characters for which a function returns true.

        >>> from piecework.hf import NormalizedString
        >>> text = NormalizedString("b3e")
        >>> text.filter(str.isalpha)
        >>> text.normalized, text.original
        ('be', 'b3e')
        """
        _check_callable(func, "filter", "fn(char) -> bool")
        self._replace_characters(lambda c: c if flag(func(c)) else "")

    def map(self, func: Callable[[str], str]) -> None:
        """Replaces each character by the character that a function returns.

        >>> from piecework.hf import NormalizedString
        >>> text = NormalizedString("be")
        >>> text.map(str.upper)
        >>> text.normalized
        'BE'
        """
        _check_callable(func, "map", "fn(char) -> char")
        self._replace_characters(lambda c: string(func(c))[0])

    def for_each(self, func: Callable[[str], object]) -> None:
        """Calls a function with each character."""
        _check_callable(func, "for_each", "fn(char)")
        for c in self._text:
            func(c)

    def _replace_characters(self, func: Callable[[str], str]) -> None:
        """Replaces each character by the text that a function returns."""
        parts = [func(c) for c in self._text]
        columns = zip(parts, self._origins, strict=True)
        self._origins = [origin for part, origin in columns for _ in part]
        self._text = "".join(parts)

    def replace(self, pattern: str | Regex, content: str) -> None:
        """Replaces the matches of a pattern.

        >>> from piecework.hf import NormalizedString
        >>> text = NormalizedString("to be")
        >>> text.replace("to", "2")
        >>> text.normalized
        '2 be'
        """
        self._apply(
            {"type": "Replace", "pattern": pattern_state(pattern), "content": string(content)}
        )

    def split(self, pattern: str | Regex, behavior: Any) -> list[NormalizedString]:
        """Splits the text at the matches of a pattern.

        Args:
            pattern: The delimiter, a string or a :class:`piecework.hf.Regex`.
            behavior: What happens to a delimiter: ``"removed"``, ``"isolated"``, ``"merged_with_previous"``,
                ``"merged_with_next"`` or ``"contiguous"``.

        Returns:
            The parts, each with its part of the original.

        >>> from piecework.hf import NormalizedString
        >>> [part.normalized for part in NormalizedString("to be").split(" ", "isolated")]
        ['to', ' ', 'be']
        """
        split = {"type": "Split", "pattern": pattern_state(pattern), "invert": False}
        stage = stages(pre_tokenizer=split | {"behavior": behavior_state(behavior)})
        return [self._part(*span) for _, span in stage.pre_tokenize(self._text)]

    def slice(self, range: _Range) -> NormalizedString | None:  # noqa: A002  # as tokenizers
        """Returns a range of the normalized text, with its part of the original; None if it is out of range.

        >>> from piecework.hf import NormalizedString
        >>> NormalizedString("to be").slice((0, 2)).normalized
        'to'
        """
        return self[range]

    def __getitem__(self, range: _Range) -> NormalizedString | None:  # noqa: A002  # as tokenizers
        """Returns a range of the normalized text, with its part of the original; None if it is out of range."""
        if isinstance(range, slice):
            start, end, _ = range.indices(len(self._text.encode()))
            start, end = min(start, len(self._text)), min(end, len(self._text))
        elif isinstance(range, tuple):
            start, end = range
        else:
            start = operator.index(range)
            if start < 0:  # counted from the end in bytes, as in tokenizers
                size = len(self._text.encode())
                if -start > size:
                    raise ValueError(f"{-start} is bigger than max len")
                start += size
            end = start + 1
        is_inside = start < len(self._text) or (start, end) == (0, 0)  # as in tokenizers
        if not 0 <= start <= end or not is_inside:
            return None
        return self._part(start, min(end, len(self._text)))

    def __iter__(self) -> Iterator[NormalizedString]:
        """Iterates over the characters; in `tokenizers` the iteration has no end."""
        return (self._part(place, place + 1) for place in range(len(self._text)))

    def __str__(self) -> str:
        """Returns the normalized text."""
        return self._text

    def __repr__(self) -> str:
        """Returns both texts, if it can be used."""
        try:
            return f'NormalizedString(original="{self._original}", normalized="{self._text}")'
        except Exception:  # noqa: BLE001  # of `__getattr__`: debuggers show such objects, too
            return object.__repr__(self)


Split = tuple[NormalizedString, list[Token] | None]
"""A part of a text, with its tokens if it is encoded."""


class PreTokenizedString(_CallbackText):
    """Holds a text in parts, which are normalized, split and encoded separately.

    Args:
        s: The text.

    >>> from piecework.hf import PreTokenizedString
    >>> text = PreTokenizedString("to be")
    >>> text.split(lambda number, part: part.split(" ", "removed"))
    >>> text.get_splits()
    [('to', (0, 2), None), ('be', (3, 5), None)]
    """

    __slots__ = ("_original", "_splits")
    _callback = "pre_tokenize"
    _splits: list[Split]

    def __init__(self, s: str) -> None:
        """Begins with the text as the only part."""
        self._original = string(s)
        self._splits = [(NormalizedString(s), None)]

    def split(self, func: Callable[[int, NormalizedString], list[NormalizedString]]) -> None:
        """Splits each part that is not encoded.

        Args:
            func: Returns the parts of a part, made by its methods; it is called with a number and the part.

        Raises:
            TypeError: `func` cannot be called, or returns something else.

        >>> from piecework.hf import PreTokenizedString
        >>> text = PreTokenizedString("to be")
        >>> text.split(lambda number, part: part.split(" ", "removed"))
        >>> [part for part, _, _ in text.get_splits()]
        ['to', 'be']
        """
        signature = "fn(index: int, normalized: NormalizedString) -> List[NormalizedString]"
        _check_callable(func, "split", signature)

        def pieces(number: int, part: NormalizedString) -> Iterator[Split]:
            # Copies, as in `tokenizers`: the caller may change the part and its pieces afterwards.
            for piece in func(number, part._copy()):
                instance(piece, NormalizedString)
                if piece.normalized:
                    yield piece._copy(), None

        self._replace(pieces)

    def _replace(self, func: Callable[[int, NormalizedString], Iterable[Split]]) -> None:
        """Replaces each part that is not encoded by those that a function returns for its number and itself."""
        splits: list[Split] = []
        for number, (part, tokens) in enumerate(self._splits):
            splits += func(number, part) if tokens is None else [(part, tokens)]
        self._splits = splits

    def normalize(self, func: Callable[[NormalizedString], object]) -> None:
        """Calls a function with each part that is not encoded, to change it in place.

        >>> from piecework.hf import PreTokenizedString
        >>> text = PreTokenizedString("to be")
        >>> text.normalize(lambda part: part.uppercase())
        >>> text.get_splits()
        [('TO BE', (0, 5), None)]
        """
        _check_callable(func, "normalize", "fn(normalized: NormalizedString)")
        for part, tokens in self._splits:
            if tokens is None:
                with part._in_callback() as passed:
                    func(passed)

    def tokenize(self, func: Callable[[str], list[Token]]) -> None:
        """Encodes each part that is not encoded, by a function that returns its tokens.

        >>> from piecework.hf import PreTokenizedString
        >>> text = PreTokenizedString("to be")
        >>> from piecework.hf import Token
        >>> text.tokenize(lambda part: [Token(0, part, (0, len(part)))])
        >>> text.to_encoding().tokens
        ['to be']
        """
        _check_callable(func, "tokenize", "fn(str) -> List[Token]")
        self._replace(lambda _number, part: [(part, _tokens(func(part.normalized)))])

    def get_splits(
        self, offset_referential: Any = "original", offset_type: Any = "char"
    ) -> list[tuple[str, tuple[int, int], list[Token] | None]]:
        """Returns the parts with their offsets and tokens.

        Args:
            offset_referential: ``"original"`` or ``"normalized"``, the text in which offsets count.
            offset_type: ``"char"`` or ``"byte"``, what they count.

        Returns:
            For each part its normalized text, start and end, and tokens or None.

        Raises:
            ValueError: One of the names is unknown.

        >>> from piecework.hf import PreTokenizedString
        >>> text = PreTokenizedString("to be")
        >>> text.get_splits(offset_type="byte")
        [('to be', (0, 5), None)]
        """
        referential = _choice(offset_referential, ("original", "normalized"), "OffsetReferential")
        unit = _choice(offset_type, ("byte", "char"), "OffsetType")
        if referential == "original":
            text, spans = self._original, [self._span(part) for part, _ in self._splits]
        else:
            text, spans = self._normalized()
        if unit == "byte":
            starts = _byte_starts(text)
            spans = [(starts[start], starts[end]) for start, end in spans]
        return [
            (part.normalized, span, tokens)
            for (part, tokens), span in zip(self._splits, spans, strict=True)
        ]

    def _span(self, part: NormalizedString) -> _Span:
        """Returns the characters of the original that a part represents."""
        return part._start, part._start + len(part._original)

    def _normalized(self) -> tuple[str, list[_Span]]:
        """Returns the parts as one text, and the range of each."""
        text, spans = "", []
        for part, _ in self._splits:
            spans.append((len(text), len(text) + len(part.normalized)))
            text += part.normalized
        return text, spans

    def to_encoding(self, type_id: int = 0, word_idx: int | None = None) -> Encoding:
        """Returns the encoding of the tokens.

        Args:
            type_id: The type id of all tokens.
            word_idx: The word of all tokens; None counts the parts.

        Returns:
            The encoding, with offsets in characters of the original.

        Raises:
            ValueError: A part has no tokens; call :meth:`tokenize` first.

        >>> from piecework.hf import PreTokenizedString
        >>> text = PreTokenizedString("to be")
        >>> from piecework.hf import Token
        >>> text.tokenize(lambda part: [Token(0, "to", (0, 2)), Token(1, "be", (3, 5))])
        >>> encoding = text.to_encoding(type_id=1)
        >>> encoding.offsets, encoding.type_ids
        ([(0, 2), (3, 5)], [1, 1])
        """
        from piecework.hf._encoding import Encoding, _inner_of

        if any(tokens is None for _, tokens in self._splits):
            message = "Split has not been tokenized, call `PreTokenizedString::tokenize` first"
            raise ValueError(message)
        rows = [
            (token, number if word_idx is None else word_idx, _token_span(part, token))
            for number, (part, tokens) in enumerate(self._splits)
            for token in tokens or ()
        ]
        size = len(rows)
        return Encoding._of(
            _inner_of(
                {
                    "ids": [token.id for token, _, _ in rows],
                    "tokens": [token.value for token, _, _ in rows],
                    "words": [word for _, word, _ in rows],
                    "offsets": [span for _, _, span in rows],
                    "type_ids": [number32(type_id)] * size,
                    "special_tokens_mask": [0] * size,
                    "attention_mask": [1] * size,
                    "overflowing": [],
                    "sequence_ranges": {},
                }
            )
        )


def _token_span(part: NormalizedString, token: Token) -> _Span:
    """Returns the characters of the whole original that a token represents."""
    start, end = token.offsets
    if not part.normalized.isascii():
        data = part.normalized.encode()
        start, end = _characters(data[:start]), len(part.normalized) - _characters(data[end:])
    first, last = part._origin((start, end))
    return part._start + first, part._start + last


def _characters(data: bytes) -> int:
    """Returns the number of whole characters in bytes, which may begin or end within one."""
    return len(data.decode(errors="ignore"))


def _byte_starts(text: str) -> list[int]:
    """Returns the byte at which each character begins, and the end."""
    starts = [0]
    for c in text:
        starts.append(starts[-1] + len(c.encode()))
    return starts


def _choice(value: Any, names: tuple[str, ...], what: str) -> str:
    """Returns a name; a member of an enumeration is accepted."""
    name = getattr(value, "value", value)
    if name not in names:
        expected = ", ".join(names)
        raise ValueError(
            f"Wrong value for {what}, expected one of `{expected}`, found {shown(value)}"
        )
    return str(name)


def _tokens(value: Any) -> list[Token]:
    """Returns the tokens that a function of the caller returned."""
    tokens = listed(value)
    for token in tokens:
        instance(token, Token)
    return tokens


def _check_callable(func: object, name: str, signature: str) -> None:
    if not callable(func):
        message = f"`{name}` expect a callable with the signature: `{signature}`"
        raise TypeError(f"{message}, found {type(func).__name__!r}")
