"""Counting words, from texts and from files."""

from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from typing import final

@final
class WordCounts:
    """A table word → (count, first sight), and the settings that made the words."""

    @staticmethod
    def from_bytes(data: bytes) -> WordCounts:
        """Read what `to_text` wrote; raises FormatError where it was cut or changed."""

    @staticmethod
    def from_mapping(mapping: dict[str, int]) -> WordCounts:
        """Take words as they are; those of count 0 are left out.

        >>> from piecework._core import WordCounts
        >>> WordCounts.from_mapping({"a": 2, "b": 0}).by_first_occurrence()
        [('a', 2)]
        """

    def merged(self, other: WordCounts) -> WordCounts:
        """Give the sum of two tables; raises CountsError where their settings differ."""

    def to_text(self) -> str:
        """Give the table as a file's text; equal tables give equal texts."""

    def splitter(self) -> str | None:
        """Give normalizer and pre-tokenizer as JSON; None where they are not known."""

    def with_splitter(
        self, splitter: str | None, functions: Sequence[Callable[[str], object]]
    ) -> WordCounts:
        """Give the same table, said to be made by the splitter (JSON, with its functions); by means unknown if None."""

    def fingerprint(self) -> str:
        """Give the SHA-256 of words and counts, in hexadecimal digits."""

    def get(self, word: str) -> tuple[int, tuple[int, int]] | None:
        """Give a word's count and first sight (document, place in it); None if it was not counted."""

    def by_first_occurrence(self) -> list[tuple[str, int]]:
        """Give words and counts in order of first sight."""

    def foreign_to(
        self, splitter: str, functions: Sequence[Callable[[str], object]], limit: int
    ) -> list[str]:
        """Give up to `limit` words that the splitter (JSON, with its functions) would not leave as they are."""

    @property
    def total(self) -> int:
        """The sum of all counts."""

    def __len__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    def __ne__(self, other: object) -> bool: ...

@final
class WordCounter:
    """Counts on several threads, each with a table of its own until the end.

    Args:
        splitter: Normalizer and pre-tokenizer as JSON.
        functions: Those that the splitter means by their numbers.
        threads: How many to use; one for each core if None.
        first_document: The number of the first text or line.
    """

    def __new__(
        cls,
        splitter: str,
        functions: Sequence[Callable[[str], object]],
        threads: int | None,
        first_document: int,
    ) -> WordCounter: ...
    def add_texts(self, batch: Iterable[str]) -> None:
        """Count the words of texts, each a document."""

    def add_file(
        self,
        path: str | PathLike[str],
        replace: bool,
        keep_ends: bool,
        progress: Callable[[int], object],
    ) -> None:
        """Count the lines of a UTF-8 file, each a document, with its end or without.

        `progress` is called with bytes read.
        """

    def finish(self) -> WordCounts:
        """Give the sum of all tables; the counter is empty afterwards."""

    @property
    def documents(self) -> int:
        """The number of the next document."""
