"""`piecework count-words`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003  # typer reads it
from typing import Annotated

import typer

from piecework.cli.counting import count_words as count
from piecework.cli.input import STDIN
from piecework.cli.options import (
    AsJson,
    Errors,
    FileEncoding,
    NoProgress,
    OnBrokenBytes,
    Splitting,
    TextFiles,
    Threads,
)
from piecework.cli.output import as_json, check_target, printing
from piecework.cli.progress import bar


def count_words(
    *,
    files: TextFiles = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The file to write; standard output by default."
        ),
    ] = None,
    json: AsJson = False,
    splitting: Splitting,
    keep_line_ends: Annotated[
        bool,
        typer.Option(
            "--keep-line-ends", help="The end of a line belongs to it, as for training BPE."
        ),
    ] = False,
    encoding: FileEncoding = "utf-8",
    errors: OnBrokenBytes = Errors.strict,
    threads: Threads = None,
    no_progress: NoProgress = False,
) -> None:
    """Count the words of text files for a training.

    Each line is a document, split into words as a training would. The table is text and holds how its words were
    made. `train --counts` adds up any number of tables, so that many machines can count for one training. With --json a
    summary is printed.

    Examples:
      piecework count-words story.txt poem.txt -o counts.txt
      zcat big.txt.gz | piecework count-words - -o counts.txt
      piecework train --counts counts.txt more-counts.txt -o tokenizer.json --vocab-size 4000
    """
    names = files or [STDIN]
    if json and not output:
        raise typer.BadParameter(
            "needs --output: standard output gets the table", param_hint="--json"
        )
    if output:
        check_target(output, *names, *splitting.files())
    with bar(no_progress) as show:
        table = count(
            names,
            splitting=splitting.settings(),
            keep_line_ends=keep_line_ends,
            encoding=encoding,
            errors=errors,
            threads=threads,
            progress=show,
            command="count-words -",
        )
    with printing() as write:
        if not output:
            write(table.to_bytes().decode().removesuffix("\n"))
            return
        table.save(output)
        if json:
            summary = {
                "words": len(table),
                "total": table.total,
                "counts_sha256": table.fingerprint,
            }
            write(as_json({"output": str(output), **summary}))
