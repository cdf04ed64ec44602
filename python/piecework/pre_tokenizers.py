"""Defines pre-tokenizers, which split a normalized text into words.

They have the parameters and results of ``tokenizers`` 0.23. :class:`Dictionary`, :class:`Jieba` and :class:`Function`,
which calls Python, exist only here.

>>> [word for word, span in Sequence([WhitespaceSplit(), Digits()]).pre_tokenize_str("page 101b")]
['page', '101', 'b']
"""

from __future__ import annotations

import re
from collections import abc
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal, Self

from piecework import _messages, errors as _errors, patterns as _patterns
from piecework._settings import (
    arguments as _arguments,
    component as _component,
    fields as _fields,
    immutable as _immutable,
    regex as _regex,
)

if TYPE_CHECKING:
    from piecework._io.files import Pathish

__all__ = [
    "Behavior",
    "BertPreTokenizer",
    "ByteLevel",
    "CharDelimiterSplit",
    "Dictionary",
    "Digits",
    "FixedLength",
    "Function",
    "Jieba",
    "Metaspace",
    "PreTokenizer",
    "Punctuation",
    "Sequence",
    "Split",
    "UnicodeScripts",
    "UserWord",
    "Whitespace",
    "WhitespaceSplit",
]

Behavior = Literal["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]
"""The treatment of delimiters: they are removed, become words, are appended to the previous word, are prepended to the
next word, or form one word with adjacent delimiters."""

_BEHAVIOR = _fields.Choice(
    {
        "removed": "Removed",
        "isolated": "Isolated",
        "merged_with_previous": "MergedWithPrevious",
        "merged_with_next": "MergedWithNext",
        "contiguous": "Contiguous",
    }
)


class PreTokenizer(_component.Component):
    """Serves as the base of all pre-tokenizers."""

    def to_dict(self) -> dict[str, Any]:
        """Returns the pre-tokenizer as JSON values, as in a ``tokenizer.json``.

        Returns:
            A dictionary of JSON values with the member ``type``.

        Raises:
            ConfigError: The pre-tokenizer contains a Python function, which no file can represent.
        """
        if functions := self.functions():
            raise _errors.ConfigError(
                f"the Python function {_name(functions[0])} cannot be saved",
                hint="replace it by another pre-tokenizer, such as Dictionary, Jieba or Split, and set "
                "it again after loading; or pickle the tokenizer, which keeps importable functions",
            )
        return super().to_dict()

    @classmethod
    def from_dict(
        cls, data: abc.Mapping[str, Any], functions: abc.Sequence[abc.Callable[[str], object]] = ()
    ) -> Self:
        """Returns the pre-tokenizer of JSON values that :meth:`to_dict` returned.

        Args:
            data: A dictionary of JSON values, whose member ``type`` determines the class.
            functions: The Python functions that the JSON of :meth:`to_core` refers to by index.

        Returns:
            The pre-tokenizer, an instance of this class or a subclass.

        Raises:
            UnsupportedError: The type is unknown.
            FormatError: The data is invalid; the message contains the JSON path.
        """
        in_order = tuple(
            _arguments.check_iterable("functions", functions, "a sequence of functions")
        )
        return super().from_dict(_with_functions(data, in_order))

    def pre_tokenize_str(self, text: str) -> list[tuple[str, tuple[int, int]]]:
        """Returns the words of a text with their offsets.

        Args:
            text: Any text; it is not normalized first.

        Returns:
            Each word with its start and end in characters.

        Raises:
            ConfigError: A setting that only the core can check is invalid, such as a regular expression.
            SurrogateError: The text contains a lone surrogate.

        >>> WhitespaceSplit().pre_tokenize_str("to be, or")
        [('to', (0, 2)), ('be,', (3, 6)), ('or', (7, 9))]
        """
        return self._stage("pre_tokenizer").pre_tokenize(text)


@_immutable.dataclass(frozen=True)
class BertPreTokenizer(PreTokenizer):
    """Splits at white space, and makes every punctuation character a word.

    >>> [word for word, span in BertPreTokenizer().pre_tokenize_str("to be, or")]
    ['to', 'be', ',', 'or']
    """


@_immutable.dataclass(frozen=True)
class Whitespace(PreTokenizer):
    r"""Splits into runs of word characters and runs of other non-white-space characters: ``\w+|[^\w\s]+``.

    >>> [word for word, span in Whitespace().pre_tokenize_str("to be... or")]
    ['to', 'be', '...', 'or']
    """


@_immutable.dataclass(frozen=True)
class WhitespaceSplit(PreTokenizer):
    """Splits at white space only.

    >>> [word for word, span in WhitespaceSplit().pre_tokenize_str("to be, or")]
    ['to', 'be,', 'or']
    """


@_immutable.dataclass(frozen=True)
class Punctuation(PreTokenizer):
    """Splits at punctuation.

    Args:
        behavior: The treatment of the punctuation characters.

    >>> [word for word, span in Punctuation("merged_with_previous").pre_tokenize_str("to be, or")]
    ['to be,', ' or']
    """

    behavior: Behavior = field(default="isolated", metadata=_fields.takes(_BEHAVIOR, may_lack=True))


@_immutable.dataclass(frozen=True)
class Digits(PreTokenizer):
    """Splits digits, and other numeric characters, from the rest.

    Args:
        individual_digits: Whether each digit is a word, instead of each run of digits.

    >>> [word for word, span in Digits(individual_digits=True).pre_tokenize_str("call 911")]
    ['call ', '9', '1', '1']
    """

    individual_digits: bool = False


@_immutable.dataclass(frozen=True)
class CharDelimiterSplit(PreTokenizer):
    """Splits at a character and removes it.

    Args:
        delimiter: The character.

    >>> [word for word, span in CharDelimiterSplit("|").pre_tokenize_str("a b|c")]
    ['a b', 'c']
    """

    delimiter: str = field(metadata=_fields.takes(_fields.CHARACTER))


@_immutable.dataclass(frozen=True)
class Split(PreTokenizer):
    r"""Splits at every match of a pattern.

    Args:
        pattern: A plain string, or a :class:`piecework.Regex`.
        behavior: The treatment of the delimiters.
        invert: Whether the matches are words, and the text between them delimiters.

    >>> import piecework as pw
    >>> split = Split(pw.Regex(r"\w+|[^\w\s]"), "removed", invert=True)
    >>> [word for word, span in split.pre_tokenize_str("to be, or")]
    ['to', 'be', ',', 'or']
    """

    pattern: str | _patterns.Regex = field(metadata=_fields.takes(_regex.PATTERN))
    behavior: Behavior = field(metadata=_fields.takes(_BEHAVIOR))
    invert: bool = False


@_immutable.dataclass(frozen=True)
class ByteLevel(PreTokenizer):
    """Splits with GPT-2's pattern and writes each byte as a visible character.

    Args:
        add_prefix_space: Whether to prepend a space to a text that starts without one.
        trim_offsets: Stored, but without effect; see the post-processor :class:`piecework.processors.ByteLevel`.
        use_regex: Whether to split with GPT-2's pattern; otherwise a text is one word.

    >>> ByteLevel().pre_tokenize_str("to be")
    [('Ġto', (0, 2)), ('Ġbe', (2, 5))]
    """

    add_prefix_space: bool = True
    trim_offsets: bool = True
    use_regex: bool = field(default=True, metadata=_fields.takes(may_lack=True))

    @staticmethod
    def split_by(pattern: str) -> PreTokenizer:
        r"""Returns a pre-tokenizer that splits with a pattern and then writes each byte as a visible character.

        Args:
            pattern: The name of a well-known pattern: ``"gpt2"``, ``"r50k"``, ``"p50k"``, ``"cl100k"``, ``"o200k"``,
                ``"llama3"``, ``"qwen2"``, ``"qwen35"``, ``"kimi"``, ``"tekken"``, ``"clip"``; or a regular expression.

        Returns:
            The pre-tokenizer. Text between matches becomes words too, except with ``"clip"``, which removes it.

        >>> ByteLevel.split_by("cl100k").pre_tokenize_str("in 1789")
        [('in', (0, 2)), ('Ġ', (2, 3)), ('178', (3, 6)), ('9', (6, 7))]
        """
        regex = _patterns.Regex(
            _patterns.SPLIT_PATTERNS.get(_arguments.check_str("pattern", pattern), pattern)
        )
        drops = pattern == "clip"
        split = Split(regex, "removed" if drops else "isolated", invert=drops)
        return Sequence([split, ByteLevel(add_prefix_space=False, use_regex=False)])


@_immutable.dataclass(frozen=True)
class Metaspace(PreTokenizer):
    """Replaces spaces by a visible character and splits before it, like SentencePiece.

    Args:
        replacement: The character.
        prepend_scheme: Whether to prepend it to a text that starts without it: ``"always"``, ``"never"``, or ``"first"``
            for the start of the input only, not after a special token.
        split: Whether to split before the character; otherwise a text is one word.

    >>> Metaspace().pre_tokenize_str("to be")
    [('▁to', (0, 2)), ('▁be', (2, 5))]
    """

    replacement: str = field(default="▁", metadata=_fields.takes(_fields.CHARACTER))
    prepend_scheme: _component.PrependScheme = field(
        default="always", metadata=_component.METASPACE_SCHEME
    )
    split: bool = field(default=True, metadata=_fields.takes(may_lack=True))

    @classmethod
    def _current(cls, data: dict[str, Any]) -> dict[str, Any]:
        return _component.current_metaspace(data)


@_immutable.dataclass(frozen=True)
class UnicodeScripts(PreTokenizer):
    """Splits where the script changes; Hiragana and Katakana count as Han, spaces as the preceding script.

    >>> [word for word, span in UnicodeScripts().pre_tokenize_str("Apples are りんご 林檎")]
    ['Apples are ', 'りんご 林檎']
    """


@_immutable.dataclass(frozen=True)
class FixedLength(PreTokenizer):
    """Splits into words of a fixed number of characters; the last word may be shorter.

    Args:
        length: The number of characters.

    >>> [word for word, span in FixedLength(3).pre_tokenize_str("GATTACA")]
    ['GAT', 'TAC', 'A']
    """

    length: int = field(default=5, metadata=_fields.takes(_fields.LENGTH, may_lack=True))


_WORD = _fields.Text(1)


class _Phrases(_fields.ListOf):
    """Checks phrases and removes duplicates; the order is kept, and sets are sorted."""

    def check(self, value: Any) -> tuple[str, ...]:
        if isinstance(value, set | frozenset):
            value = sorted(value, key=str)
        phrases = tuple(dict.fromkeys(super().check(value)))
        if not phrases:
            raise _fields.Mismatch("expected at least one phrase, found none")
        return phrases


@_immutable.dataclass(frozen=True, init=False, repr=False)
class Dictionary(PreTokenizer, prefix="piecework."):
    """Makes each phrase of a list a word, by leftmost-longest match; text between phrases is not split.

    Args:
        phrases: The phrases, stored as a tuple without duplicates.
        single_word: Whether a phrase matches only if no word character is adjacent.

    >>> [word for word, span in Dictionary(["New York", "New"]).pre_tokenize_str("in New York")]
    ['in ', 'New York']
    """

    phrases: tuple[str, ...] = field(metadata=_fields.takes(_Phrases(_WORD)))
    single_word: bool = field(metadata=_fields.takes(may_lack=True))

    def __init__(self, phrases: abc.Iterable[str], single_word: bool = False) -> None:
        self._fill(phrases=phrases, single_word=single_word)

    def __repr__(self) -> str:
        return f"Dictionary({_abridged(self.phrases)}, single_word={self.single_word})"


UserWord = str | tuple[str, int | None] | tuple[str, int | None, str | None]
"""A word for Jieba, optionally with its frequency and its part-of-speech tag."""


class _UserWord(_fields.Kind):
    """Checks a word with its frequency and its tag, which may be None."""

    def check(self, value: Any) -> tuple[str, int | None, str | None]:
        parts = (value,) if isinstance(value, str) else tuple(_fields.items(value))
        if not 1 <= len(parts) <= 3:
            raise _fields.Mismatch(
                f"expected a word, its frequency and its tag, found {_messages.shown(value)}"
            )
        word, frequency, tag = (*parts, None, None)[:3]
        return (
            _WORD.check(word),
            _fields.Maybe(_fields.SIZE).check(frequency),
            _fields.Maybe(_WORD).check(tag),
        )

    def write(self, value: tuple[Any, ...]) -> list[Any]:
        return list(value)


@_immutable.dataclass(frozen=True, init=False, repr=False)
class Jieba(PreTokenizer, prefix="piecework."):
    """Segments Chinese text like Jieba, without the jieba package.

    Args:
        hmm: Whether a hidden Markov model finds words that are not in the dictionary.
        user_words: Additional words: a string, or a tuple of a word, its frequency (None for the lowest frequency that
            keeps it one word) and its part-of-speech tag.

    >>> Jieba(user_words=["杭研大厦", ("云计算", 5)])
    Jieba(hmm=True, user_words=(('杭研大厦', None, None), ('云计算', 5, None)))
    """

    hmm: bool = field(metadata=_fields.takes(may_lack=True))
    user_words: tuple[tuple[str, int | None, str | None], ...] = field(
        metadata=_fields.takes(_fields.ListOf(_UserWord()), may_lack=True)
    )

    def __init__(self, hmm: bool = True, user_words: abc.Iterable[UserWord] = ()) -> None:
        self._fill(hmm=hmm, user_words=user_words)

    @classmethod
    def from_user_dictionary(
        cls, path: Pathish, *, hmm: bool = True, encoding: str = "utf-8"
    ) -> Jieba:
        """Returns a pre-tokenizer with the words of a Jieba user dictionary file.

        Each line contains a word, and optionally its frequency and its tag.

        Args:
            path: The file.
            hmm: Whether a hidden Markov model finds words that are not in the dictionary.
            encoding: The character encoding of the file, or ``"auto"`` to detect it.

        Returns:
            The pre-tokenizer.

        Raises:
            FileError: The file cannot be read.
            InvalidUtf8Error: The file is not valid in that encoding.
            FormatError: A frequency is too large; the message contains the line.
        """
        from piecework._io.kinds import check_text
        from piecework._io.lines import codec_name, detect_encoding, read_lines

        check_text(path, "")
        codec = codec_name(detect_encoding(path) if encoding == "auto" else encoding, "strict")
        words = []
        for number, line in enumerate(read_lines(path, codec, "strict", command=""), 1):
            if entry := _USER_LINE.fullmatch(line.strip().lstrip("\ufeff")):
                word, digits, tag = entry.groups()
                digits = digits and (digits.lstrip("0") or "0")
                if digits and (len(digits) > 20 or int(digits) >= 1 << 64):
                    problem = f"the frequency {_messages.shown(digits)} is too large; expected less than 2^64"
                    raise _errors.FormatError(problem, place=f"{path}: line {number}: ")
                words.append((word, int(digits) if digits else None, tag))
        return cls(hmm, words)

    def __repr__(self) -> str:
        return f"Jieba(hmm={self.hmm}, user_words={_abridged(self.user_words)})"


# A word may contain spaces: like Jieba, only digits and lowercase letters at the end of a line are frequency and tag.
_USER_LINE = re.compile(r"(.+?)(?: ([0-9]+))?(?: ([a-z]+))?")


class _Callable(_fields.Kind):
    """Checks a Python function; the core gets its index, and files cannot contain it."""

    def check(self, value: Any) -> abc.Callable[[str], object]:
        if not callable(value):
            raise _fields.Mismatch(f"expected a function of a text, found {_messages.shown(value)}")
        return value  # type: ignore[no-any-return]  # its signature cannot be checked

    def read(self, data: Any) -> abc.Callable[[str], object]:
        if not callable(data):
            message = "the pre-tokenizer was a Python function, which no file can contain; replace it by another one"
            raise _fields.Mismatch(message, kind=_errors.UnsupportedError)
        return self.check(data)


@_immutable.dataclass(frozen=True)
class Function(PreTokenizer, prefix="piecework."):
    """Splits a text by calling a Python function.

    Calls hold the GIL, so several threads are not faster. Files cannot contain the function; a pickle can if the function
    is importable.

    Args:
        function: Takes a text and returns its words in order: as strings, which are searched in the text one after the
            other; or as pairs of their start and end in characters. Text outside the words is removed.

    >>> Function(str.split).pre_tokenize_str("to be, or")
    [('to', (0, 2)), ('be,', (3, 6)), ('or', (7, 9))]
    """

    function: abc.Callable[[str], abc.Iterable[str | tuple[int, int]]] = field(
        metadata=_fields.takes(_Callable(), "index")
    )


@_immutable.dataclass(frozen=True)
class Sequence(PreTokenizer):
    """Applies several pre-tokenizers in order, each to the words of the previous one.

    Args:
        pre_tokenizers: The pre-tokenizers, stored as a tuple.

    >>> [word for word, span in Sequence([WhitespaceSplit(), Punctuation()]).pre_tokenize_str("to be, or")]
    ['to', 'be', ',', 'or']
    """

    pre_tokenizers: abc.Sequence[PreTokenizer] = field(
        metadata=_component.parts(PreTokenizer, "pretokenizers")
    )


def _abridged(values: tuple[object, ...]) -> str:
    """Returns the repr of a tuple, abridged to its first values and its length if it is long."""
    if len(values) <= 8:
        return repr(values)
    return f"({', '.join(map(repr, values[:3]))}, … {len(values):,} in all)"


def _with_functions(data: Any, functions: abc.Sequence[abc.Callable[[str], object]]) -> Any:
    """Returns JSON values with the functions inserted in order."""
    remaining = iter(functions)

    def filled(data: Any) -> Any:
        if not isinstance(data, abc.Mapping):
            return data
        if data.get("type") == Function.type_name:
            return {**data, "index": next(remaining, None)}
        parts = data.get("pretokenizers")
        if isinstance(parts, list):
            return {**data, "pretokenizers": [filled(part) for part in parts]}
        return data

    return filled(data) if functions else data


def _name(function: abc.Callable[[str], object]) -> str:
    return getattr(function, "__qualname__", None) or _messages.shown(function)
