"""Implements `piecework trace`."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path  # noqa: TC003  # read at run time
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from piecework._display import visible
from piecework.cli import options
from piecework.cli.counting import Counting
from piecework.cli.declare import Option, given_of
from piecework.cli.input import STDIN
from piecework.cli.messages import OptionError
from piecework.cli.output import as_json, check_target, printing
from piecework.cli.progress import bar
from piecework.cli.streams import report
from piecework.cli.training import TrainerOptions, UserDefinedSymbolsFile, pipeline_of, read_symbols

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from piecework._settings.choices import Criterion
    from piecework.trainers import Trainer
    from piecework.training._tracing.criteria import CriteriaTrace
    from piecework.training._tracing.merges import MergeTrace
    from piecework.training._tracing.unigram import UnigramTrace

_WHOLE = ("json", "parquet")
"""The formats that hold the whole training."""


ExampleName = Literal["note-000", "note-001", "note-002", "note-003", "note-004", "note-004-bpe"]
"""The examples."""


TraceFormat = Literal["text", "table", "ndjson", "json", "parquet"]
"""The formats of a trace."""


def trace(
    *,
    files: options.DocumentFiles = None,
    counts: options.AreCounts = False,
    example: ExampleName | None = None,
    trainer: TrainerOptions,
    user_defined_symbols_file: UserDefinedSymbolsFile = None,
    top: Annotated[int, Option(metavar="K", min=1)] = 10,
    words: Annotated[str, Option(metavar="N|all")] = "100",
    steps: Annotated[str | None, Option(metavar="A:B")] = None,
    criteria: Annotated[str | None, Option(metavar="all|NAME,...")] = None,
    format: TraceFormat | None = None,  # noqa: A002  # the name of the option
    json: bool = False,
    output: Annotated[Path | None, Option("--output", "-o")] = None,
    splitting: options.Splitting,
    counting: Counting,
) -> None:
    """Show a training step by step: candidates, scores, counts, ties and words.

    Trains as `piecework train` does, and prints for each merge the best candidates with their scores and counts, the number of
    ties, and the words that it changed; for Unigram the EM steps and prunings. Text, JSON lines, Parquet or word counts are
    read as by `train`.

    Options:
        example: Trace an example of a tutorial instead of files; training options change its settings.
        top: Record the K best candidates or pieces of each step.
        words: Record the segmentations of the N most frequent words, or of all.
        steps: Print steps A to B, from 1; one number prints one step.
        criteria: Train WordPiece by several criteria on the same counts, and print them side by side.
        format: Print text, one line a step (table), one JSON object a step (ndjson), the whole training as one JSON object, or
            write Parquet (default: by the name of --output, otherwise text).
        json: Print one JSON object a step (--format ndjson).
        output: Write to this file.

    Examples:
      piecework trace --example note-001
      piecework trace --example note-002 --criteria all
      piecework trace story.txt --vocab-size 500 --top 3 --steps 1:20
      piecework trace --counts counts.txt --vocab-size 4000 -o trace.parquet
      piecework trace story.txt --model unigram --vocab-size 500 --format table
    """
    import piecework as pw
    from piecework.training._tracing.examples import example as example_of

    kind = _format(format, json, output)
    chosen = _slice(steps, kind)
    names = [] if example else files or [STDIN]
    if output:
        check_target(output, *names, user_defined_symbols_file, *splitting.files())
    most, by = _words(words), _criteria(criteria)
    if by and trainer.criterion:
        raise OptionError("--criteria", "cannot be combined with --criterion")
    more = read_symbols(user_defined_symbols_file, names)
    if example:
        _check_alone(files, counts, splitting, counting)
        table, known = example_of(example)
        settings = trainer.change(known, f"--example {example}", more)
        pipeline = {}
    else:
        settings = trainer.trainer(more)
        pipeline = pipeline_of(settings, splitting)
    _check_trainer(settings, by)
    run: Any = partial(pw.trace_criteria, criteria=by) if by else pw.trace
    with bar(counting.no_progress) as show:
        if not example:
            table = counting.words(names, settings, pipeline, are_counts=counts, progress=show)
        threads = counting.threads
        traced = run(
            table, settings, **pipeline, top=top, words=most, threads=threads, progress=show
        )
    _write(traced, kind, chosen, output)
    if output:
        source = f"from {len(table):,} different words, {table.total:,} in total"
        report(f"{visible(str(output))}: {visible(repr(traced))}, {source}")


def _format(given: TraceFormat | None, json: bool, output: Path | None) -> str:
    from piecework.training._tracing.base import FORMATS

    if json and given not in (None, "ndjson"):
        raise OptionError("--json", f"cannot be combined with --format {given}")
    kind: str
    if json or given:
        kind = given or "ndjson"
    else:
        kind = FORMATS.get(output.suffix.lower(), "text") if output else "text"
    if kind == "parquet" and output is None:
        raise OptionError("--format", "parquet requires --output")
    return kind


def _slice(steps: str | None, kind: str) -> slice:
    """Returns the range of indices of steps."""
    if steps is None:
        return slice(None)
    if kind in _WHOLE:
        raise OptionError(
            "--steps", f"cannot be combined with the format {kind}, which holds the whole training"
        )
    match = re.fullmatch(
        r"(?P<only>[0-9]{1,18})|(?P<first>[0-9]{0,18}):(?P<last>[0-9]{0,18})", steps
    )
    if match is None:
        raise OptionError("--steps", f"expected A:B, such as 1:20, or one number; found {steps}")
    first, last = match["first"] or match["only"] or "1", match["last"] or match["only"]
    if int(first) < 1:
        raise OptionError("--steps", "expected numbers from 1")
    if last and int(last) < int(first):
        raise OptionError(
            "--steps", f"expected a first step that is not after the last; found {steps}"
        )
    return slice(int(first) - 1, int(last) if last else None)


def _words(text: str) -> int | None:
    if text == "all":
        return None
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise OptionError("--words", f"expected a number or all; found {text}")
    return int(text)


def _criteria(text: str | None) -> tuple[Criterion, ...]:
    """Returns the names of criteria; none without the option."""
    from piecework.training._tracing.steps import CRITERIA

    if text is None:
        return ()
    names = CRITERIA if text == "all" else cast("tuple[Criterion, ...]", tuple(text.split(",")))
    for name in names:
        if name not in CRITERIA or names.count(name) > 1:
            raise OptionError(
                "--criteria",
                f"expected all, or different names among {', '.join(CRITERIA)}; found {text}",
            )
    return names


def _check_trainer(settings: Trainer, criteria: Sequence[str]) -> None:
    """Raises OptionError for a training without steps, or for criteria of another model than WordPiece."""
    from piecework import WordLevelTrainer, WordPieceTrainer

    if isinstance(settings, WordLevelTrainer):
        raise OptionError("--model", "wordlevel is trained without steps")
    if criteria and not isinstance(settings, WordPieceTrainer):
        raise OptionError("--criteria", "requires WordPiece")


def _check_alone(
    files: list[str] | None, are_counts: bool, splitting: options.Splitting, counting: Counting
) -> None:
    """Raises OptionError for an example with other input, by the options of that."""
    others = {
        "FILE": files,
        "--counts": are_counts,
        "text options": given_of(splitting),
        "reading options": counting.reading != options.Reading(errors=counting.reading.errors),
        "--max-memory": counting.max_memory,
    }
    for other in filter(others.get, others):
        raise OptionError("--example", f"cannot be combined with {other}")


def _write(
    traced: MergeTrace | UnigramTrace | CriteriaTrace,
    kind: str,
    steps: slice,
    output: Path | None,
) -> None:
    if output and kind == "parquet":
        from piecework.training._tracing.base import save_parquet

        save_parquet(traced, output)
        return
    lines = _lines(traced, kind, steps)
    if output:
        from piecework._io.files import write_aside

        write_aside(output, "".join(f"{line}\n" for line in lines).encode())
        return
    with printing() as write:
        for line in lines:
            write(line)


def _lines(
    traced: MergeTrace | UnigramTrace | CriteriaTrace, kind: str, steps: slice
) -> Iterator[str]:
    if kind == "json":
        return iter([as_json(traced.to_dict())])
    if kind == "ndjson":
        return map(as_json, traced.to_lines(steps))
    if kind == "table":
        from piecework._show.terminal import lines
        from piecework.training._tracing.document import step_table

        return lines([step_table(traced, steps)])
    return iter(traced.to_text(steps).split("\n"))
