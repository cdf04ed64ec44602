"""Implements `piecework diff`."""

from __future__ import annotations

from typing import Annotated

import click

from piecework.cli import options
from piecework.cli.declare import Argument, Option
from piecework.cli.output import as_json, printing


def diff(
    *,
    old: Annotated[str, Argument("OLD")],
    new: Annotated[str, Argument("NEW")],
    files: Annotated[list[str] | None, Argument("FILE")] = None,
    limit: Annotated[int, Option(min=0)] = 10,
    json: options.AsJson = False,
    reading: options.Reading,
) -> None:
    """Show the differences of two versions of a tokenizer.

    Prints the entries that were added, removed or renumbered, the settings, merges and scores that changed, and texts that
    are now encoded differently, with both encodings. The exit code is 1 if the two can give different results, for which a
    different decoder, truncation or padding suffices; it is 0 if only the record of the training differs, or nothing.

    Arguments:
        old: The old tokenizer: a file or folder.
        new: The new tokenizer.
        files: Files whose texts both encode: text, JSON lines, Parquet or Arrow, also .gz or .zst; - is standard input
            (default: texts that are made of the changed entries).

    Options:
        limit: Show the first N items of each list.

    Examples:
      piecework diff old.json new.json
      piecework diff old.json new.json corpus.txt --limit 20
      piecework diff tokenizer.json vocab.txt --json
    """
    from piecework.analysis._difference.compare import diff as compared

    if not files:
        reading.check_unused("without FILE")
    texts = reading.corpus(files) if files else None
    difference = compared(options.load(old), options.load(new), texts, examples=limit)
    with printing() as write:
        write(as_json(difference.to_dict()) if json else difference.report(limit))
    if difference:
        raise click.exceptions.Exit(1)
