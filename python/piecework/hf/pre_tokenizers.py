"""Defines pre-tokenizers, which split a text into words.

>>> from piecework.hf import pre_tokenizers
>>> pre_tokenizers.Whitespace().pre_tokenize_str("to be, or")
[('to', (0, 2)), ('be', (3, 5)), (',', (5, 6)), ('or', (7, 9))]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework.hf import _arguments, _patterns, _state, _strings
from piecework.hf._arguments import character as _character, flag as _flag
from piecework.hf._declared import setting as _setting
from piecework.hf._patterns import prepend_scheme as _scheme

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "BertPreTokenizer",
    "ByteLevel",
    "CharDelimiterSplit",
    "Digits",
    "FixedLength",
    "Metaspace",
    "PreTokenizer",
    "Punctuation",
    "Sequence",
    "Split",
    "UnicodeScripts",
    "Whitespace",
    "WhitespaceSplit",
]


class PreTokenizer(_state.Component):
    """Serves as the base of all pre-tokenizers."""

    _kind = "PreTokenizer"

    @staticmethod
    def custom(pretok: Any) -> PreTokenizer:
        """Returns a pre-tokenizer that calls ``pretok.pre_tokenize`` with a :class:`PreTokenizedString` to change.

        >>> from piecework.hf.pre_tokenizers import PreTokenizer
        >>> class Commas:
        ...     def pre_tokenize(self, text):
        ...         text.split(lambda number, part: part.split(",", "removed"))
        >>> PreTokenizer.custom(Commas()).pre_tokenize_str("to,be")
        [('to', (0, 2)), ('be', (3, 5))]
        """
        return PreTokenizer._of_custom(pretok)

    def pre_tokenize(self, pretok: _strings.PreTokenizedString) -> None:
        """Splits the parts of a text in place.

        >>> from piecework.hf import PreTokenizedString, pre_tokenizers
        >>> text = PreTokenizedString("to be")
        >>> pre_tokenizers.Whitespace().pre_tokenize(text)
        >>> text.get_splits()
        [('to', (0, 2), None), ('be', (3, 5), None)]
        """
        _arguments.instance(pretok, _strings.PreTokenizedString)
        self._run(pretok, lambda state: pretok.split(_splitter(state)))

    def pre_tokenize_str(self, s: str) -> list[tuple[str, tuple[int, int]]]:
        """Returns the words of a ``str``, with their start and end in characters.

        >>> from piecework.hf.pre_tokenizers import Whitespace
        >>> Whitespace().pre_tokenize_str("to be")
        [('to', (0, 2)), ('be', (3, 5))]
        """
        pretok = _strings.PreTokenizedString(_arguments.string(s))
        self.pre_tokenize(pretok)
        return [(word, span) for word, span, _ in pretok.get_splits()]


def _splitter(
    state: dict[str, Any],
) -> Callable[[int, _strings.NormalizedString], list[_strings.NormalizedString]]:
    """Returns a function that splits a part of a text, given its number and itself, into words by the core."""
    first = later = _arguments.stages(pre_tokenizer=state)
    if state.get("prepend_scheme") == "first":
        later = _arguments.stages(pre_tokenizer=state | {"prepend_scheme": "never"})

    def split(_number: int, part: _strings.NormalizedString) -> list[_strings.NormalizedString]:
        stage = later if part._start else first
        words = stage.pre_tokenize_aligned(part.normalized)
        return [_word(part, text, spans) for text, spans in words]

    return split


def _word(
    part: _strings.NormalizedString, text: str, spans: list[tuple[int, int]]
) -> _strings.NormalizedString:
    """Returns a word with characters of the part that it represents."""
    if not spans:
        return part._part(0, 0)
    word = part._part(spans[0][0], spans[-1][1])
    shift = word._start - part._start
    origins = [part._origin(span) for span in spans]
    word._text, word._origins = text, [(start - shift, end - shift) for start, end in origins]
    return word


class BertPreTokenizer(PreTokenizer):
    """Splits at white space and isolates each punctuation character.

    >>> from piecework.hf.pre_tokenizers import BertPreTokenizer
    >>> BertPreTokenizer().pre_tokenize_str("a!?")
    [('a', (0, 1)), ('!', (1, 2)), ('?', (2, 3))]
    """


class ByteLevel(PreTokenizer):
    """Splits as GPT-2 does, and replaces each byte by a visible character.

    Args:
        add_prefix_space: Whether a space is prepended to a text without one.
        trim_offsets: Whether post-processing excludes spaces from offsets.
        use_regex: Whether GPT-2's pattern splits the text.
        **_kwargs: Ignored.

    >>> from piecework.hf.pre_tokenizers import ByteLevel
    >>> ByteLevel(add_prefix_space=False).pre_tokenize_str("to be")
    [('to', (0, 2)), ('Ġbe', (2, 5))]
    """

    add_prefix_space: bool = _setting(_flag, default=True)
    trim_offsets: bool = _setting(_flag, default=True)
    use_regex: bool = _setting(_flag, default=True)

    def __init__(
        self,
        add_prefix_space: bool = True,
        trim_offsets: bool = True,
        use_regex: bool = True,
        **_kwargs: Any,
    ) -> None:
        """Checks the settings."""
        self._fill([add_prefix_space, trim_offsets, use_regex])

    @staticmethod
    def alphabet() -> list[str]:
        """Returns the 256 characters that represent bytes, in no particular order.

        >>> from piecework.hf.pre_tokenizers import ByteLevel
        >>> len(ByteLevel.alphabet())
        256
        """
        from piecework._byte_text import byte_characters

        return list(byte_characters().values())


class CharDelimiterSplit(PreTokenizer):
    """Splits at a character, which is removed.

    Args:
        delimiter: The character.

    >>> from piecework.hf.pre_tokenizers import CharDelimiterSplit
    >>> CharDelimiterSplit("-").pre_tokenize_str("a-b")
    [('a', (0, 1)), ('b', (2, 3))]
    """

    delimiter: str = _setting(_character)

    def __getnewargs__(self) -> tuple[str]:
        """Returns the arguments with which `tokenizers` unpickles the pre-tokenizer."""
        return (" ",)


class Digits(PreTokenizer):
    """Isolates digits.

    Args:
        individual_digits: Whether each digit is a word, rather than a run of them.

    >>> from piecework.hf.pre_tokenizers import Digits
    >>> Digits().pre_tokenize_str("a12")
    [('a', (0, 1)), ('12', (1, 3))]
    """

    individual_digits: bool = _setting(_flag, default=False)


class FixedLength(PreTokenizer):
    """Splits into words of a fixed length.

    Args:
        length: The length in characters.

    >>> from piecework.hf.pre_tokenizers import FixedLength
    >>> FixedLength(2).pre_tokenize_str("abc")
    [('ab', (0, 2)), ('c', (2, 3))]
    """

    length: int = _setting(_arguments.unsigned, default=5)


class Metaspace(PreTokenizer):
    """Replaces spaces by a visible character, and splits before it.

    Args:
        replacement: The character.
        prepend_scheme: Whether it is prepended to a text without one: ``"always"``, ``"never"`` or ``"first"`` (only to the
            first part of a text).
        split: Whether the text is split.

    >>> from piecework.hf.pre_tokenizers import Metaspace
    >>> Metaspace().pre_tokenize_str("to be")
    [('▁to', (0, 2)), ('▁be', (2, 5))]
    """

    replacement: str = _setting(_character, default="▁")
    prepend_scheme: str = _setting(_scheme, default="always")
    split: bool = _setting(_flag, default=True)


class Punctuation(PreTokenizer):
    """Splits at punctuation.

    Args:
        behavior: What happens to a punctuation character; see :class:`Split`.

    >>> from piecework.hf.pre_tokenizers import Punctuation
    >>> Punctuation().pre_tokenize_str("a!")
    [('a', (0, 1)), ('!', (1, 2))]
    """

    behavior: Any = _setting(_patterns.BEHAVIOR, default="isolated")


class Split(PreTokenizer):
    """Splits at the matches of a pattern.

    Args:
        pattern: A string, or a :class:`piecework.hf.Regex`.
        behavior: What happens to a match: ``"removed"``, ``"isolated"``, ``"merged_with_previous"``,
            ``"merged_with_next"`` or ``"contiguous"``.
        invert: Whether the text between the matches is the delimiter.

    >>> from piecework.hf.pre_tokenizers import Split
    >>> Split("-", "merged_with_next").pre_tokenize_str("a-b")
    [('a', (0, 1)), ('-b', (1, 3))]
    """

    pattern: str | _patterns.Regex = _setting(_patterns.hidden_pattern("split"))
    behavior: Any = _setting(_patterns.BEHAVIOR)
    invert: bool = _setting(_flag, default=False)

    def __getnewargs__(self) -> tuple[str, str]:
        """Returns the arguments with which `tokenizers` unpickles the pre-tokenizer."""
        return " ", "removed"


class UnicodeScripts(PreTokenizer):
    """Splits where the script changes.

    >>> from piecework.hf.pre_tokenizers import UnicodeScripts
    >>> UnicodeScripts().pre_tokenize_str("aя")
    [('a', (0, 1)), ('я', (1, 2))]
    """


class Whitespace(PreTokenizer):
    r"""Splits into runs of word characters and runs of others, ``\w+|[^\w\s]+``.

    >>> from piecework.hf.pre_tokenizers import Whitespace
    >>> Whitespace().pre_tokenize_str("a !?")
    [('a', (0, 1)), ('!?', (2, 4))]
    """


class WhitespaceSplit(PreTokenizer):
    """Splits at white space.

    >>> from piecework.hf.pre_tokenizers import WhitespaceSplit
    >>> WhitespaceSplit().pre_tokenize_str("a b!")
    [('a', (0, 1)), ('b!', (2, 4))]
    """


class _OwnPreTokenizer(PreTokenizer, _state.OwnComponent):
    """Holds a pre-tokenizer that only piecework has, such as `Dictionary` or `Jieba`."""


class Sequence(PreTokenizer, _state.IndexedParts):
    """Applies several pre-tokenizers in order.

    Args:
        pre_tokenizers: The pre-tokenizers; a change of one of them takes effect here, too.

    >>> from piecework.hf.pre_tokenizers import Sequence
    >>> Sequence([]).pre_tokenize_str("a b")
    [('a b', (0, 3))]
    """

    _member = "pretokenizers"
    _base = PreTokenizer

    def __init__(self, pre_tokenizers: list[PreTokenizer]) -> None:
        """Checks the pre-tokenizers."""
        self._hold(pre_tokenizers)
