"""Pre-tokenizers: how a normalized text is split into words.

They are those of ``tokenizers`` 0.23, with its parameters, which give what it gives; and three of our own:
:class:`Dictionary`, :class:`Jieba`, and :class:`Function`, which calls Python.

>>> [word for word, span in Sequence([WhitespaceSplit(), Digits()]).pre_tokenize_str("room 101b")]
['room', '101', 'b']
"""

from __future__ import annotations

import itertools
import re
from collections import abc
from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from piecework._component import (
    METASPACE_SCHEME,
    PATTERN,
    Component,
    Part,
    PrependScheme,
    current_metaspace,
)
from piecework._immutable import dataclass
from piecework._settings import (
    CHARACTER,
    FLAG,
    LENGTH,
    SIZE,
    Choice,
    Kind,
    ListOf,
    Maybe,
    Mismatch,
    Text,
    items,
    takes,
)
from piecework.arguments import check_iterable, check_str
from piecework.errors import ConfigError, FormatError, UnsupportedError, shown, warn
from piecework.patterns import SPLIT_PATTERNS, Regex

if TYPE_CHECKING:
    from piecework.io.files import Pathish
    from piecework.normalizers import Normalizer

__all__ = [
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
    "Whitespace",
    "WhitespaceSplit",
]

Behavior = Literal["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]
"""What becomes of the characters that divide words: they go, are words by themselves, join the word before or after
them, or are one word with their like beside them."""

_BEHAVIOR = Choice(
    {
        "removed": "Removed",
        "isolated": "Isolated",
        "merged_with_previous": "MergedWithPrevious",
        "merged_with_next": "MergedWithNext",
        "contiguous": "Contiguous",
    }
)


class PreTokenizer(Component):
    """The base of all pre-tokenizers."""

    def to_dict(self) -> dict[str, Any]:
        """Give the pre-tokenizer as ``tokenizer.json`` writes it.

        Returns:
            A dictionary of JSON values with the member ``type``.

        Raises:
            ConfigError: It has a Python function inside, which no file can hold.
        """
        if functions := self.functions():
            raise ConfigError(
                f"the Python function {_name(functions[0])} cannot be saved; save with a pre-tokenizer in its place that "
                "is data, such as Dictionary, Jieba or Split, and give the function again after loading; or pickle the "
                "whole, which keeps a function that can be imported"
            )
        return super().to_dict()

    @classmethod
    def from_dict(
        cls, data: abc.Mapping[str, Any], functions: abc.Sequence[abc.Callable[[str], object]] = ()
    ) -> Self:
        """Make the pre-tokenizer that :meth:`to_dict` wrote; the member ``type`` tells the class.

        Args:
            data: A dictionary of JSON values.
            functions: The Python functions that stand in the JSON of :meth:`to_core` by their numbers.

        Returns:
            The pre-tokenizer, of the class it is called on or one below.

        Raises:
            UnsupportedError: There is none of that type.
            FormatError: It is not what it should be; the message has the JSON path.
        """
        in_order = tuple(check_iterable("functions", functions, "a sequence of functions"))
        return super().from_dict(_with_functions(data, in_order))

    def pre_tokenize_str(self, text: str) -> list[tuple[str, tuple[int, int]]]:
        """Give the words of a text.

        Args:
            text: Any text; it is not normalized first.

        Returns:
            Each word with its span of characters.

        Raises:
            ConfigError: A setting that only the core can check is impossible, like a broken regular expression.
            SurrogateError: The text holds a lone surrogate.

        >>> WhitespaceSplit().pre_tokenize_str("to be, or")
        [('to', (0, 2)), ('be,', (3, 6)), ('or', (7, 9))]
        """
        return self._stage("pre_tokenizer").pre_tokenize(text)


@dataclass(frozen=True)
class BertPreTokenizer(PreTokenizer):
    """White space divides, and every punctuation character is a word of its own.

    >>> [word for word, span in BertPreTokenizer().pre_tokenize_str("to be, or")]
    ['to', 'be', ',', 'or']
    """

    type_name: ClassVar[str] = "BertPreTokenizer"


@dataclass(frozen=True)
class Whitespace(PreTokenizer):
    r"""Runs of word characters and runs of others are words: ``\w+|[^\w\s]+``.

    >>> [word for word, span in Whitespace().pre_tokenize_str("to be... or")]
    ['to', 'be', '...', 'or']
    """

    type_name: ClassVar[str] = "Whitespace"


@dataclass(frozen=True)
class WhitespaceSplit(PreTokenizer):
    """White space divides, nothing else does.

    >>> [word for word, span in WhitespaceSplit().pre_tokenize_str("to be, or")]
    ['to', 'be,', 'or']
    """

    type_name: ClassVar[str] = "WhitespaceSplit"


@dataclass(frozen=True)
class Punctuation(PreTokenizer):
    """Punctuation divides.

    Args:
        behavior: What becomes of the punctuation characters.

    >>> [word for word, span in Punctuation("merged_with_previous").pre_tokenize_str("to be, or")]
    ['to be,', ' or']
    """

    type_name: ClassVar[str] = "Punctuation"

    behavior: Behavior = field(default="isolated", metadata=takes(_BEHAVIOR, may_lack=True))


@dataclass(frozen=True)
class Digits(PreTokenizer):
    """Digits, and all other characters that are numbers, are split from the rest.

    Args:
        individual_digits: Whether each is a word of its own, or a run of them is one.

    >>> [word for word, span in Digits(individual_digits=True).pre_tokenize_str("call 911")]
    ['call ', '9', '1', '1']
    """

    type_name: ClassVar[str] = "Digits"

    individual_digits: bool = field(default=False, metadata=takes(FLAG))


@dataclass(frozen=True)
class CharDelimiterSplit(PreTokenizer):
    """One character divides, and goes.

    Args:
        delimiter: The character.

    >>> [word for word, span in CharDelimiterSplit("|").pre_tokenize_str("a b|c")]
    ['a b', 'c']
    """

    type_name: ClassVar[str] = "CharDelimiterSplit"

    delimiter: str = field(metadata=takes(CHARACTER))


@dataclass(frozen=True)
class Split(PreTokenizer):
    r"""Every match of a pattern divides.

    Args:
        pattern: A plain string, or a :class:`piecework.Regex`.
        behavior: What becomes of the matches.
        invert: Whether the matches are the words, and what is between them divides.

    >>> import piecework as pw
    >>> split = Split(pw.Regex(r"\w+|[^\w\s]"), "removed", invert=True)
    >>> [word for word, span in split.pre_tokenize_str("to be, or")]
    ['to', 'be', ',', 'or']
    """

    type_name: ClassVar[str] = "Split"

    pattern: str | Regex = field(metadata=takes(PATTERN))
    behavior: Behavior = field(metadata=takes(_BEHAVIOR))
    invert: bool = field(default=False, metadata=takes(FLAG))


@dataclass(frozen=True)
class ByteLevel(PreTokenizer):
    """GPT-2's: words with the space before them, in characters that each stand for a byte.

    Args:
        add_prefix_space: Whether a text that begins without a space is given one.
        trim_offsets: Kept for files that have it; it is the post-processor's that counts.
        use_regex: Whether GPT-2's pattern splits; else there is one word.

    >>> ByteLevel().pre_tokenize_str("to be")
    [('Ġto', (0, 2)), ('Ġbe', (2, 5))]
    """

    type_name: ClassVar[str] = "ByteLevel"

    add_prefix_space: bool = field(default=True, metadata=takes(FLAG))
    trim_offsets: bool = field(default=True, metadata=takes(FLAG))
    use_regex: bool = field(default=True, metadata=takes(FLAG, may_lack=True))

    @staticmethod
    def split_by(pattern: str) -> PreTokenizer:
        r"""Give a pre-tokenizer that splits by a pattern and then writes bytes as characters.

        Args:
            pattern: The name of a well-known one: ``"gpt2"``, ``"r50k"``, ``"p50k"``, ``"cl100k"``, ``"o200k"``,
                ``"llama3"``, ``"qwen2"``, ``"clip"``; or a regular expression.

        Returns:
            The pre-tokenizer. What is between matches are words, too, but with ``"clip"``, which drops it as CLIP does.

        >>> ByteLevel.split_by("cl100k").pre_tokenize_str("in 1789")
        [('in', (0, 2)), ('Ġ', (2, 3)), ('178', (3, 6)), ('9', (6, 7))]
        """
        regex = Regex(SPLIT_PATTERNS.get(check_str("pattern", pattern), pattern))
        drops = pattern == "clip"
        split = Split(regex, "removed" if drops else "isolated", invert=drops)
        return Sequence([split, ByteLevel(add_prefix_space=False, use_regex=False)])


@dataclass(frozen=True)
class Metaspace(PreTokenizer):
    """SentencePiece's: a visible character stands for the space, at the beginning of each word.

    Args:
        replacement: The character.
        prepend_scheme: Whether a text that begins without it is given one: ``"always"``, ``"never"``, or ``"first"``,
            only at the very beginning and not after a special token.
        split: Whether the text is split there; else there is one word.

    >>> Metaspace().pre_tokenize_str("to be")
    [('▁to', (0, 2)), ('▁be', (2, 5))]
    """

    type_name: ClassVar[str] = "Metaspace"

    replacement: str = field(default="▁", metadata=takes(CHARACTER))
    prepend_scheme: PrependScheme = field(
        default="always", metadata=takes(METASPACE_SCHEME, may_lack=True)
    )
    split: bool = field(default=True, metadata=takes(FLAG, may_lack=True))

    @classmethod
    def _current(cls, data: dict[str, Any]) -> dict[str, Any]:
        return current_metaspace(data)


@dataclass(frozen=True)
class UnicodeScripts(PreTokenizer):
    """Words end where the script changes; Hiragana and Katakana count as Han, and spaces as what is before them.

    >>> [word for word, span in UnicodeScripts().pre_tokenize_str("Apples are りんご 林檎")]
    ['Apples are ', 'りんご 林檎']
    """

    type_name: ClassVar[str] = "UnicodeScripts"


@dataclass(frozen=True)
class FixedLength(PreTokenizer):
    """Words of a fixed number of characters, the last one of what is left.

    Args:
        length: The number.

    >>> [word for word, span in FixedLength(3).pre_tokenize_str("GATTACA")]
    ['GAT', 'TAC', 'A']
    """

    type_name: ClassVar[str] = "FixedLength"

    length: int = field(default=5, metadata=takes(LENGTH, may_lack=True))


_WORD = Text(1)


class _Phrases(ListOf):
    """Phrases, each once, in the order given; a set has none, and is sorted."""

    def check(self, value: Any) -> tuple[str, ...]:
        if isinstance(value, set | frozenset):
            value = sorted(value, key=str)
        phrases = tuple(dict.fromkeys(super().check(value)))
        if not phrases:
            raise Mismatch("expected at least one phrase, found none")
        return phrases


@dataclass(frozen=True, init=False, repr=False)
class Dictionary(PreTokenizer):
    """Phrases of a list are words; where several begin, the longest is taken, and what is between them stays together.

    Args:
        phrases: The phrases, kept as a tuple, each once.
        single_word: Whether a phrase only counts where no word character is beside it.

    >>> [word for word, span in Dictionary(["New York", "New"]).pre_tokenize_str("in New York")]
    ['in ', 'New York']
    """

    type_name: ClassVar[str] = "piecework.Dictionary"

    phrases: tuple[str, ...] = field(metadata=takes(_Phrases(_WORD)))
    single_word: bool = field(metadata=takes(FLAG, may_lack=True))

    def __init__(self, phrases: abc.Iterable[str], single_word: bool = False) -> None:
        self._fill(phrases=phrases, single_word=single_word)

    def __repr__(self) -> str:
        return f"Dictionary({_abridged(self.phrases)}, single_word={self.single_word})"


UserWord = str | tuple[str, int | None] | tuple[str, int | None, str | None]
"""A word for Jieba, which may come with how often it occurs and with its part of speech."""


class _UserWord(Kind):
    """A word, its frequency and its tag, the latter two perhaps None."""

    def check(self, value: Any) -> tuple[str, int | None, str | None]:
        parts = (value,) if isinstance(value, str) else tuple(items(value))
        if not 1 <= len(parts) <= 3:
            raise Mismatch(f"expected a word, its frequency and its tag, found {shown(value)}")
        word, frequency, tag = (*parts, None, None)[:3]
        return _WORD.check(word), Maybe(SIZE).check(frequency), Maybe(_WORD).check(tag)

    def write(self, value: tuple[Any, ...]) -> list[Any]:
        return list(value)


@dataclass(frozen=True, init=False, repr=False)
class Jieba(PreTokenizer):
    """Chinese words as Jieba finds them, in the core and without the package.

    Args:
        hmm: Whether words that the dictionary lacks are guessed from their characters.
        user_words: Words beside the dictionary's: a string, or a tuple of a word, how often it occurs (None for as
            often as makes it one word), and its part of speech.

    >>> Jieba(user_words=["杭研大厦", ("云计算", 5)])
    Jieba(hmm=True, user_words=(('杭研大厦', None, None), ('云计算', 5, None)))
    """

    type_name: ClassVar[str] = "piecework.Jieba"

    hmm: bool = field(metadata=takes(FLAG, may_lack=True))
    user_words: tuple[tuple[str, int | None, str | None], ...] = field(
        metadata=takes(ListOf(_UserWord()), may_lack=True)
    )

    def __init__(self, hmm: bool = True, user_words: abc.Iterable[UserWord] = ()) -> None:
        self._fill(hmm=hmm, user_words=user_words)

    @classmethod
    def from_user_dictionary(
        cls, path: Pathish, *, hmm: bool = True, encoding: str = "utf-8"
    ) -> Jieba:
        """Read the user dictionary of Jieba: a word a line, then its frequency and its tag if it has them.

        Args:
            path: The file.
            hmm: As for the class.
            encoding: The file's character set, or ``"auto"`` to detect it.

        Returns:
            The pre-tokenizer.

        Raises:
            FileError: The file cannot be read.
            InvalidUtf8Error: It is not in that character set.
            FormatError: A frequency is too large; the message has the line.
        """
        from piecework.io import check_text, codec_name, detect_encoding, read_lines

        check_text(path, "")
        codec = codec_name(detect_encoding(path) if encoding == "auto" else encoding, "strict")
        words = []
        for number, line in enumerate(read_lines(path, codec, "strict", command=""), 1):
            if entry := _USER_LINE.fullmatch(line.strip().lstrip("\ufeff")):
                word, frequency, tag = entry.groups()
                if frequency and len(frequency) > 9:
                    raise FormatError(
                        f"{path}: line {number}: the frequency {frequency} is too large"
                    )
                words.append((word, int(frequency) if frequency else None, tag))
        return cls(hmm, words)

    def __repr__(self) -> str:
        return f"Jieba(hmm={self.hmm}, user_words={_abridged(self.user_words)})"


# A word may hold spaces: Jieba takes as its frequency and tag only what looks like them at the end of the line.
_USER_LINE = re.compile(r"(.+?)(?: ([0-9]+))?(?: ([a-z]+))?")


class _Callable(Kind):
    """A Python function, which stays one in what is written: the core gets a number, and files refuse it."""

    def check(self, value: Any) -> abc.Callable[[str], object]:
        if not callable(value):
            raise Mismatch(f"expected a function of a text, found {shown(value)}")
        return value  # type: ignore[no-any-return]  # what it takes cannot be told

    def read(self, data: Any) -> abc.Callable[[str], object]:
        if not callable(data):
            message = "here was a Python function, which no file can hold; load it with a pre-tokenizer in its place"
            raise Mismatch(message, kind=UnsupportedError)
        return self.check(data)


@dataclass(frozen=True)
class Function(PreTokenizer):
    """A Python function finds the words.

    It is called with the Python interpreter locked, so that threads do not help. No file can hold it; a pickle can, if
    the function can be imported.

    Args:
        function: Takes a text and gives its words in order: as strings, each found in the text after the one before;
            or as pairs of the characters where each begins and ends. What is in no word is dropped.

    >>> Function(str.split).pre_tokenize_str("to be, or")
    [('to', (0, 2)), ('be,', (3, 6)), ('or', (7, 9))]
    """

    type_name: ClassVar[str] = "piecework.Function"

    function: abc.Callable[[str], abc.Iterable[str | tuple[int, int]]] = field(
        metadata=takes(_Callable(), "index")
    )


@dataclass(frozen=True)
class Sequence(PreTokenizer):
    """Several pre-tokenizers, each splitting the words of the one before further.

    Args:
        pre_tokenizers: The pre-tokenizers, kept as a tuple.

    >>> [word for word, span in Sequence([WhitespaceSplit(), Punctuation()]).pre_tokenize_str("to be, or")]
    ['to', 'be', ',', 'or']
    """

    type_name: ClassVar[str] = "Sequence"

    pre_tokenizers: abc.Sequence[PreTokenizer] = field(
        metadata=takes(ListOf(Part(PreTokenizer)), "pretokenizers")
    )


def _abridged(values: tuple[object, ...]) -> str:
    """Give a tuple as it is, or its first values and how many there are."""
    if len(values) <= 8:
        return repr(values)
    return f"({', '.join(map(repr, values[:3]))}, … {len(values):,} in all)"


def _with_functions(data: Any, functions: abc.Sequence[abc.Callable[[str], object]]) -> Any:
    """Put the functions, which are in the order of the steps, where they belong."""
    waiting = iter(functions)

    def filled(data: Any) -> Any:
        if not isinstance(data, abc.Mapping):
            return data
        if data.get("type") == Function.type_name:
            return {**data, "index": next(waiting, None)}
        parts = data.get("pretokenizers")
        if isinstance(parts, list):
            return {**data, "pretokenizers": [filled(part) for part in parts]}
        return data

    return filled(data) if functions else data


def foreign_phrases(normalizer: Normalizer | None, pre_tokenizer: PreTokenizer | None) -> list[str]:
    """Give up to three phrases of dictionaries that the normalizer would change, so that no text could match them."""
    if normalizer is None or pre_tokenizer is None:
        return []
    if isinstance(pre_tokenizer, Sequence):
        each = (foreign_phrases(normalizer, step) for step in pre_tokenizer.pre_tokenizers)
        return list(itertools.chain.from_iterable(each))[:3]
    if not isinstance(pre_tokenizer, Dictionary):
        return []
    # Normalizers may put something before a whole text; what a phrase is inside one is what counts.
    changed = (p for p in pre_tokenizer.phrases if p not in normalizer.normalize_str(f" {p} "))
    return list(itertools.islice(changed, 3))


def warn_of_foreign_phrases(
    normalizer: Normalizer | None, pre_tokenizer: PreTokenizer | None
) -> None:
    """Warn of phrases that no text could match."""
    if foreign := foreign_phrases(normalizer, pre_tokenizer):
        warn(
            f"the normalizer would change phrases of the dictionary, such as {foreign}, so text will never match them; "
            "write them as they are after normalization, or change the normalizer (Chinese phrases need "
            "BertNormalizer(handle_chinese_chars=False))"
        )


def _name(function: abc.Callable[[str], object]) -> str:
    return getattr(function, "__qualname__", None) or shown(function)
