"""Defines :class:`WordCounts`, the only input of a training."""

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
from piecework.arguments import (
    DEFAULT,
    ArrowColumn,
    Default,
    as_bytes,
    as_column,
    check_flag,
    check_iterable,
    check_positive,
    check_threads,
)
from piecework.errors import (
    ArrowError,
    ConfigError,
    CountOverflowError,
    FormatError,
    shown,
    wrong_type,
)
from piecework.io import (
    check_start,
    check_start_of,
    check_text,
    detect_encoding,
    existing_folder,
    may_block,
    read_bytes,
    read_lines,
    replacing,
    size,
    unless_json,
)
from piecework.io.lines import codec_name
from piecework.normalizers import BertNormalizer, Normalizer
from piecework.pre_tokenizers import (
    BertPreTokenizer,
    PreTokenizer,
    warn_of_foreign_phrases,
)
from piecework.progress import reporting
from piecework.results import CountsSummary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from piecework._core import ArrowTexts
    from piecework._core import WordCounts as CoreCounts
    from piecework.added_tokens import AddedToken
    from piecework.counting import CountingJob
    from piecework.engines import Engine
    from piecework.io.documents import ReadOptions
    from piecework.io.files import Pathish
    from piecework.io.sources import Source
    from piecework.results import ProgressLike

__all__ = ["WordCounts", "count"]

_TEXTS_AT_A_TIME = 4096
"""The number of texts in a batch: enough to keep the threads busy, few enough to hold in memory."""

_COMMAND = "count-words -"
"""The command that counts the words of standard input, for errors."""
LOAD_COMMAND = "train --counts - -o tokenizer.json"
"""The command that reads word counts from standard input, for errors."""


class WordCounts(Immutable):
    """Maps words to their counts and first occurrences, together with the pipeline that produced the words.

    Tables form a commutative monoid under ``+`` (sum of counts, minimum of first occurrences), so several machines can
    count for one training. Counting takes time linear in the text, and memory for each different word once.

    Args:
        words: Words with their counts; they are not split, and their pipeline is unknown.

    Raises:
        CountOverflowError: The sum of the counts does not fit into 64 bits.

    >>> WordCounts({"low": 5, "lower": 2})["low"]
    5
    """

    __slots__ = ("_core", "_functions")

    _core: CoreCounts
    _functions: tuple[Callable[[str], object], ...]

    def __init__(self, words: Mapping[str, int]) -> None:
        """Creates a table from a mapping."""
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
        added_tokens: Iterable[str | AddedToken] = (),
        threads: int | None = None,
        progress: ProgressLike = False,
        first_document: int = 0,
        max_memory: str | int | None = None,
        work_dir: Pathish | None = None,
    ) -> WordCounts:
        """Counts the words of texts, each of which is a document.

        Args:
            texts: Any iterable of ``str``, which is read in batches; or a string column as for
                :meth:`Tokenizer.encode_batch`.
            normalizer: The normalizer; BERT's by default, None for none.
            pre_tokenizer: The pre-tokenizer; BERT's by default, None makes each text one word.
            added_tokens: The tokens at which texts are cut, as encoding does, so that no word contains one: those of a
                trainer (:attr:`piecework.trainers.Trainer.added_tokens`) or of a tokenizer. A text is a token that is not
                special. Each occurrence is a word of the table, which training does not learn from.
            threads: The number of threads; by default one per core.
            progress: Whether to show progress, or a callback for it.
            first_document: The document number of the first text, if another table counted the texts before it.
            max_memory: The memory for counting, such as ``"300MB"``, ``"2GiB"`` or a number of bytes, at least 1 MB; by
                default unlimited. What exceeds it is kept in temporary files. The table that is returned is in memory.
            work_dir: The folder of the temporary files; by default the system's.

        Returns:
            The table.

        Raises:
            ConfigError: ``max_memory`` is not a size.
            FileError: The temporary files cannot be written.
            SurrogateError: A text contains a lone surrogate.
            ArrowError: The column is not a string column, or contains nulls.

        >>> counts = WordCounts.from_texts(["The cat.", "the mat"])
        >>> counts["the"], counts["."]
        (2, 1)
        """
        return cls._count_texts(
            texts,
            normalizer=normalizer,
            pre_tokenizer=pre_tokenizer,
            added_tokens=added_tokens,
            threads=threads,
            progress=progress,
            first_document=first_document,
            max_memory=max_memory,
            work_dir=work_dir,
        ).table(cls)

    @classmethod
    def _count_texts(
        cls,
        texts: Iterable[str] | ArrowColumn,
        *,
        normalizer: Normalizer | Default | None = DEFAULT,
        pre_tokenizer: PreTokenizer | Default | None = DEFAULT,
        added_tokens: Iterable[str | AddedToken] = (),
        threads: int | None = None,
        progress: ProgressLike = False,
        first_document: int = 0,
        max_memory: str | int | None = None,
        work_dir: Pathish | None = None,
    ) -> Counted:
        """Counts the words of texts for :meth:`from_texts`, for a table or for a file."""
        check_threads(threads)
        normalizer, pre_tokenizer = with_defaults(normalizer, pre_tokenizer)
        if isinstance(texts, str):
            raise TypeError("texts must be an iterable of str, not one str; pass [text]")
        splitter, functions = splitter_json(normalizer, pre_tokenizer, _as_tokens(added_tokens))
        counter = _counter(
            splitter,
            functions,
            threads=threads,
            first_document=first_document,
            max_memory=max_memory,
            work_dir=work_dir,
        )
        column = _text_column(texts)
        each = cast("Iterable[str]", texts if column is None else column)
        documents = check_iterable("texts", each, "an iterable of str")
        with reporting(progress) as report:
            while batch := list(itertools.islice(documents, _TEXTS_AT_A_TIME)):
                try:
                    counter.add_texts(batch)
                except TypeError as error:
                    raise TypeError(f"{error}{_remedy(batch)}") from None
                report("counting texts", counter.documents - first_document, 0)
        return Counted(counter, functions)

    @classmethod
    def from_files(
        cls,
        paths: Pathish | Iterable[Pathish],
        *,
        normalizer: Normalizer | Default | None = DEFAULT,
        pre_tokenizer: PreTokenizer | Default | None = DEFAULT,
        added_tokens: Iterable[str | AddedToken] = (),
        threads: int | None = None,
        progress: ProgressLike = False,
        encoding: str = "utf-8",
        errors: str = "strict",
        field: str | None = None,
        column: str | None = None,
        on_error: str = "raise",
        first_document: int = 0,
        keep_line_ends: bool = False,
        max_memory: str | int | None = None,
        work_dir: Pathish | None = None,
        engine: Engine | None = None,
        part_bytes: int | None = None,
    ) -> WordCounts:
        """Counts the words of files of documents: lines of text, or texts in JSON lines or Parquet.

        Args:
            paths: One file or several, in order; also compressed (.gz, .zst), folders, patterns and URLs
                ([docs/files.md](docs/files.md)).
            normalizer: The normalizer; BERT's by default, None for none.
            pre_tokenizer: The pre-tokenizer; BERT's by default, None makes each line one word.
            added_tokens: The tokens at which texts are cut, as encoding does, so that no word contains one: those of a
                trainer (:attr:`piecework.trainers.Trainer.added_tokens`) or of a tokenizer. A text is a token that is not
                special. Each occurrence is a word of the table, which training does not learn from.
            threads: The number of threads; by default one per core.
            progress: Whether to show progress, or a callback for it.
            encoding: The character encoding of the files, or ``"auto"`` to detect that of each file.
            errors: ``"strict"`` raises on invalid bytes, ``"replace"`` replaces them by U+FFFD.
            field: The member of JSON lines or the column of Parquet with the text; ``"text"`` by default.
            column: Another name for `field`.
            on_error: ``"raise"`` raises for a line or row that is no document, ``"skip"`` skips it and warns at the end.
            first_document: The document number of the first line, if another table counted the lines before it.
            keep_line_ends: Whether a line of text includes its line end, as when ``tokenizers`` reads files.
            max_memory: The memory for counting, such as ``"300MB"``, ``"2GiB"`` or a number of bytes, at least 1 MB; by
                default unlimited. What exceeds it is kept in temporary files. The table that is returned is in memory.
            work_dir: The folder of the temporary files; by default the system's. With an engine on several machines, a folder
                that they share, which keeps what is done: a call that was interrupted resumes when it is repeated.
            engine: Where parts of the files are counted ([docs/cluster.md](docs/cluster.md)); by default in threads of this
                process. The table does not depend on it. Each worker has `max_memory`, 300 MB by default.
            part_bytes: The bytes of input that a worker of the engine counts at a time; 64 MiB by default.

        Returns:
            The table.

        Raises:
            FileError: A file cannot be read, or a temporary file written; for a missing file the error is also a
                ``FileNotFoundError``.
            FormatError: A file is damaged, or is neither text, JSON lines nor Parquet.
            DocumentError: A line or row is no document.
            MissingExtraError: A format requires a package that is not installed.
            InvalidUtf8Error: Invalid UTF-8; the message contains file, line and byte.
            ConfigError: The encoding is unknown, or ``max_memory`` is not a size.
            WorkerError: The worker of a part died at each of three attempts.
        """
        return cls._count_documents(
            paths,
            normalizer=normalizer,
            pre_tokenizer=pre_tokenizer,
            added_tokens=added_tokens,
            threads=threads,
            progress=progress,
            encoding=encoding,
            errors=errors,
            field=field,
            column=column,
            on_error=on_error,
            first_document=first_document,
            keep_line_ends=keep_line_ends,
            max_memory=max_memory,
            work_dir=work_dir,
            engine=engine,
            part_bytes=part_bytes,
        ).table(cls)

    @classmethod
    def count_files(
        cls,
        paths: Pathish | Iterable[Pathish],
        out: Pathish,
        *,
        max_memory: str | int | None = None,
        work_dir: Pathish | None = None,
        **settings: Any,
    ) -> CountsSummary:
        """Counts the words of files of documents into a file of word counts, without the whole table in memory.

        The file is the same, byte for byte, for every ``max_memory``, and the same as of :meth:`from_files` and
        :meth:`save`.

        Args:
            paths: One file or several, in order.
            out: The file of word counts, which is created or replaced when all are counted.
            max_memory: The memory for counting, as for :meth:`from_files`.
            work_dir: The folder of the temporary files; by default the system's.
            settings: The other settings of :meth:`from_files`.

        Returns:
            The number of words, the sum of their counts and their fingerprint.

        Raises:
            PieceworkError: See :meth:`from_files` and :meth:`save`.

        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "a.txt").write_text("low lower low", encoding="utf-8")
        >>> summary = WordCounts.count_files(folder / "a.txt", folder / "a.counts", max_memory="100MB")
        >>> summary.words, summary.total
        (2, 3)
        """
        counted = cls._count_documents(paths, max_memory=max_memory, work_dir=work_dir, **settings)
        return counted.save(out)

    @classmethod
    def _count_documents(
        cls,
        paths: Pathish | Iterable[Pathish],
        *,
        field: str | None = None,
        column: str | None = None,
        on_error: str = "raise",
        encoding: str = "utf-8",
        errors: str = "strict",
        keep_line_ends: bool = False,
        **settings: Any,
    ) -> Counted | CountedInParts:
        """Counts the words of files of any format; see :meth:`from_files`."""
        from piecework.io.documents import read_options

        reading = read_options(
            field,
            column,
            encoding=encoding,
            errors=errors,
            on_error=on_error,
            keep_line_ends=keep_line_ends,
        )
        return cls._count_files(
            paths,
            _COMMAND,
            reading=reading,
            encoding=encoding,
            errors=errors,
            keep_line_ends=keep_line_ends,
            **settings,
        )

    @classmethod
    def _count_files(
        cls,
        paths: Pathish | Iterable[Pathish],
        command: str,
        *,
        normalizer: Normalizer | Default | None = DEFAULT,
        pre_tokenizer: PreTokenizer | Default | None = DEFAULT,
        added_tokens: Iterable[str | AddedToken] = (),
        threads: int | None = None,
        progress: ProgressLike = False,
        encoding: str = "utf-8",
        errors: str = "strict",
        first_document: int = 0,
        keep_line_ends: bool = False,
        max_memory: str | int | None = None,
        work_dir: Pathish | None = None,
        reading: ReadOptions | None = None,
        engine: Engine | None = None,
        part_bytes: int | None = None,
    ) -> Counted | CountedInParts:
        """Counts the words of files for a table or for a file; errors of files that are not text name the command.

        Without `reading`, each path is that of a text file.
        """
        check_threads(threads)
        keep_line_ends = check_flag("keep_line_ends", keep_line_ends)
        normalizer, pre_tokenizer = with_defaults(normalizer, pre_tokenizer)
        if isinstance(paths, str | os.PathLike):
            paths = [paths]
        paths = list(check_iterable("paths", paths, "a path or an iterable of paths"))
        splitter, functions = splitter_json(normalizer, pre_tokenizer, _as_tokens(added_tokens))
        if engine is not None and paths:
            if threads is not None:
                message = "has no effect with `engine`, whose workers have one thread each"
                raise ConfigError(message, setting="threads", hint="remove it")
            if functions:
                message = "a Python function cannot be sent to the workers of an engine"
                raise ConfigError(message, setting="pre_tokenizer", hint="count without `engine`")
            return _in_parts(
                paths,
                splitter,
                reading,
                engine,
                first_document=first_document,
                part_bytes=part_bytes,
                max_memory=max_memory,
                work_dir=work_dir,
                progress=progress,
            )
        if part_bytes is not None and engine is None:
            raise ConfigError("requires `engine`", setting="part_bytes")
        counter = _counter(
            splitter,
            functions,
            threads=threads,
            first_document=first_document,
            max_memory=max_memory,
            work_dir=work_dir,
        )
        inputs = [(path, _documents_of(path, reading)) for path in paths]
        total = sum(map(_size, inputs))
        finished = 0
        with reporting(progress) as report:
            for path, sources in inputs:
                if reading and sources is not None:
                    from piecework.io.documents import read_all

                    for _, documents, read in read_all(sources, reading):
                        counter.add_column(_core.ArrowTexts(documents.texts))
                        report("counting bytes", finished + read, total)
                    finished += _size((path, sources))
                    continue
                _add_file(
                    counter,
                    path,
                    encoding,
                    errors,
                    lambda read, before=finished: report("counting bytes", before + read, total),
                    command=command,
                    keep_line_ends=keep_line_ends,
                )
                finished += size(path)
        return Counted(counter, functions)

    @classmethod
    def load(cls, path: Pathish) -> WordCounts:
        """Loads a table from a file that :meth:`save` wrote.

        Raises:
            FileError: The file cannot be read.
            FormatError: The file is not a table of word counts, or is truncated or corrupt.
        """
        data = read_bytes(path)
        check_start(data, os.fspath(path), LOAD_COMMAND)
        try:
            return cls.from_bytes(data)
        except (FormatError, CountOverflowError) as error:
            raise error.at(os.fspath(path)) from None

    @classmethod
    def load_files(cls, paths: Iterable[Pathish], *, work_dir: Pathish | None = None) -> WordCounts:
        """Loads the sum of the tables of files, with the memory of the sum alone.

        Args:
            paths: Files that :meth:`save` or ``piecework count-words`` wrote, in any order.
            work_dir: The folder for temporary files, which more than 128 files need; by default the system's.

        Returns:
            The sum, as of :meth:`merge`.

        Raises:
            PieceworkError: See :meth:`merge_files`.
        """
        return cls._wrap(_core.WordCounts.from_files(_checked_files(paths), _folder(work_dir)))

    @staticmethod
    def merge_files(
        paths: Iterable[Pathish], out: Pathish, *, work_dir: Pathish | None = None
    ) -> CountsSummary:
        """Merges files of word counts into one, a word at a time: the memory does not grow with the tables.

        Args:
            paths: Files that :meth:`save` or ``piecework count-words`` wrote, in any order.
            out: The file of the sum, which is created or replaced; it is the same for any order and grouping.
            work_dir: The folder for temporary files, which more than 128 files need; by default the system's.

        Returns:
            The number of words, the sum of their counts and their fingerprint.

        Raises:
            FileError: A file cannot be read or written.
            FormatError: A file is not a table of word counts, or is truncated or corrupt.
            CountsError: Two files have different normalizers, pre-tokenizers or added tokens.
            CountOverflowError: A sum does not fit into 64 bits.

        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> WordCounts({"low": 1}).save(folder / "a")
        >>> WordCounts({"low": 2, "new": 1}).save(folder / "b")
        >>> WordCounts.merge_files([folder / "a", folder / "b"], folder / "sum").words
        2
        """
        files, work_folder = _checked_files(paths), _folder(work_dir)
        with replacing(out) as name:
            return CountsSummary(*_core.merge_counts(files, name, work_folder, None))

    @classmethod
    def from_bytes(cls, data: bytes) -> WordCounts:
        """Loads a table from the bytes of a file; see :meth:`load`."""
        if not isinstance(data, bytes):
            raise wrong_type("data", "bytes", data)
        return cls._wrap(_core.WordCounts.from_bytes(data))

    def to_bytes(self) -> bytes:
        """Returns the bytes that :meth:`save` writes."""
        return self._core.to_text().encode()

    def save(self, path: Pathish) -> None:
        """Writes the table as text with one word per line; equal tables give equal files.

        Raises:
            FileError: The file cannot be written; an existing file is unchanged.
        """
        with replacing(path) as name:
            self._core.write(name)

    def merge(self, other: WordCounts) -> WordCounts:
        """Returns the sum of two tables, also written ``a + b``.

        Raises:
            CountsError: The tables have different normalizers, pre-tokenizers or added tokens.
            CountOverflowError: A sum does not fit into 64 bits.

        >>> sum = WordCounts({"a": 1}) + WordCounts({"a": 2, "b": 1})
        >>> dict(sum.items())
        {'a': 3, 'b': 1}
        """
        if not isinstance(other, WordCounts):
            raise wrong_type("other", "WordCounts", other)
        return self._wrap(self._core.merged(other._core), self._functions)

    def __add__(self, other: object) -> WordCounts:
        """Returns the sum of two tables."""
        return self.merge(other) if isinstance(other, WordCounts) else NotImplemented

    @property
    def normalizer(self) -> Normalizer | None:
        """Returns the normalizer of the words, or None if there is none or it is unknown."""
        part = self._parts()["normalizer"]
        return part and Normalizer.from_dict(part)

    @property
    def pre_tokenizer(self) -> PreTokenizer | None:
        """Returns the pre-tokenizer of the words, or None if there is none or it is unknown."""
        part = self._parts()["pre_tokenizer"]
        return part and PreTokenizer.from_dict(part, self._functions)

    @property
    def added_tokens(self) -> tuple[AddedToken, ...]:
        """Returns the tokens at which the texts were cut, in the order of their contents.

        >>> WordCounts.from_texts(["low<a>er"], added_tokens=["<a>"]).added_tokens[0].content
        '<a>'
        """
        from piecework.added_tokens import AddedToken

        return tuple(map(AddedToken.from_dict, self._parts().get("added_tokens", ())))

    @property
    def has_pipeline(self) -> bool:
        """Returns whether normalizer and pre-tokenizer are known; those of a mapping are not."""
        return self._core.splitter() is not None

    def _parts(self) -> dict[str, Any]:
        splitter = self._core.splitter()
        return json.loads(splitter) if splitter else {"normalizer": None, "pre_tokenizer": None}

    @property
    def total(self) -> int:
        """Returns the sum of all counts."""
        return self._core.total

    @property
    def fingerprint(self) -> str:
        """Returns the SHA-256 of words and counts in hexadecimal digits."""
        return self._core.fingerprint()

    def first_occurrence(self, word: str) -> tuple[int, int]:
        """Returns the document number of a word's first occurrence, and the word's number in that document."""
        entry = self._core.get(word)
        if entry is None:
            raise _unknown(word)
        return entry[1]

    def items(self) -> Iterator[tuple[str, int]]:
        """Iterates over words and counts in order of first occurrence."""
        return iter(self._core.by_first_occurrence())

    def __iter__(self) -> Iterator[str]:
        """Iterates over words in order of first occurrence."""
        return (word for word, _ in self.items())

    def __getitem__(self, word: str) -> int:
        """Returns the count of a word."""
        entry = self._core.get(word)
        if entry is None:
            raise _unknown(word)
        return entry[0]

    def __contains__(self, word: object) -> bool:
        """Returns whether the table contains a word."""
        return isinstance(word, str) and self._core.get(word) is not None

    def __len__(self) -> int:
        """Returns the number of different words."""
        return len(self._core)

    def __eq__(self, other: object) -> bool:
        """Returns whether words, counts, first occurrences and pipelines are equal."""
        if not isinstance(other, WordCounts):
            return NotImplemented
        return self._core == other._core

    __hash__ = None  # type: ignore[assignment]  # equal by content, and that can be large

    def _instead(self, name: str) -> str:  # noqa: ARG002  # one answer for all
        """Returns the error for an assignment to any attribute, with what to do instead."""
        return "WordCounts is immutable; create one from a mapping, or add two with a + b"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the text of the file, and separately a pre-tokenizer that is a Python function."""
        if not self._functions:
            return type(self).from_bytes, (self.to_bytes(),)
        table = self._core.with_splitter(None, [])
        parts = (table.to_text().encode(), self.normalizer, self.pre_tokenizer)
        return _unpickle, (*parts, type(self), self.added_tokens)

    def __repr__(self) -> str:
        """Returns the number of words and the sum of their counts."""
        return f"WordCounts({len(self):,} words, {self.total:,} in all)"


class Counted:
    """Holds the words of a counting that is done, in memory or in temporary files."""

    def __init__(
        self, counter: _core.WordCounter, functions: Iterable[Callable[[str], object]]
    ) -> None:
        self._counter, self._functions = counter, functions

    def table(self, kind: type[WordCounts] = WordCounts) -> WordCounts:
        """Returns the words as a table in memory."""
        return kind._wrap(self._counter.finish(), self._functions)

    def save(self, path: Pathish) -> CountsSummary:
        """Writes the words to a file of word counts, as :meth:`WordCounts.save` does."""
        with replacing(path) as name:
            return CountsSummary(*self._counter.write([name])[0])


class CountedInParts:
    """Holds the words of a counting in parts, which runs when they are asked for."""

    def __init__(self, job: CountingJob) -> None:
        self._job = job

    def table(self, kind: type[WordCounts] = WordCounts) -> WordCounts:
        """Returns the words as a table in memory."""
        with self._job.counted() as path:
            return kind._wrap(_core.WordCounts.from_files([path], None))

    def save(self, path: Pathish) -> CountsSummary:
        """Writes the words to a file of word counts, as :meth:`WordCounts.save` does."""
        with self._job.counted() as counted, replacing(path) as name:
            return CountsSummary(*_core.merge_counts([counted], name, None, None))


_WORKER_MEMORY = "300MB"
"""The default limit of memory for counting of a worker of an engine."""
_PART_BYTES = 1 << 26
"""The default number of bytes of input that a worker of an engine counts at a time."""


def _in_parts(
    paths: Iterable[Pathish],
    splitter: str,
    reading: ReadOptions | None,
    engine: Engine,
    *,
    first_document: object,
    part_bytes: int | None,
    max_memory: str | int | None,
    work_dir: Pathish | None,
    progress: ProgressLike,
) -> CountedInParts:
    """Returns the words of files, counted by an engine."""
    from piecework.counting import CountingJob, CountPlan
    from piecework.engines import check_engine
    from piecework.io.documents import ReadOptions, find_all_documents
    from piecework.io.sources import STDIN

    check_engine(engine)
    check_positive("part_bytes", part_bytes)
    reading = reading or ReadOptions()
    sources = [source for path in paths for source in find_all_documents(path, reading)]
    if any(source.name == STDIN for source in sources):
        message = "standard input cannot be read in parts"
        raise ConfigError(message, setting="paths", hint="write it to a file")
    plan = CountPlan.of(
        sources,
        splitter=splitter,
        reading=reading,
        first_document=_checked_first(first_document),
        part_bytes=part_bytes or _PART_BYTES,
    )
    job = CountingJob(
        plan,
        engine,
        work_dir=_folder(work_dir),
        max_memory=as_bytes("max_memory", max_memory or _WORKER_MEMORY),
        progress=progress,
    )
    return CountedInParts(job)


def _counter(
    splitter: str,
    functions: list[Callable[[str], object]],
    *,
    threads: int | None,
    first_document: object,
    max_memory: str | int | None,
    work_dir: Pathish | None,
) -> _core.WordCounter:
    most = as_bytes("max_memory", max_memory)
    first, folder = _checked_first(first_document), _folder(work_dir)
    memory = None if most is None else (most, folder)
    return _core.WordCounter(splitter, functions, threads, first, memory)


def _folder(work_dir: Pathish | None) -> str | None:
    return None if work_dir is None else existing_folder(work_dir, "work_dir")


def _checked_files(paths: Iterable[Pathish]) -> list[str]:
    """Returns the names of files of word counts, at least one."""
    if isinstance(paths, str | os.PathLike):
        paths = [paths]
    files = list(check_iterable("paths", paths, "an iterable of paths"))
    if not files:
        raise ConfigError("expected at least one file of word counts", setting="paths")
    for file in files:
        check_start_of(file, LOAD_COMMAND)
    return [os.fspath(file) for file in files]


def _unpickle(
    data: bytes,
    normalizer: Normalizer | None,
    pre_tokenizer: PreTokenizer | None,
    kind: type[WordCounts] = WordCounts,
    added_tokens: tuple[AddedToken, ...] = (),
) -> WordCounts:
    table = _core.WordCounts.from_bytes(data)
    splitter, functions = splitter_json(normalizer, pre_tokenizer, added_tokens)
    return kind._wrap(table.with_splitter(splitter, functions), functions)


def _as_tokens(tokens: Iterable[str | AddedToken]) -> list[AddedToken]:
    """Returns added tokens; a text is one that is not special."""
    from piecework.added_tokens import AddedToken, checked_tokens

    each = checked_tokens("added_tokens", tokens)
    return [AddedToken(token) if isinstance(token, str) else token for token in each]


def _checked(words: Mapping[Any, Any]) -> dict[str, int]:
    return {word: _checked_count(word, count) for word, count in words.items()}


def _checked_count(word: object, count: Any) -> int:
    """Returns a count (NumPy's included) as an integer."""
    try:
        number = None if isinstance(count, bool) else operator.index(count)
    except TypeError:
        number = None
    if number is None or not isinstance(word, str):
        raise TypeError(
            f"words: expected words with integer counts, found {shown(word)}: {shown(count)}"
        )
    if not 0 <= number < 1 << 64:
        raise ConfigError(
            f"the count of {shown(word)} is {shown(count)}; expected an integer from 0 to 2^64 - 1"
        )
    return number


def _unknown(word: str) -> KeyError:
    return KeyError(word if len(word) <= 60 else f"{word[:57]}…")


def _checked_first(document: object) -> int:
    if isinstance(document, bool) or not isinstance(document, int) or not 0 <= document < 1 << 63:
        raise ConfigError(
            f"expected an integer from 0 on, found {shown(document)}", setting="first_document"
        )
    return document


def with_defaults(
    normalizer: Normalizer | Default | None, pre_tokenizer: PreTokenizer | Default | None
) -> tuple[Normalizer | None, PreTokenizer | None]:
    """Returns normalizer and pre-tokenizer with WordPiece's defaults, those of BERT, filled in."""
    normalizer = BertNormalizer() if isinstance(normalizer, Default) else normalizer
    pre_tokenizer = BertPreTokenizer() if isinstance(pre_tokenizer, Default) else pre_tokenizer
    warn_of_foreign_phrases(normalizer, pre_tokenizer)
    return normalizer, pre_tokenizer


def _remedy(texts: Iterable[object]) -> str:
    """Returns the end of the error for texts that are not `str`: what to pass instead, if known."""
    wrong = (_as_list(text) for text in texts if not isinstance(text, str))
    # An empty list does not show what the lists contain.
    first = next((each for each in wrong if not isinstance(each, list | tuple) or each), None)
    if isinstance(first, bytes):
        return "; decode it, text.decode()"
    if isinstance(first, Mapping):
        name = next((name for name, value in first.items() if isinstance(value, str)), None)
        return "" if name is None else f"; pass the text of the record, row[{shown(name)}]"
    if isinstance(first, set | frozenset):
        return _COUNT_WORDS if first and all(isinstance(each, str) for each in first) else ""
    if isinstance(first, tuple) and tuple(map(type, first)) == (str, int):
        return "; pass words with counts as a mapping, dict(texts)"
    if not isinstance(first, list | tuple) or not first:
        return ""
    return next(
        (remedy for kind, remedy in _REMEDIES if all(isinstance(each, kind) for each in first)), ""
    )


def _as_list(text: object) -> object:
    """Returns an array, a column or a scalar of Arrow as a list; other objects unchanged."""
    for name in ("tolist", "to_list", "as_py"):
        if callable(convert := getattr(text, name, None)):
            return convert()
    return text


_COUNT_WORDS = (
    "; pass word counts, WordCounts(collections.Counter(word for text in texts for word in text))"
)
_REMEDIES: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (
        str,
        '; pass a text that is split into words as one str, " ".join(text), or'
        + _COUNT_WORDS.removeprefix(";"),
    ),
    (bool, ""),
    (int, "; decode token ids, tokenizer.decode(ids)"),
    (
        (list, tuple),
        "; flatten nested lists, itertools.chain.from_iterable(texts)",
    ),
)
"""What to pass instead of a list whose items all have a type; the first match applies."""
_LISTS = ('"+l"', '"+L"', '"+vl"', '"+vL"', '"+w:')
"""The Arrow formats of lists in messages: of any length with offsets of 32 and 64 bits, as views, and of one length."""


def _text_column(texts: object) -> ArrowTexts | None:
    """Returns an Arrow column of texts, or None for another object; the error for a column of lists has a hint."""
    try:
        return as_column(texts)
    except ArrowError as error:
        if any(name in error.problem for name in _LISTS):
            error.hint = (
                'pass the words of each text as one str, [" ".join(map(str, words)) for words in column], or pass word '
                "counts, WordCounts(collections.Counter(str(word) for words in column for word in words))"
            )
        raise


def _add_file(
    counter: _core.WordCounter,
    path: Pathish,
    encoding: str,
    errors: str,
    report: Any,
    *,
    command: str,
    keep_line_ends: bool,
) -> None:
    check_text(path, command)
    codec = codec_name(detect_encoding(path) if encoding == "auto" else encoding, errors)
    # The core cannot be interrupted while it waits for bytes, so Python reads pipes, which handles Ctrl-C.
    if codec == "utf-8" and errors in ("strict", "replace") and not may_block(path):
        counter.add_file(path, errors == "replace", keep_line_ends, report)
        return
    lines = read_lines(path, codec, errors, keep_ends=keep_line_ends, command=command)
    if may_block(path):
        lines = unless_json(lines, os.fspath(path), command)
    while batch := list(itertools.islice(lines, _TEXTS_AT_A_TIME)):
        counter.add_texts(batch)


def _documents_of(path: Pathish, reading: ReadOptions | None) -> list[Source] | None:
    """Returns the sources of documents that a path names; None for a text file."""
    from piecework.io.documents import find_documents

    return find_documents(path, reading) if reading else None


def _size(found: tuple[Pathish, list[Source] | None]) -> int:
    """Returns the number of bytes of a text file or of sources, as far as they are known."""
    path, sources = found
    return size(path) if sources is None else sum(source.size or 0 for source in sources)


def count(
    paths: Pathish | Iterable[Pathish], *, engine: Engine | None = None, **settings: Any
) -> WordCounts:
    """Counts the words of files of documents, on one machine or on many.

    Args:
        paths: One file or several, in order; also compressed, folders, patterns and URLs.
        engine: Where the parts of the files are counted, such as ``engines.Ray(address="auto")``; by default in threads of
            this process. The table does not depend on it.
        settings: The other settings of :meth:`WordCounts.from_files`.

    Returns:
        The table.

    Raises:
        PieceworkError: See :meth:`WordCounts.from_files`.

    Cost: time linear in the text; memory for each different word once.

    >>> import pathlib, tempfile
    >>> from piecework.engines import Local
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "a.txt"
    >>> _ = file.write_text("low lower low", encoding="utf-8")
    >>> dict(count(file, engine=Local(workers=1)).items())
    {'low': 2, 'lower': 1}
    """
    return WordCounts.from_files(paths, engine=engine, **settings)
