"""Word counts: all that training sees of a text."""

from __future__ import annotations

import itertools
import json
import operator
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from piecework import _core
from piecework._component import splitter_json
from piecework._immutable import Immutable
from piecework.arguments import DEFAULT, ArrowColumn, Default, as_column, check_iterable
from piecework.errors import (
    ConfigError,
    CountOverflowError,
    FormatError,
    shown,
    wrong_type,
)
from piecework.io import (
    check_start,
    check_text,
    detect_encoding,
    may_block,
    read_bytes,
    read_lines,
    size,
    unless_json_lines,
    write_aside,
)
from piecework.io.lines import codec_name
from piecework.normalizers import BertNormalizer, Normalizer
from piecework.pre_tokenizers import (
    BertPreTokenizer,
    PreTokenizer,
    warn_of_foreign_phrases,
)
from piecework.progress import reporting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from piecework._core import WordCounts as CoreCounts
    from piecework.io.files import Pathish
    from piecework.types import ProgressLike

__all__ = ["WordCounts"]

_TEXTS_AT_A_TIME = 4096
"""Texts are counted in batches: enough to keep the threads busy, few enough to hold in memory."""


_COMMAND = "count-words -"
LOAD_COMMAND = "train --counts - -o tokenizer.json"
"""The commands that read from standard input what files hold, for errors."""
"""What counts the words of standard input on the command line."""


class WordCounts(Immutable):
    """A table word → (count, first sight), with the settings that made the words.

    Tables add up (``+``): counts by sum, first sights by minimum, in any order and grouping, so that many machines can
    count for one training. Counting takes time linear in the text, and memory for each different word once.

    Args:
        words: Words with their counts, taken as they are; how they were made is not known.

    Raises:
        CountOverflowError: The counts add up to more than 64 bits hold.

    >>> WordCounts({"low": 5, "lower": 2})["low"]
    5
    """

    __slots__ = ("_core", "_functions")

    _core: CoreCounts
    _functions: tuple[Callable[[str], object], ...]

    def __init__(self, words: Mapping[str, int]) -> None:
        """Take the words of a mapping."""
        if hasattr(self, "_core"):
            self._refuse_initializing()
        if not isinstance(words, Mapping):
            raise wrong_type(
                "words", "a mapping of words to counts (from_texts counts texts)", words
            )
        self._fill(_core.WordCounts.from_mapping(_checked(words)), ())

    @classmethod
    def _wrap(
        cls, core: CoreCounts, functions: Iterable[Callable[[str], object]] = ()
    ) -> WordCounts:
        counts = cls.__new__(cls)
        counts._fill(core, tuple(functions))
        return counts

    def _fill(self, core: CoreCounts, functions: tuple[Callable[[str], object], ...]) -> None:
        object.__setattr__(self, "_core", core)
        object.__setattr__(self, "_functions", functions)

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[str] | ArrowColumn,
        *,
        normalizer: Normalizer | Default | None = DEFAULT,
        pre_tokenizer: PreTokenizer | Default | None = DEFAULT,
        threads: int | None = None,
        progress: ProgressLike = False,
        first_document: int = 0,
    ) -> WordCounts:
        """Count the words of texts, each a document.

        Args:
            texts: Any iterable of ``str``, which is read in batches; or a column of strings as for
                :meth:`Tokenizer.encode_batch`.
            normalizer: What the texts are changed by; BERT's by default, None for nothing.
            pre_tokenizer: How they are split; BERT's by default, None for one word a text.
            threads: How many to use; one for each core by default.
            progress: Whether to show progress, or what to call with it.
            first_document: The number of the first text, where another table counted those before it.

        Returns:
            The table.

        Raises:
            SurrogateError: A text holds a lone surrogate.
            ArrowError: A column that holds something else than texts, nulls included.

        >>> counts = WordCounts.from_texts(["The cat.", "the mat"])
        >>> counts["the"], counts["."]
        (2, 1)
        """
        normalizer, pre_tokenizer = with_defaults(normalizer, pre_tokenizer)
        if isinstance(texts, str):
            raise TypeError("texts must be an iterable of str, not one str; pass [text]")
        splitter, functions = splitter_json(normalizer, pre_tokenizer)
        counter = _core.WordCounter(splitter, functions, threads, _checked_first(first_document))
        column = as_column(texts)
        each = cast("Iterable[str]", texts if column is None else column)
        documents = check_iterable("texts", each, "an iterable of str")
        with reporting(progress) as report:
            while batch := list(itertools.islice(documents, _TEXTS_AT_A_TIME)):
                try:
                    counter.add_texts(batch)
                except TypeError as error:
                    raise TypeError(f"{error}{_way_out(batch)}") from None
                report("counting texts", counter.documents - first_document, 0)
        return cls._wrap(counter.finish(), functions)

    @classmethod
    def from_files(
        cls,
        paths: Pathish | Iterable[Pathish],
        *,
        normalizer: Normalizer | Default | None = DEFAULT,
        pre_tokenizer: PreTokenizer | Default | None = DEFAULT,
        threads: int | None = None,
        progress: ProgressLike = False,
        encoding: str = "utf-8",
        errors: str = "strict",
        first_document: int = 0,
        keep_line_ends: bool = False,
    ) -> WordCounts:
        """Count the words of text files; each line is a document, without its end unless that is to be kept.

        Args:
            paths: One file or several, in order.
            normalizer: What the lines are changed by; BERT's by default, None for nothing.
            pre_tokenizer: How they are split; BERT's by default, None for one word a line.
            threads: How many to use; one for each core by default.
            progress: Whether to show progress, or what to call with it.
            encoding: Their character set, or ``"auto"`` to detect it for each file.
            errors: ``"strict"`` makes broken bytes an error, ``"replace"`` puts U+FFFD in their place.
            first_document: The number of the first line, where another table counted those before it.
            keep_line_ends: Whether the end of a line belongs to it, as ``tokenizers`` reads files.

        Returns:
            The table.

        Raises:
            FileError: A file cannot be read; a missing file also is a ``FileNotFoundError``.
            FormatError: A file is not text but compressed data, a Parquet file, or JSON lines.
            InvalidUtf8Error: Broken bytes, with file, line and byte.
            ConfigError: There is no such encoding.
        """
        normalizer, pre_tokenizer = with_defaults(normalizer, pre_tokenizer)
        if isinstance(paths, str | os.PathLike):
            paths = [paths]
        paths = list(check_iterable("paths", paths, "a path or an iterable of paths"))
        splitter, functions = splitter_json(normalizer, pre_tokenizer)
        counter = _core.WordCounter(splitter, functions, threads, _checked_first(first_document))
        total = sum(map(size, paths))
        done = 0
        with reporting(progress) as report:
            for path in paths:
                _add_file(
                    counter,
                    path,
                    encoding,
                    errors,
                    lambda read, before=done: report("counting bytes", before + read, total),
                    keep_line_ends=bool(keep_line_ends),
                )
                done += size(path)
        return cls._wrap(counter.finish(), functions)

    @classmethod
    def load(cls, path: Pathish) -> WordCounts:
        """Read a table that :meth:`save` wrote.

        Raises:
            FileError: The file cannot be read.
            FormatError: It is no such table, or was cut or changed.
        """
        data = read_bytes(path)
        check_start(data, os.fspath(path), LOAD_COMMAND)
        try:
            return cls.from_bytes(data)
        except (FormatError, CountOverflowError) as error:
            raise type(error)(f"{os.fspath(path)}: {error}") from None

    @classmethod
    def from_bytes(cls, data: bytes) -> WordCounts:
        """Read the bytes of a table; see :meth:`load`."""
        if not isinstance(data, bytes):
            raise wrong_type("data", "bytes", data)
        return cls._wrap(_core.WordCounts.from_bytes(data))

    def to_bytes(self) -> bytes:
        """Give the bytes that :meth:`save` writes."""
        return self._core.to_text().encode()

    def save(self, path: Pathish) -> None:
        """Write the table as text, a word a line; the same table is the same file.

        Raises:
            FileError: The file cannot be written; what was there before is untouched.
        """
        write_aside(path, self.to_bytes())

    def merge(self, other: WordCounts) -> WordCounts:
        """Give the sum of two tables, also written ``a + b``.

        Raises:
            CountsError: They were counted with different settings.
            CountOverflowError: A sum does not fit into 64 bits.

        >>> sum = WordCounts({"a": 1}) + WordCounts({"a": 2, "b": 1})
        >>> dict(sum.items())
        {'a': 3, 'b': 1}
        """
        if not isinstance(other, WordCounts):
            raise wrong_type("other", "WordCounts", other)
        return self._wrap(self._core.merged(other._core), self._functions)

    def __add__(self, other: object) -> WordCounts:
        """Give the sum of two tables."""
        return self.merge(other) if isinstance(other, WordCounts) else NotImplemented

    @property
    def normalizer(self) -> Normalizer | None:
        """The normalizer the words were made with; None also where it is not known."""
        part = self._parts()["normalizer"]
        return part and Normalizer.from_dict(part)

    @property
    def pre_tokenizer(self) -> PreTokenizer | None:
        """The pre-tokenizer the words were made with; None also where it is not known."""
        part = self._parts()["pre_tokenizer"]
        return part and PreTokenizer.from_dict(part, self._functions)

    @property
    def has_pipeline(self) -> bool:
        """Whether the table knows how its words were made, as one from a mapping does not."""
        return self._core.splitter() is not None

    def _parts(self) -> dict[str, Any]:
        splitter = self._core.splitter()
        return json.loads(splitter) if splitter else {"normalizer": None, "pre_tokenizer": None}

    @property
    def total(self) -> int:
        """The sum of all counts."""
        return self._core.total

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of words and counts, in hexadecimal digits."""
        return self._core.fingerprint()

    def first_occurrence(self, word: str) -> tuple[int, int]:
        """Give the number of the document where a word was seen first, and the word's number in it."""
        found = self._core.get(word)
        if found is None:
            raise _unknown(word)
        return found[1]

    def items(self) -> Iterator[tuple[str, int]]:
        """Iterate over words and counts in order of first sight."""
        return iter(self._core.by_first_occurrence())

    def __iter__(self) -> Iterator[str]:
        """Iterate over words in order of first sight."""
        return (word for word, _ in self.items())

    def __getitem__(self, word: str) -> int:
        """Give the count of a word."""
        found = self._core.get(word)
        if found is None:
            raise _unknown(word)
        return found[0]

    def __contains__(self, word: object) -> bool:
        """Tell whether a word was counted."""
        return isinstance(word, str) and self._core.get(word) is not None

    def __len__(self) -> int:
        """Give the number of different words."""
        return len(self._core)

    def __eq__(self, other: object) -> bool:
        """Compare words, counts, first sights and settings."""
        if not isinstance(other, WordCounts):
            return NotImplemented
        return self._core == other._core

    __hash__ = None  # type: ignore[assignment]  # equal by content, and that can be large

    def _instead(self, name: str) -> str:  # noqa: ARG002  # one answer for all
        """Return what to call instead of assigning to an attribute, whatever its name."""
        return "WordCounts is immutable; make another of a mapping, or add two with a + b"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the file's text, and a pre-tokenizer that no file holds, a Python function, beside it."""
        if not self._functions:
            return type(self).from_bytes, (self.to_bytes(),)
        table = self._core.with_splitter(None, [])
        parts = (table.to_text().encode(), self.normalizer, self.pre_tokenizer)
        return _unpickle, (*parts, type(self))

    def __repr__(self) -> str:
        """Tell the size."""
        return f"WordCounts({len(self):,} words, {self.total:,} in all)"


def _unpickle(
    data: bytes,
    normalizer: Normalizer | None,
    pre_tokenizer: PreTokenizer | None,
    kind: type[WordCounts] = WordCounts,
) -> WordCounts:
    table = _core.WordCounts.from_bytes(data)
    splitter, functions = splitter_json(normalizer, pre_tokenizer)
    return kind._wrap(table.with_splitter(splitter, functions), functions)


def _checked(words: Mapping[Any, Any]) -> dict[str, int]:
    return {word: _checked_count(word, count) for word, count in words.items()}


def _checked_count(word: object, count: Any) -> int:
    """Return a count as an integer, also where it is one of NumPy's."""
    try:
        number = None if isinstance(count, bool) else operator.index(count)
    except TypeError:
        number = None
    if number is None or not isinstance(word, str):
        found = f"{shown(word)}: {shown(count)}"
        raise TypeError(f"words: expected words with integer counts, found {found}")
    if not 0 <= number < 1 << 64:
        raise ConfigError(
            f"the count of {shown(word)} is {shown(count)}; expected an integer from 0 to 2^64 - 1"
        )
    return number


def _unknown(word: str) -> KeyError:
    return KeyError(word if len(word) <= 60 else f"{word[:57]}…")


def _checked_first(document: object) -> int:
    if isinstance(document, bool) or not isinstance(document, int) or not 0 <= document < 1 << 63:
        raise ConfigError(f"first_document must be an integer from 0 on, not {shown(document)}")
    return document


def with_defaults(
    normalizer: Normalizer | Default | None, pre_tokenizer: PreTokenizer | Default | None
) -> tuple[Normalizer | None, PreTokenizer | None]:
    """Put WordPiece's defaults, those of BERT, where nothing was given."""
    normalizer = BertNormalizer() if isinstance(normalizer, Default) else normalizer
    pre_tokenizer = BertPreTokenizer() if isinstance(pre_tokenizer, Default) else pre_tokenizer
    warn_of_foreign_phrases(normalizer, pre_tokenizer)
    return normalizer, pre_tokenizer


def _way_out(texts: Iterable[object]) -> str:
    """Return the end of the error for texts of which one is no `str`: what to pass instead, where that is known."""
    wrong = next((text for text in texts if not isinstance(text, str)), None)
    if isinstance(wrong, bytes):
        return "; decode it, text.decode()"
    if isinstance(wrong, Mapping):
        name = next((name for name, value in wrong.items() if isinstance(value, str)), None)
        return "" if name is None else f"; of a record pass its text, row[{shown(name)}]"
    if not isinstance(wrong, list | tuple) or not wrong:
        return ""
    if isinstance(wrong, tuple) and tuple(map(type, wrong)) == (str, int):
        return "; of words with counts pass a mapping, dict(texts)"
    return next((way for kind, way in _WAYS_OUT if all(isinstance(x, kind) for x in wrong)), "")


_WAYS_OUT: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (
        str,
        '; of a text in words pass one str, " ".join(text), or of all the counts of their words, '
        "WordCounts(collections.Counter(word for text in texts for word in text))",
    ),
    (bool, ""),
    (int, "; of token ids pass their text, tokenizer.decode(ids)"),
    (
        (list, tuple),
        "; of a list in a list pass the inner ones, itertools.chain.from_iterable(texts)",
    ),
)
"""What to pass instead of a list whose items are all of a type; the first that fits."""


def _add_file(
    counter: _core.WordCounter,
    path: Pathish,
    encoding: str,
    errors: str,
    report: Any,
    *,
    keep_line_ends: bool,
) -> None:
    check_text(path, _COMMAND)
    codec = codec_name(detect_encoding(path) if encoding == "auto" else encoding, errors)
    # The core waits for bytes; where they may not come, Python does, which listens for Ctrl-C.
    if codec == "utf-8" and errors in ("strict", "replace") and not may_block(path):
        counter.add_file(path, errors == "replace", keep_line_ends, report)
        return
    lines = read_lines(path, codec, errors, keep_ends=keep_line_ends, command=_COMMAND)
    if may_block(path):
        lines = unless_json_lines(lines, os.fspath(path), _COMMAND)
    while batch := list(itertools.islice(lines, _TEXTS_AT_A_TIME)):
        counter.add_texts(batch)
