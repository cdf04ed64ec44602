"""Reads the texts of a corpus for the verbs that answer each text."""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, NamedTuple

from piecework._exceptions import text_index
from piecework.errors import ConfigError, PieceworkError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from piecework._core import ArrowTexts
    from piecework._io.corpus import Corpus
    from piecework._progress import Progress
    from piecework.cli.options import Reading

_BATCH_BYTES = 1 << 20
"""The size of a batch: enough to keep the threads busy, few enough to hold its ids in memory."""


class Batch(NamedTuple):
    """Holds some of the texts of a corpus.

    Attributes:
        texts: The texts.
        first: The number of texts before them.
        place: Returns the file and line of a text, by its index in the batch.
    """

    texts: ArrowTexts | Sequence[str]
    first: int
    place: Callable[[int], str]

    def each(self) -> Iterator[str]:
        """Iterates over the texts."""
        return (self.texts[index] for index in range(len(self.texts)))

    @contextmanager
    def located(self, index: int | None = None) -> Iterator[None]:
        """Adds the file and line of a text to errors: of the one with an index, else of the one that the error numbers."""
        try:
            yield
        except PieceworkError as error:
            if isinstance(error, ConfigError) or error.setting:  # which does not depend on a text
                error.place = ""
                raise
            number = text_index(error)
            if number is not None:
                error.place, index = "", number if index is None else index
            raise error if index is None else error.at(self.place(index)) from None


def read_batches(
    corpus: Corpus, show: Callable[[Progress], object], stage: str, *, stream: bool = False
) -> Iterator[Batch]:
    """Iterates over the texts of a corpus in batches.

    Args:
        corpus: The corpus.
        show: The callback for progress.
        stage: The name of the work, for progress.
        stream: Whether each text is a batch, as soon as it is read.
    """
    # Imported before anything is written: Python ends by the signal itself, not with exit code 130, if an interrupt
    # occurs while a module's classes are created.
    from piecework._io.texts import batches_of
    from piecework._progress import Progress

    first = 0
    for texts, place, done, total in batches_of(corpus, _BATCH_BYTES):
        batch = Batch(texts, first, place)
        yield from _each(batch) if stream else [batch]
        first += len(texts)
        show(Progress(stage, done, total))


def _each(batch: Batch) -> Iterator[Batch]:
    """Iterates over the texts of a batch, each alone."""
    for index, text in enumerate(batch.each()):
        yield Batch([text], batch.first + index, lambda _, at=index: batch.place(at))  # type: ignore[misc]  # a default


def joined(batches: Iterable[Batch]) -> Iterator[Batch]:
    """Iterates over one batch of all texts, if there are any."""
    every = [each for batch in batches for each in _each(batch)]
    if every:
        texts = [text for each in every for text in each.each()]
        yield Batch(texts, 0, lambda index: every[index].place(0))


def located_texts(corpus: Corpus) -> Iterator[tuple[str, AbstractContextManager[None]]]:
    """Iterates over the texts of a corpus, each with a context manager that adds its file and line to errors."""
    for batch in read_batches(corpus, lambda progress: None, ""):
        for index, text in enumerate(batch.each()):
            yield text, batch.located(index)


def given_texts(
    texts: Sequence[str] | None, reading: Reading
) -> Iterator[tuple[str, AbstractContextManager[None]]]:
    """Iterates over the texts among the arguments, or else those of standard input, as :func:`located_texts`.

    Raises:
        OptionError: There are arguments, and options of reading.
    """
    if not texts:
        return located_texts(reading.corpus(None))
    reading.check_unused("without standard input")
    return ((text, nullcontext()) for text in texts)
