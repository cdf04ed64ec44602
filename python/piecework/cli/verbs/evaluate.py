"""Implements `piecework evaluate`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003  # read at run time
from typing import TYPE_CHECKING, Annotated

import click

from piecework._messages import shown
from piecework.cli import options
from piecework.cli.declare import Option
from piecework.cli.engine import EngineOptions
from piecework.cli.input import STDIN
from piecework.cli.messages import OptionError
from piecework.cli.output import as_json, check_targets, printing
from piecework.cli.progress import bar
from piecework.cli.streams import report
from piecework.cli.tokenizer_names import tokenizer_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework import Tokenizer

_LIMIT = "METRIC=VALUE"


def evaluate(
    *,
    tokenizer: options.TokenizerFile,
    files: options.DocumentFiles = None,
    others: Annotated[list[str] | None, Option("--tokenizer", "-t", metavar="TOKENIZER")] = None,
    by: Annotated[str | None, Option(metavar="file|folder|NAME")] = None,
    disagreements: Annotated[int | None, Option(min=0)] = None,
    parallel: bool = False,
    reference: Annotated[str | None, Option(metavar="NAME")] = None,
    renyi_power: Annotated[float, Option(metavar="P")] = 2.5,
    fail_under: Annotated[list[str] | None, Option(metavar=_LIMIT)] = None,
    fail_over: Annotated[list[str] | None, Option(metavar=_LIMIT)] = None,
    json: options.AsJson = False,
    html: Path | None = None,
    markdown: Path | None = None,
    specials: options.OnSpecials = None,
    reading: options.Reading,
    engine: EngineOptions,
    threads: options.Threads = None,
    no_progress: options.NoProgress = False,
    loading: options.Loading,
) -> None:
    """Evaluate tokenizers on texts: lengths, whole words, use of the vocabulary, languages, round trips.

    Each line or document is encoded separately, without added special tokens, truncation and padding. Prints a table of
    metrics, which docs/evaluation.md defines. With --json prints one object, with the distributions of lengths. Exits with
    code 1 if a limit is not kept.

    Options:
        others: Compare with this tokenizer file or model folder; repeat for several.
        by: Show the metrics of each file, too, of the files of each folder, or of the texts of each value of this member of
            JSON lines or column of Parquet or Arrow, such as a language.
        disagreements: Show how many texts all tokenizers cut in the same way, and the first N that they cut differently.
        parallel: Compare the tokens of translations: all files (or folders) have equally many lines, one for each sentence
            (requires --by).
        reference: Compare with this file or folder (default: the first; requires --parallel).
        renyi_power: Compute the Rényi efficiency of this power.
        fail_under: Exit with code 1 if a metric that is better when higher is under this value; repeat for several.
        fail_over: Exit with code 1 if a metric that is better when lower is over this value; repeat for several.
        html: Write a report as a page that loads nothing.
        markdown: Write a report in Markdown.

    Examples:
      piecework evaluate tokenizer.json story.txt
      piecework evaluate pmi.json -t frequency.json story.txt --html report.html
      piecework evaluate tokenizer.json en.txt de.txt --by file --parallel
      piecework evaluate old.json -t new.json corpus.jsonl --by lang --disagreements 5
      piecework evaluate tokenizer.json story.txt --fail-over fertility=1.4 --fail-over unknown_rate=0
    """
    from piecework import evaluate as run
    from piecework.analysis._evaluation.limits import check_limits

    inputs = files or [STDIN]
    limits = {
        "fail_under": _limits("--fail-under", fail_under),
        "fail_over": _limits("--fail-over", fail_over),
    }
    check_limits(**limits, parallel=parallel)
    check_targets({"--html": html, "--markdown": markdown}, tokenizer, *(others or ()), *inputs)
    tokenizers = _loaded(tokenizer, others or (), loading)
    runs = engine.chosen()
    parts = {} if engine.part_bytes is None else {"part_bytes": engine.part_bytes}
    with bar(no_progress) as show:
        evaluation = run(
            tokenizers,
            reading.corpus(inputs),
            by=by,
            parallel=parallel,
            reference=reference,
            disagreements=disagreements,
            specials=specials,
            renyi_power=renyi_power,
            threads=threads,
            engine=runs,
            **parts,
            progress=show,
        )
    failed = evaluation.check(**limits)
    if html is not None:
        _write(html, evaluation.to_html())
    if markdown is not None:
        _write(markdown, evaluation.to_markdown())
    with printing() as write:
        if json:
            write(as_json(evaluation.to_dict()))
        else:
            write(str(evaluation))
    for failure in failed:
        report(f"failed: {failure}")
    if failed:
        raise click.exceptions.Exit(1)


def _limits(option: str, limits: Sequence[str] | None) -> dict[str, float]:
    """Returns the limits of metrics that are given as METRIC=VALUE."""
    parsed = {}
    for limit in limits or ():
        name, _, value = limit.partition("=")
        try:
            parsed[name] = float(value)
        except ValueError:
            raise OptionError(option, f"expected {_LIMIT}, found {shown(limit)}") from None
    return parsed


def _loaded(first: str, others: Sequence[str], loading: options.Loading) -> dict[str, Tokenizer]:
    """Returns the tokenizers by their names; the options of loading are for the first one."""
    names = tokenizer_names([first, *others])
    loads = {path: loading.load if path == first else options.load for path in names}
    return {name: loads[path](path) for path, name in names.items()}


def _write(path: Path, text: str) -> None:
    from piecework._io.files import write_aside

    write_aside(path, text.encode())
