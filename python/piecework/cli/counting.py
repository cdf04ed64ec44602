"""Counts words in files and standard input."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import typer

from piecework.cli.input import STDIN, DocumentInput, Input
from piecework.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from piecework import WordCounts
    from piecework.cli.engine import EngineOptions
    from piecework.cli.options import CountingMemory
    from piecework.counts import Counted, CountedInParts
    from piecework.io.documents import ReadOptions
    from piecework.results import CountsSummary, Progress

__all__ = ["count_words", "load_counts", "summary_of"]


def count_words(
    files: Sequence[str],
    *,
    splitting: dict[str, Any],
    reading: ReadOptions,
    memory: CountingMemory,
    threads: int | None,
    progress: Callable[[Progress], None],
    command: str,
    engine: EngineOptions | None = None,
) -> Counted | CountedInParts:
    """Counts the words of files of documents, one of which may be standard input.

    Args:
        files: The files; `-` is standard input.
        splitting: The normalizer, pre-tokenizer and added tokens for :meth:`piecework.WordCounts.from_files`.
        reading: The options of reading.
        memory: The limit of memory.
        threads: The number of threads; by default one per core.
        progress: The callback for progress.
        command: The command that reads text from standard input, for the error of files that are not text.
        engine: The engine, if the files are counted in parts.

    Raises:
        PieceworkError: See :meth:`piecework.WordCounts.from_files`.
    """
    from piecework import WordCounts
    from piecework.io import check_text
    from piecework.io.documents import has_faster_reader

    settings: dict[str, Any] = {
        **splitting,
        **asdict(memory),
        "threads": threads,
        "progress": progress,
    }
    chosen = engine.chosen() if engine is not None else None
    if chosen is not None:
        settings["threads"] = None  # the workers of an engine have one each
    if STDIN not in files:
        for file in files:
            if has_faster_reader(file, reading):
                check_text(file, command)
        return WordCounts._count_files(
            files,
            command,
            encoding=reading.encoding or "utf-8",
            errors=reading.errors,
            keep_line_ends=reading.keep_line_ends,
            reading=reading,
            engine=chosen,
            part_bytes=engine.part_bytes if engine is not None else None,
            **settings,
        )
    if chosen is not None:
        raise typer.BadParameter("requires files, not standard input", param_hint="--engine")
    if files.count(STDIN) > 1:
        raise typer.BadParameter("standard input can be read only once", param_hint="FILE")
    if reading.encoding == "auto":
        raise typer.BadParameter(
            "auto requires a file; pass the encoding of standard input", param_hint="--encoding"
        )
    return WordCounts._count_texts(_texts(files, reading, command), **settings)


def summary_of(output: Path, summary: CountsSummary) -> dict[str, Any]:
    """Returns the JSON of a file of word counts."""
    return {
        "output": str(output),
        "words": summary.words,
        "total": summary.total,
        "counts_sha256": summary.fingerprint,
    }


def _texts(files: Sequence[str], reading: ReadOptions, command: str) -> Iterator[str]:
    """Iterates over the documents of all files in order, as if they were one file."""
    from piecework.io import may_block, unless_json
    from piecework.io.documents import find_documents

    for file in files:
        sources = find_documents(file, reading)
        if sources is not None:
            yield from DocumentInput(sources, reading).raw_lines()
            continue
        lines = _lines_of(file, reading, command)
        if file != STDIN and not may_block(file):
            yield from lines
            continue
        yield from unless_json(lines, "standard input" if file == STDIN else file, command)


def _lines_of(file: str, reading: ReadOptions, command: str) -> Iterator[str]:
    from piecework.io import check_text, read_lines
    from piecework.io.lines import codec_name, decode_lines

    errors, keep_ends = reading.errors, reading.keep_line_ends
    codec = codec_name(reading.encoding or "utf-8", errors)
    if codec == "utf-8":
        with Input(file, errors, command) as source:
            yield from source.raw_lines() if keep_ends else source.lines()
    elif file == STDIN:
        stream, name = sys.stdin.buffer, "standard input"
        yield from decode_lines(stream, name, codec, errors, keep_ends=keep_ends, command=command)
    else:
        check_text(file, command)
        yield from read_lines(file, codec, errors, keep_ends=keep_ends, command=command)


def load_counts(files: Sequence[str], work_dir: str | None) -> WordCounts:
    """Returns the sum of files of word counts, one of which may be standard input.

    Raises:
        PieceworkError: See :meth:`piecework.WordCounts.load_files` and `merge`.
    """
    from piecework import WordCounts

    named = [file for file in files if file != STDIN]
    tables = [_load_input() for file in files if file == STDIN]
    if named:
        tables.insert(0, WordCounts.load_files(named, work_dir=work_dir))
    first, *others = tables
    for other in others:
        first = first.merge(other)
    return first


def _load_input() -> WordCounts:
    from piecework import WordCounts
    from piecework.counts import LOAD_COMMAND
    from piecework.io import check_start

    data = sys.stdin.buffer.read()
    check_start(data, "standard input", LOAD_COMMAND)
    try:
        return WordCounts.from_bytes(data)
    except FormatError as error:
        raise error.at("standard input") from None
