"""Measures texts with tokenizers in one pass; files are measured in parts, by `files`.

A measure makes meters. A meter adds up texts, and sums of parts add up in the order of the texts, so that a result depends
neither on the parts nor on where they run. Evaluation, comparison of versions and pruning are measures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self, TypeVar

from piecework._io.given import as_corpus
from piecework._io.texts import batches_of, divisible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from piecework._core import ArrowTexts
    from piecework._io.texts import TextBatch
    from piecework.engines import Engine

    Place = tuple[int, int, str]
    """The number of a file or group, the position in it, and the place of a text for people."""
    Report = Callable[[int, int], object]

__all__ = ["BATCH_BYTES", "Measure", "Meter", "S", "Sums", "measure", "measure_texts"]

BATCH_BYTES = 1 << 22
"""The bytes of text that are measured at a time: enough to keep the threads busy, few enough to hold in memory."""


class Sums(Protocol):
    """Holds what a meter added up."""

    def plus(self, other: Self) -> Self:
        """Returns the sums of both, of which the other's texts come later."""

    def placed(self, place: Callable[[int, int, str], str]) -> Self:
        """Returns the sums with other places of the texts that they keep, from the number of the file, position and place."""


S = TypeVar("S", bound=Sums)
S_co = TypeVar("S_co", bound=Sums, covariant=True)


class Meter(Protocol[S_co]):
    """Adds up texts."""

    def add(self, texts: ArrowTexts | Sequence[str], place: Callable[[int], Place]) -> None:
        """Adds texts, which follow those of earlier calls; `place` gives the place of a text by its index."""

    def sums(self) -> S_co:
        """Returns the sums over the texts so far."""


class Measure(Protocol[S_co]):
    """Says what is measured; it is pickled for the workers of an engine."""

    def meter(self, threads: int | None) -> Meter[S_co]:
        """Returns a meter of no texts, which encodes with a number of threads."""


def measure(
    what: Measure[S], texts: Any, *, threads: int | None, engine: Engine | None, report: Report
) -> S:
    """Returns the sums over texts, a column or a corpus, whose parts an engine runs if there is one."""
    if engine is not None:
        from piecework.engines import check_engine

        check_engine(engine)
        divisible(texts, "a piecework.Corpus, whose files `engine` divides")
    corpus = as_corpus(texts)
    if corpus is None:
        return measure_texts(what, {None: texts}, threads, report)[None]
    from piecework.analysis._measuring.files import measure_files

    return measure_files(what, {None: corpus}, threads=threads, engine=engine, report=report)[None]


def measure_texts(
    what: Measure[S], groups: Mapping[str | None, Any], threads: int | None, report: Report
) -> dict[str | None, S]:
    """Returns the sums over the texts of each group, which are read once."""
    done, sums = 0, {}
    for number, (name, texts) in enumerate(groups.items()):
        meter, start = what.meter(threads), 0
        prefix = "" if name is None else f"{name}: "
        for batch in batches_of(texts, BATCH_BYTES):
            meter.add(batch.texts, _placing_texts(batch, number, start, prefix))
            start += len(batch.texts)
            done += len(batch.texts)
            report(done, 0)
        sums[name] = meter.sums()
    return sums


def _placing_texts(batch: TextBatch, group: int, start: int, prefix: str) -> Callable[[int], Place]:
    """Returns the function for the place of a text of a batch, whose first text has the number `start` in its group."""
    return lambda index: (group, start + index, f"{prefix}{batch.place(index)}")
