"""Implements `piecework merge-counts`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003  # read at run time
from typing import Annotated

from piecework.cli import options
from piecework.cli.counting import summary_of
from piecework.cli.declare import Argument, Option
from piecework.cli.output import as_json, check_target, printing


def merge_counts(
    *,
    files: Annotated[list[str], Argument("FILE")],
    output: Annotated[Path, Option("--output", "-o")],
    json: options.AsJson = False,
    work_dir: Annotated[str | None, Option(metavar="FOLDER")] = None,
) -> None:
    """Add up files of word counts.

    The files are read a word at a time, so the memory does not grow with the tables. The sum does not depend on the order of
    the files. With --json a summary is printed.

    Arguments:
        files: Files of word counts, in any order.

    Options:
        output: Write the sum to this file.
        work_dir: Write temporary files into this folder, which more than 128 files need (default: the system's).

    Examples:
      piecework merge-counts part-*.counts -o all.counts
      piecework merge-counts monday.counts tuesday.counts -o week.counts --json
    """
    from piecework import WordCounts

    check_target(output, *files)
    summary = WordCounts.merge_files(files, output, work_dir=work_dir)
    with printing() as write:
        if json:
            write(as_json(summary_of(output, summary)))
