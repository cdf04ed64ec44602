"""Pre-tokenizers: how a normalized text is split into words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from piecework import _core
from piecework._component import Component, splitter_json

__all__ = ["BertPreTokenizer", "PreTokenizer", "WhitespaceSplit"]


class PreTokenizer(Component):
    """The base of all pre-tokenizers."""

    def pre_tokenize_str(self, text: str) -> list[tuple[str, tuple[int, int]]]:
        """Give the words of a text.

        Args:
            text: Any text; it is not normalized first.

        Returns:
            Each word with its span of characters.

        Raises:
            SurrogateError: The text holds a lone surrogate.

        >>> WhitespaceSplit().pre_tokenize_str("to be, or")
        [('to', (0, 2)), ('be,', (3, 6)), ('or', (7, 9))]
        """
        return _core.pre_tokenize(splitter_json(None, self), text)


@dataclass(frozen=True)
class BertPreTokenizer(PreTokenizer):
    """White space divides, and every punctuation character is a word of its own.

    >>> [word for word, span in BertPreTokenizer().pre_tokenize_str("to be, or")]
    ['to', 'be', ',', 'or']
    """

    type_name: ClassVar[str] = "BertPreTokenizer"


@dataclass(frozen=True)
class WhitespaceSplit(PreTokenizer):
    """White space divides, nothing else does.

    >>> [word for word, span in WhitespaceSplit().pre_tokenize_str("to be, or")]
    ['to', 'be,', 'or']
    """

    type_name: ClassVar[str] = "WhitespaceSplit"


def from_dict(parts: dict[str, Any] | None) -> PreTokenizer | None:
    """Give the pre-tokenizer that ``to_dict`` wrote."""
    if parts is None:
        return None
    kinds: dict[str, type[PreTokenizer]] = {
        "BertPreTokenizer": BertPreTokenizer,
        "WhitespaceSplit": WhitespaceSplit,
    }
    return kinds[parts["type"]]()
