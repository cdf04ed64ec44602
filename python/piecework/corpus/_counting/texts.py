"""Counts the words of texts: in this process, or with an engine the files of a corpus in parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework import _core
from piecework._core import ArrowTexts
from piecework._io.documents import naming_file, read_all
from piecework._io.files import Pathish, existing_folder, replacing
from piecework._io.given import as_corpus
from piecework._io.remedies import naming_encoding
from piecework._io.sources import total_size
from piecework._io.texts import TextBatch, batches_of, check_items, divisible
from piecework._messages import shown
from piecework._progress import ProgressLike, Report, reporting
from piecework._settings.arguments import ArrowColumn, as_bytes, check_positive, check_threads
from piecework.errors import ConfigError
from piecework.tokenizer._results import CountsSummary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from piecework._io.corpus import Corpus
    from piecework.corpus._counting.run import CountedInParts
    from piecework.engines import Engine

_WORKER_MEMORY = "300MB"
"""The default limit of memory for counting of a worker of an engine."""
_PART_BYTES = 1 << 26
"""The default number of bytes of input that a worker of an engine counts at a time."""


def count_texts(
    texts: Iterable[str] | ArrowColumn | Corpus,
    splitter: str,
    functions: list[Callable[[str], object]],
    *,
    threads: int | None = None,
    progress: ProgressLike = False,
    first_document: int = 0,
    max_memory: str | int | None = None,
    work_dir: Pathish | None = None,
    engine: Engine | None = None,
    part_bytes: int | None = None,
    limits_table: bool = False,
) -> Counted | CountedInParts:
    """Counts the words of texts, for a table or for a file.

    Args:
        texts: The texts.
        splitter: Normalizer, pre-tokenizer and added tokens as JSON.
        functions: The Python functions that the splitter refers to by their index.
        threads: The number of threads.
        progress: Whether to show progress, or a callback for it.
        first_document: The number of the first text.
        max_memory: The memory for counting.
        work_dir: The folder of temporary files.
        engine: Where the parts of a corpus are counted.
        part_bytes: The bytes of input of a part.
        limits_table: Whether the table must be within `max_memory`, too: counting ends as soon as it is not.

    Returns:
        The counts.

    Raises:
        PieceworkError: See :meth:`WordCounts.from_texts`.
    """
    check_threads(threads)
    first = _checked_first(first_document)
    folder = None if work_dir is None else existing_folder(work_dir, "work_dir")
    if engine is not None:
        from piecework.corpus._counting.plan import CountPlan
        from piecework.corpus._counting.run import CountedInParts
        from piecework.engines import check_engine

        _check_with_engine(functions, threads)
        divided = divisible(texts, "a piecework.Corpus, whose files `engine` counts")
        check_positive("part_bytes", part_bytes)
        check_engine(engine)
        plan = CountPlan.of(divided, splitter, first, part_bytes or _PART_BYTES)
        most = as_bytes("max_memory", max_memory or _WORKER_MEMORY)
        limit = as_bytes("max_memory", max_memory) if limits_table else None
        return CountedInParts(plan, engine, folder, most, progress, limit)
    if part_bytes is not None:
        raise ConfigError("requires `engine`", setting="part_bytes")
    most = as_bytes("max_memory", max_memory)
    memory = None if most is None else (most, folder, limits_table)
    counter = _core.WordCounter(splitter, functions, threads, first, memory)
    corpus = as_corpus(texts)
    with reporting(progress) as report:
        if corpus is not None:
            _count_corpus(counter, corpus, report)
        else:
            for batch in batches_of(texts, checks_items=False):
                _add(counter, batch)
                report("counting texts", batch.done, batch.total)
    return Counted(counter, functions)


def _check_with_engine(functions: object, threads: int | None) -> None:
    """Raises ConfigError for settings that the workers of an engine cannot have."""
    if functions:
        message = "a Python function cannot be sent to the workers of an engine"
        raise ConfigError(message, setting="pre_tokenizer", hint="count without `engine`")
    if threads is not None:
        message = "has no effect with `engine`, whose workers have one thread each"
        raise ConfigError(message, setting="threads", hint="remove it")


def _add(counter: _core.WordCounter, batch: TextBatch) -> None:
    """Counts the words of some texts."""
    if isinstance(batch.texts, ArrowTexts):
        counter.add_column(batch.texts)
        return
    try:
        counter.add_texts(batch.texts)
    except TypeError:
        check_items(batch.texts, batch.done - len(batch.texts))
        raise


def _count_corpus(counter: _core.WordCounter, corpus: Corpus, report: Report) -> None:
    """Counts the words of files; the core reads those that it can read, which is faster."""
    total, before = corpus.bytes, 0

    def note(read: int) -> None:
        report("counting bytes", before + read, total)

    for by_core, sources in corpus._by_reader(corpus._reading.per == "line"):
        if not by_core:
            for _, documents, read in read_all(sources, corpus._reading):
                counter.add_column(ArrowTexts(documents.texts))
                note(read)
            before += total_size(sources)
            continue
        for source in sources:
            reading = corpus._reading
            replaces = reading.errors == "replace"
            with naming_file(source):
                corpus._check_is_text(source)
                with naming_encoding(source.name):
                    counter.add_file(source.name, replaces, reading.keep_line_ends, note)
            before += source.size or 0


class Counted:
    """Holds the words of a counting that is done, in memory or in temporary files."""

    def __init__(
        self, counter: _core.WordCounter, functions: Iterable[Callable[[str], object]]
    ) -> None:
        self._counter = counter
        self.functions = tuple(functions)

    def table(self) -> _core.WordCounts:
        """Returns the words as a table in memory."""
        return self._counter.finish()

    def save(self, path: Pathish) -> CountsSummary:
        """Writes the words to a file of word counts, as :meth:`WordCounts.save` does."""
        with replacing(path) as name:
            return CountsSummary(*self._counter.write([name])[0])


def _checked_first(document: object) -> int:
    if isinstance(document, bool) or not isinstance(document, int) or not 0 <= document < 1 << 63:
        raise ConfigError(
            f"expected an integer from 0 on, found {shown(document)}", setting="first_document"
        )
    return document
