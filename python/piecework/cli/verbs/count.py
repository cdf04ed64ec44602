"""Implements `piecework count`."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from shlex import quote
from typing import TYPE_CHECKING

import typer

from piecework.cli.input import STDIN, Input, open_inputs
from piecework.cli.options import (
    AsJson,
    DocumentFiles,
    Errors,
    Loading,
    NoProgress,
    OnBrokenBytes,
    OnSpecials,
    Reading,
    SpecialTokens,
    Threads,
    TokenizerFile,
)
from piecework.cli.output import as_json, printing, rendered
from piecework.cli.progress import bar
from piecework.display import visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from piecework.results import Progress


@dataclass(slots=True)
class FileCounts:
    """Holds the counts of a file."""

    tokens: int = 0
    lines: int = 0
    words: int = 0
    characters: int = 0
    bytes: int = 0


_NAMES = [field.name for field in fields(FileCounts)]


def count(
    *,
    tokenizer: TokenizerFile,
    files: DocumentFiles = None,
    json: AsJson = False,
    add_special_tokens: SpecialTokens = True,
    specials: OnSpecials = None,
    reading: Reading,
    errors: OnBrokenBytes = Errors.strict,
    threads: Threads = None,
    no_progress: NoProgress = False,
    loading: Loading,
) -> None:
    """Count tokens, lines, words, characters and bytes of files.

    Each line or document is encoded separately, without truncation and padding. Words are separated by white space;
    characters and bytes include the line ends of text files. For compressed files, JSON lines and Parquet, lines are
    documents, and characters and bytes those of their texts. With --json there is an object for each file and one for the
    total.

    Examples:
      piecework count tokenizer.json story.txt poem.txt
      cat *.txt | piecework count tokenizer.json --no-special-tokens --json
    """
    if (files or []).count(STDIN) > 1:
        raise typer.BadParameter("standard input can be read only once", param_hint="FILE")
    tok = loading.load(tokenizer)

    def count_tokens(lines: list[str]) -> int:
        batch = tok.encode_batch(
            lines,
            add_special_tokens=add_special_tokens,
            specials=specials and specials.value,
            truncation=None,
            padding=None,
            threads=threads,
        )
        return len(batch.ids)

    with bar(no_progress) as show:
        options, command = reading.options(errors), f"count {quote(tokenizer)} -"
        rows = [
            (source.file, _count_file(source, count_tokens, show))
            for file in files or [STDIN]
            for source in open_inputs(file, options, command)
        ]
    total = FileCounts(*(sum(getattr(counts, name) for _, counts in rows) for name in _NAMES))
    with printing() as write:
        write(_json(rows, total) if json else _table(rows, total))


def _count_file(
    source: Input,
    count_tokens: Callable[[list[str]], int],
    show: Callable[[Progress], None],
) -> FileCounts:
    counts = FileCounts()
    with source:
        for batch in source.batches():
            counts.tokens += source.apply(count_tokens, [source.text(line) for line in batch])
            counts.words += sum(len(line.split()) for line in batch)
            counts.characters += sum(map(len, batch))
            show(source.progress(f"counting {visible(source.file)}"))
    counts.lines, counts.bytes = source.line, source.bytes
    return counts


def _json(rows: list[tuple[str, FileCounts]], total: FileCounts) -> str:
    files = [{"file": file, **asdict(counts)} for file, counts in rows]
    return as_json({"files": files, "total": asdict(total)})


def _table(rows: list[tuple[str, FileCounts]], total: FileCounts) -> str:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for name in _NAMES:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("file", overflow="fold")
    for file, counts in [*rows, ("total", total)] if len(rows) > 1 else rows:
        table.add_row(*(str(getattr(counts, name)) for name in _NAMES), Text(visible(file)))
    return rendered(table)
