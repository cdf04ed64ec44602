"""Encodes the texts of a corpus into one batch of ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from piecework._core import ArrowTexts, Batch
from piecework._exceptions import locate
from piecework._io.corpus import Corpus
from piecework._io.documents import naming_file
from piecework._io.texts import batches_of
from piecework.errors import ConfigError, PieceworkError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from piecework._io.sources import Source
    from piecework.tokenizer._batch import Call


_BLOCK = 1 << 18
"""The number of bytes that the core reads from a file at once; a block fits into the second-level cache."""
_BATCH_BYTES = 16 << 20
"""The number of bytes of texts that are encoded together."""


def encode_corpus(corpus: Corpus, call: Call, *, offsets: bool, threads: int | None) -> Batch:
    """Returns the ids of the texts of a corpus, with the arguments of a call.

    The core reads the files that it can read itself, which is faster.

    Raises:
        ConfigError: An argument of the call requires texts in memory.
        PieceworkError: See :meth:`Tokenizer.encode_batch`.
    """
    requests = {
        "is_pretokenized": call.options.get("is_pretokenized"),
        "offsets": offsets,
        "padding": call.limit("padding"),
    }
    for name, value in requests.items():
        if value is not None and value is not False:
            hint = f"pass `{name}={None if name == 'padding' else False}`, or list(corpus)"
            raise ConfigError("requires texts in memory", setting=name, hint=hint)
    core_can_read = call.limit("truncation") is None and not corpus._reading.keep_line_ends
    batches, number = list[Batch](), 0
    for by_core, sources in corpus._by_reader(core_can_read):
        read = _read_by_core if by_core else _read_in_batches
        for batch in read(corpus, sources, call, number, threads):
            batches.append(batch)
            number += len(batch)
    return batches[0] if len(batches) == 1 else Batch.concatenated(batches)


def _read_by_core(
    corpus: Corpus, sources: Sequence[Source], call: Call, number: int, threads: int | None
) -> Iterator[Batch]:
    """Iterates over the ids of each file, which the core reads; the first text has a number."""
    reading = corpus._reading
    way = None, reading.per == "line", reading.errors == "replace", _BLOCK
    for source in sources:
        options = call.tokenizer._new_options(call.options, number)
        core = call.tokenizer._core
        with naming_file(source):
            corpus._check_is_text(source)
            batch = core.encode_file(source.name, way, options, threads, lambda read: None)
        yield batch
        number += len(batch)


def _read_in_batches(
    corpus: Corpus, sources: Sequence[Source], call: Call, number: int, threads: int | None
) -> Iterator[Batch]:
    """Iterates over the ids of the documents of files; the first text has a number."""
    for batch in batches_of(Corpus._of(sources, corpus._reading), _BATCH_BYTES):
        texts, options = (
            cast("ArrowTexts", batch.texts),
            call.tokenizer._new_options(call.options, number),
        )
        try:
            yield call.tokenizer._core.encode_batch(texts, False, options, False, threads)
        except PieceworkError as error:
            locate(error, batch.place)
            raise
        number += len(texts)
