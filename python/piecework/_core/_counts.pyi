"""Counts words in texts and files."""

from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from typing import final

from piecework._core._arrow import ArrowTexts

@final
class WordCounts:
    """Maps words to their counts and first occurrences, together with their normalizer and pre-tokenizer."""

    @staticmethod
    def from_bytes(data: bytes) -> WordCounts:
        """Returns the table of the text that `to_text` returned; raises FormatError if it is truncated or corrupt."""

    @staticmethod
    def from_mapping(mapping: dict[str, int]) -> WordCounts:
        """Returns a table of words that are not split, without those of count 0.

        >>> from piecework._core import WordCounts
        >>> WordCounts.from_mapping({"a": 2, "b": 0}).by_first_occurrence()
        [('a', 2)]
        """

    def merged(self, other: WordCounts) -> WordCounts:
        """Returns the sum of two tables; raises CountsError if their settings differ."""

    @staticmethod
    def from_files(
        paths: Sequence[str | PathLike[str]],
        work_dir: str | PathLike[str] | None,
        max_memory: int | None,
    ) -> WordCounts:
        """Returns the sum of the tables of files; `work_dir` is for temporary files.

        ConfigError if the sum takes more than `max_memory` bytes.
        """

    def write(self, path: str | PathLike[str]) -> tuple[int, int, str]:
        """Writes the table to an existing file; returns the number of words, their sum and their fingerprint."""

    def to_text(self) -> str:
        """Returns the table as the text of a file; equal tables give equal texts."""

    def splitter(self) -> str | None:
        """Returns normalizer and pre-tokenizer as JSON; None if unknown."""

    def with_splitter(
        self, splitter: str | None, functions: Sequence[Callable[[str], object]]
    ) -> WordCounts:
        """Returns the table with another splitter (JSON, with its functions), or with an unknown one for None."""

    def fingerprint(self) -> str:
        """Returns the SHA-256 of words and counts in hexadecimal digits."""

    def get(self, word: str) -> tuple[int, tuple[int, int]] | None:
        """Returns the count and first occurrence (document, word number) of a word; None if it is missing."""

    def by_first_occurrence(self) -> list[tuple[str, int]]:
        """Returns words and counts in order of first occurrence."""

    def foreign_to(
        self, splitter: str, functions: Sequence[Callable[[str], object]], limit: int
    ) -> list[str]:
        """Returns up to `limit` words that the splitter (JSON, with its functions) changes."""

    @property
    def total(self) -> int:
        """Returns the sum of all counts."""

    def __len__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    def __ne__(self, other: object) -> bool: ...

@final
class WordCounter:
    """Counts words on several threads, each with its own table until the end.

    Args:
        splitter: Normalizer and pre-tokenizer as JSON.
        functions: The functions that the splitter refers to by index.
        threads: The number of threads; None for one per core.
        first_document: The number of the first text or line.
        memory: The limit of memory in bytes, which the threads share; the folder for temporary files (None for the system's);
            and whether the whole table must be within the limit, else counting ends with a ConfigError. None for no limit.
    """

    def __new__(
        cls,
        splitter: str,
        functions: Sequence[Callable[[str], object]],
        threads: int | None,
        first_document: int,
        memory: tuple[int, str | PathLike[str] | None, bool] | None,
    ) -> WordCounter: ...
    def add_texts(self, batch: Iterable[str]) -> None:
        """Counts the words of texts, each of which is a document."""

    def add_column(self, column: ArrowTexts) -> None:
        """Counts the words of the texts of a column, each of which is a document."""

    def add_file(
        self,
        path: str | PathLike[str],
        replace: bool,
        keep_ends: bool,
        progress: Callable[[int], object],
    ) -> None:
        """Counts the words of a UTF-8 file, each line of which is a document, with or without its line end.

        `progress` is called with the number of bytes read.
        """

    def finish(self) -> WordCounts:
        """Returns the sum of all tables and empties the counter; ConfigError if it exceeds the limit of the table."""

    def write(self, paths: Sequence[str | PathLike[str]]) -> list[tuple[int, int, str]]:
        """Writes the sum of all tables to existing files, each word to the file of its bucket; empties the counter.

        Returns for each file as `WordCounts.write`.
        """

    @property
    def documents(self) -> int:
        """Returns the number of the next document."""
