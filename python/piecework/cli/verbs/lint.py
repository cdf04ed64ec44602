"""Implements `piecework lint`."""

from __future__ import annotations

from typing import Annotated

import click

from piecework.cli import options
from piecework.cli.declare import Option
from piecework.cli.output import as_json, printing


def lint(
    *,
    tokenizer: options.TokenizerFile,
    select: Annotated[list[str] | None, Option(metavar="RULE")] = None,
    ignore: Annotated[list[str] | None, Option(metavar="RULE")] = None,
    limit: Annotated[int, Option(min=0)] = 10,
    json: options.AsJson = False,
    loading: options.Loading,
) -> None:
    """Check a tokenizer for faults of its vocabulary.

    Finds entries that no text can produce, merges that are never applied, missing bytes and characters, special tokens that
    ordinary text can spell, control characters, entries that differ only by case or white space, and gaps between ids, each
    with its reason. docs/lint.md describes the rules. The exit code is 1 if there are findings. With --json all findings are
    in one object.

    Options:
        select: Check only this rule, or the rules of this severity (error, warning, note); repeat for several, or separate
            them by commas.
        ignore: Do not check this rule, or the rules of this severity.
        limit: Show the first N findings of each rule.

    Examples:
      piecework lint tokenizer.json
      piecework lint tokenizer.json --select error,warning --limit 100
      piecework lint vocab.txt --no-lowercase --ignore differs-by-case --json
    """
    from piecework.analysis._lint.checking import lint as checked

    report = checked(
        loading.load(tokenizer),
        select=None if select is None else _names(select),
        ignore=_names(ignore or []),
    )
    with printing() as write:
        write(as_json(report.to_dict()) if json else report.report(limit))
    if report:
        raise click.exceptions.Exit(1)


def _names(given: list[str]) -> list[str]:
    """Returns the names in options, which commas may separate."""
    return [name for each in given for name in each.split(",")]
