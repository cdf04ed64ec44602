"""Answers what words of a tokenizer can contain."""

from typing import final

from piecework._core import Tokenizer

@final
class WordCharacters:
    r"""Answers which characters and pairs of characters words can contain.

    An answer that words cannot contain something holds for every text; one that they can may be wrong.

    >>> import piecework as pw
    >>> from piecework._core import WordCharacters
    >>> tok = pw.Tokenizer.from_str("[UNK]\nlow\n", lowercase=True)
    >>> words = WordCharacters(tok._core)
    >>> words.is_possible("L"), words.is_separated("w", "."), words.is_alone("中")
    (False, True, True)
    """

    def __new__(cls, tokenizer: Tokenizer) -> WordCharacters: ...
    def is_possible(self, c: str) -> bool:
        """Returns whether a word can contain a character."""

    def is_written(self, c: str) -> bool:
        """Returns whether the normalizer, or a pre-tokenizer after it, can write a character."""

    def is_removed(self, c: str) -> bool:
        """Returns whether the pre-tokenizer removes or replaces a character everywhere."""

    def is_separated(self, left: str, right: str) -> bool:
        """Returns whether a word always ends between two adjacent characters."""

    def is_alone(self, c: str) -> bool:
        """Returns whether no word has a character before this one, or after it."""

    def is_always_first(self, c: str) -> bool:
        """Returns whether no word has a character before this one."""
