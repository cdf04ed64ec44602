"""Implements `piecework corpus verify`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003  # read at run time
from typing import Annotated

import click

from piecework._display import visible
from piecework.cli import options
from piecework.cli.declare import Argument, Option
from piecework.cli.output import as_json, printing


def verify(
    *,
    folder: Annotated[Path, Argument("DIR")],
    tokenizer: Annotated[str | None, Option("--tokenizer", "-t", metavar="TOKENIZER")] = None,
    json: options.AsJson = False,
) -> None:
    """Check the files of a tokenized corpus against its manifest.

    Every byte is read. The exit code is 1 if a file is missing, was changed, or does not belong to the corpus.

    Arguments:
        folder: The folder of a tokenized corpus.

    Options:
        tokenizer: Check that the ids are those of this tokenizer, too.

    Examples:
      piecework corpus verify tokens
      piecework corpus verify tokens --tokenizer tokenizer.json
    """
    from piecework import corpus

    findings = corpus.verify(folder, options.load(tokenizer) if tokenizer else None)
    with printing() as write:
        if json:
            write(as_json([finding._asdict() for finding in findings]))
        for finding in () if json else findings:
            write(visible(f"{finding.file}: {finding.problem}"))
        if not findings and not json:
            manifest = corpus.Manifest.load(folder)
            write(
                visible(
                    f"{folder}: {manifest.rows:,} rows and {manifest.tokens:,} tokens are as they were written"
                )
            )
    if findings:
        raise click.exceptions.Exit(1)
