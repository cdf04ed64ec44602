"""Measures texts with tokenizers in one pass; files are measured in parts, by `files`.

A meter adds up texts, and sums of parts add up in the order of the texts, so that a result depends neither on the parts nor
on where they run. Evaluation, comparison of versions and pruning each have a meter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from piecework._io.given import as_corpus
from piecework._io.texts import TextBatch, batches_of, divisible

if TYPE_CHECKING:
    from piecework._core import ArrowTexts
    from piecework.engines import Engine
    from piecework.tokenizer._options import EncodeOptions

Place = tuple[int, int, str]
"""The number of a file or group, the position in it, and the place of a text for people."""
Report = Callable[[int, int], object]

PLAIN: EncodeOptions = {
    "add_special_tokens": False,
    "truncation": None,
    "padding": None,
    "sampling": None,
}
"""The arguments by which a text is encoded alone: without added special tokens, truncation, padding and dropout."""
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


NewMeter = Callable[[], Meter[S]]
"""Makes a meter of no texts; it is pickled for the workers of an engine."""


def threads_of_meter(threads: int | None, engine: Engine | None) -> int | None:
    """Returns the number of threads by which a meter encodes: by default one per core, and with an engine one for each part."""
    return 1 if threads is None and engine is not None else threads


def measure(
    new_meter: NewMeter[S],
    groups: Mapping[str | None, Any],
    *,
    engine: Engine | None,
    report: Report,
    **of_files: Any,
) -> dict[str | None, S]:
    """Returns the sums over the texts of each group, which are read once.

    Args:
        new_meter: Makes a meter of no texts.
        groups: Texts, a column or a corpus for each group; the group None has all texts if there are no groups.
        engine: Where the parts of corpora run.
        report: The callback for the number of texts, or of bytes of files, and all of them.
        **of_files: More arguments of `measure_files`.
    """
    if engine is not None:
        from piecework.engines import check_engine

        check_engine(engine)
        for texts in groups.values():
            divisible(texts, "a piecework.Corpus, whose files `engine` divides")
    found = {name: as_corpus(texts) for name, texts in groups.items()}
    corpora = {name: corpus for name, corpus in found.items() if corpus is not None}
    if len(corpora) < len(groups):
        return _measure_texts(new_meter, groups, report)
    from piecework.analysis._measuring.files import measure_files

    return measure_files(new_meter, corpora, engine=engine, report=report, **of_files)


def _measure_texts(
    new_meter: NewMeter[S], groups: Mapping[str | None, Any], report: Report
) -> dict[str | None, S]:
    done, sums = 0, {}
    for number, (name, texts) in enumerate(groups.items()):
        meter, start = new_meter(), 0
        prefix = "" if name is None else f"{name}: "
        for batch in batches_of(texts, BATCH_BYTES):
            meter.add(batch.texts, _placing(batch, number, start, prefix))
            start += len(batch.texts)
            done += len(batch.texts)
            report(done, 0)
        sums[name] = meter.sums()
    return sums


def _placing(batch: TextBatch, group: int, start: int, prefix: str) -> Callable[[int], Place]:
    """Returns the function for the place of a text of a batch, whose first text has the number `start` in its group."""
    return lambda index: (group, start + index, f"{prefix}{batch.place(index)}")
