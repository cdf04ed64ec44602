"""Defines :class:`WordCounts`, the only input of a training."""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from piecework import _core
from piecework._io.files import (
    Pathish,
    existing_folder,
    naming_errors,
    read_bytes,
    refuse_device,
    replacing,
)
from piecework._io.given import as_corpus
from piecework._io.kinds import check_start, check_text
from piecework._messages import did_you_mean, quantity, shown, with_hint, wrong_type
from piecework._settings.arguments import DEFAULT, ArrowColumn, Default, as_bytes, check_iterable
from piecework._settings.component import splitter_json
from piecework._settings.immutable import Immutable
from piecework.corpus._splitting import splitting_like
from piecework.errors import ConfigError, CountOverflowError, FormatError
from piecework.normalizers import BertNormalizer, Normalizer
from piecework.pre_tokenizers import BertPreTokenizer, PreTokenizer
from piecework.tokenizer._phrases import warn_of_foreign_phrases
from piecework.tokenizer._results import CountsSummary

if TYPE_CHECKING:
    from piecework._core import WordCounts as CoreCounts
    from piecework._io.corpus import Corpus
    from piecework._progress import ProgressLike
    from piecework._settings.added_tokens import AddedToken
    from piecework.corpus._counting.run import CountedInParts
    from piecework.corpus._counting.texts import Counted
    from piecework.engines import Engine
    from piecework.tokenizer._arguments import TokenizerLike
    from piecework.trainers import Trainer

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
        texts: Iterable[str] | ArrowColumn | Corpus,
        *,
        like: Trainer | TokenizerLike | None = None,
        normalizer: Normalizer | Default | None = DEFAULT,
        pre_tokenizer: PreTokenizer | Default | None = DEFAULT,
        added_tokens: Iterable[str | AddedToken] = (),
        threads: int | None = None,
        progress: ProgressLike = False,
        first_document: int = 0,
        max_memory: str | int | None = None,
        work_dir: Pathish | None = None,
        engine: Engine | None = None,
        part_bytes: int | None = None,
    ) -> WordCounts:
        """Counts the words of texts, each of which is a document.

        Args:
            texts: Any iterable of ``str``, which is read in batches; a string column as for :meth:`Tokenizer.encode_batch`; or
                files, a :class:`Corpus`.
            like: The trainer that learns from the words, or a tokenizer: texts are split as it does, and for BPE lines of files
                include their line ends. By default they are split as for WordPiece.
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
            work_dir: The folder of the temporary files; by default the system's. With an engine on several machines, a folder
                that they share, which keeps what is done: a call that was interrupted resumes when it is repeated.
            engine: Where parts of a corpus are counted ([docs/cluster.md](docs/cluster.md)); by default in threads of this
                process. The table does not depend on it. Each worker has `max_memory`, 300 MB by default.
            part_bytes: The bytes of input that a worker of the engine counts at a time; 64 MiB by default.

        Returns:
            The table.

        Raises:
            ConfigError: ``max_memory`` is not a size, or an engine cannot divide the corpus.
            FileError: A file cannot be read, or a temporary file written.
            SurrogateError: A text contains a lone surrogate.
            ArrowError: The column is not a string column, or contains nulls.
            WorkerError: The worker of a part died at each of three attempts.
            PieceworkError: A corpus cannot be read; see :class:`Corpus`.

        >>> counts = WordCounts.from_texts(["The cat.", "the mat"])
        >>> counts["the"], counts["."]
        (2, 1)
        """
        counted = _counted(
            texts,
            like=like,
            normalizer=normalizer,
            pre_tokenizer=pre_tokenizer,
            added_tokens=added_tokens,
            threads=threads,
            progress=progress,
            first_document=first_document,
            max_memory=max_memory,
            work_dir=work_dir,
            engine=engine,
            part_bytes=part_bytes,
        )
        return cls._wrap(counted.table(), counted.functions)

    @staticmethod
    def count_to_file(
        texts: Iterable[str] | ArrowColumn | Corpus,
        path: Pathish,
        **settings: Unpack[CountSettings],
    ) -> CountsSummary:
        """Counts the words of texts into a file of word counts, without the whole table in memory.

        The file is the same, byte for byte, for every ``max_memory``, and the same as of :meth:`from_texts` and
        :meth:`save`.

        Args:
            texts: The texts, as for :meth:`from_texts`.
            path: The file of word counts, which is created or replaced when all are counted.
            settings: The settings of :meth:`from_texts`, such as ``max_memory="300MB"``.

        Returns:
            The number of words, the sum of their counts and their fingerprint.

        Raises:
            PieceworkError: See :meth:`from_texts` and :meth:`save`.

        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), "a.counts")
        >>> summary = WordCounts.count_to_file(["low lower low"], path, max_memory="100MB")
        >>> summary.words, summary.total
        (2, 3)
        """
        known = CountSettings.__annotations__
        for name in settings:
            if name not in known:
                advice = did_you_mean(name, known) or f"expected one of {', '.join(known)}"
                problem = f"WordCounts.count_to_file() got an unexpected keyword argument {name!r}"
                raise TypeError(with_hint(problem, advice))
        return _counted(texts, **settings).save(path)

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
        return load_within(paths, max_memory=None, work_dir=work_dir)

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
        from piecework._settings.added_tokens import AddedToken

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
        return self._entry(word)[1]

    def items(self) -> Iterator[tuple[str, int]]:
        """Iterates over words and counts in order of first occurrence."""
        return iter(self._core.by_first_occurrence())

    def __iter__(self) -> Iterator[str]:
        """Iterates over words in order of first occurrence."""
        return (word for word, _ in self.items())

    def __getitem__(self, word: str) -> int:
        """Returns the count of a word."""
        return self._entry(word)[0]

    def _entry(self, word: str) -> tuple[int, tuple[int, int]]:
        """Returns the count and the first occurrence of a word."""
        entry = self._core.get(word)
        if entry is None:
            raise KeyError(word if len(word) <= 60 else f"{word[:57]}…")
        return entry

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
        return f"WordCounts({quantity(len(self), 'word')}, {self.total:,} in all)"


class CountSettings(TypedDict, total=False):
    """Names the settings of :meth:`WordCounts.from_texts`, which describes them."""

    like: Trainer | TokenizerLike | None
    normalizer: Normalizer | Default | None
    pre_tokenizer: PreTokenizer | Default | None
    added_tokens: Iterable[str | AddedToken]
    threads: int | None
    progress: ProgressLike
    first_document: int
    max_memory: str | int | None
    work_dir: Pathish | None
    engine: Engine | None
    part_bytes: int | None


def count_within(texts: Iterable[str] | ArrowColumn | Corpus, **settings: Any) -> WordCounts:
    """Counts the words of texts as :meth:`WordCounts.from_texts`, but the table, too, takes at most `max_memory`.

    Raises:
        ConfigError: The table takes more.
    """
    counted = _counted(texts, limits_table=True, **settings)
    return WordCounts._wrap(counted.table(), counted.functions)


def load_within(
    paths: Iterable[Pathish], *, max_memory: str | int | None, work_dir: Pathish | None
) -> WordCounts:
    """Loads the sum of the tables of files as :meth:`WordCounts.load_files`, but in at most `max_memory`.

    Raises:
        ConfigError: The sum takes more.
    """
    most = as_bytes("max_memory", max_memory)
    return WordCounts._wrap(
        _core.WordCounts.from_files(_checked_files(paths), _folder(work_dir), most)
    )


def _counted(
    texts: Iterable[str] | ArrowColumn | Corpus,
    *,
    like: Trainer | TokenizerLike | None = None,
    normalizer: Normalizer | Default | None = DEFAULT,
    pre_tokenizer: PreTokenizer | Default | None = DEFAULT,
    added_tokens: Iterable[str | AddedToken] = (),
    **settings: Any,
) -> Counted | CountedInParts:
    """Counts the words of texts, for a table or for a file."""
    from piecework.corpus._counting.texts import count_texts

    if like is not None:
        given = {
            "normalizer": not isinstance(normalizer, Default),
            "pre_tokenizer": not isinstance(pre_tokenizer, Default),
            "added_tokens": added_tokens != (),
        }
        for name in filter(given.get, given):
            raise ConfigError("cannot be combined with `like`", setting=name, hint="remove it")
        split, keeps_line_ends = splitting_like(like)
        normalizer, pre_tokenizer = split["normalizer"], split["pre_tokenizer"]
        added_tokens = split["added_tokens"]
        corpus = as_corpus(texts)
        texts = texts if corpus is None else corpus._learned_by(bpe=keeps_line_ends)
    normalizer, pre_tokenizer = with_defaults(normalizer, pre_tokenizer)
    splitter, functions = splitter_json(normalizer, pre_tokenizer, _as_tokens(added_tokens))
    return count_texts(texts, splitter, functions, **settings)


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
        with naming_errors(file) as name:
            refuse_device(name)
        check_text(file, LOAD_COMMAND, json_lines=True)
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
    from piecework._settings.added_tokens import AddedToken, checked_tokens

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


def with_defaults(
    normalizer: Normalizer | Default | None, pre_tokenizer: PreTokenizer | Default | None
) -> tuple[Normalizer | None, PreTokenizer | None]:
    """Returns normalizer and pre-tokenizer with WordPiece's defaults, those of BERT, filled in."""
    normalizer = BertNormalizer() if isinstance(normalizer, Default) else normalizer
    pre_tokenizer = BertPreTokenizer() if isinstance(pre_tokenizer, Default) else pre_tokenizer
    warn_of_foreign_phrases(normalizer, pre_tokenizer)
    return normalizer, pre_tokenizer


def count_words(
    texts: Iterable[str] | ArrowColumn | Corpus, **settings: Unpack[CountSettings]
) -> WordCounts:
    """Counts the words of texts, on one machine or on many; the same as :meth:`WordCounts.from_texts`.

    Args:
        texts: The texts, for example a :class:`Corpus` of files.
        settings: The settings of :meth:`WordCounts.from_texts`, such as ``engine=piecework.engines.Ray()``.

    Returns:
        The table.

    Raises:
        PieceworkError: See :meth:`WordCounts.from_texts`.

    Cost: time linear in the text; memory for each different word once.

    >>> import pathlib, tempfile
    >>> from piecework import Corpus, engines
    >>> file = pathlib.Path(tempfile.mkdtemp(), "a.txt")
    >>> _ = file.write_text("low lower low", encoding="utf-8")
    >>> dict(count_words(Corpus(file), engine=engines.Local(workers=1)).items())
    {'low': 2, 'lower': 1}
    """
    return WordCounts.from_texts(texts, **settings)
