"""Implements `piecework compare`."""

from __future__ import annotations

import sys
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from piecework.cli.input import stdin_lines
from piecework.cli.options import (
    AsJsonLines,
    Errors,
    FileEncoding,
    NoProgress,
    OnBrokenBytes,
    OnError,
    Reading,
    Threads,
    TokenizerFiles,
    load,
)
from piecework.cli.output import WIDE, as_json, printing, rendered
from piecework.cli.progress import bar
from piecework.cli.tokenizer_names import tokenizer_names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.table import Table

    from piecework import Tokenizer
    from piecework.explain import Comparison


def compare(
    *,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="WORD",
            help="Words or texts, or files with --files (default: standard input).",
        ),
    ] = None,
    tokenizers: TokenizerFiles,
    files: Annotated[
        bool,
        typer.Option(
            "--files",
            help="Compare the tokenizers on files: text, JSON lines or Parquet, also .gz or .zst; folders, patterns and URLs.",
        ),
    ] = False,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="file|NAME",
            help="Also print the figures of each file, or of each value of this member of JSON lines or column of Parquet, such "
            "as a language (requires --files).",
        ),
    ] = None,
    examples: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, help="Show the first N documents that are cut differently."
        ),
    ] = 5,
    json: AsJsonLines = False,
    reading: Reading,
    encoding: FileEncoding = "utf-8",
    errors: OnBrokenBytes = Errors.strict,
    threads: Threads = None,
    no_progress: NoProgress = False,
) -> None:
    """Show how several tokenizers split the same words or files.

    Prints for each tokenizer the name of its file, the number of tokens, the tokens in readable form and their ids, without added
    special tokens. Tokens are aligned, and ^ marks what the tokenizers cut differently. With --json each word is an object.

    With --files it prints tokens, characters and bytes per token, the share of unknown tokens and of documents and text on
    which all tokenizers agree, and the first disagreements. With --json this is one object.

    Examples:
      piecework compare tokenization -t wordpiece.json -t bpe.json
      piecework compare hugs pugs -t tokenizer.json -t vocab.txt --json
      piecework compare --files en.txt de.txt --by file -t old.json -t new.json
    """
    loaded = {name: load(path) for path, name in tokenizer_names(tokenizers).items()}
    if not files:
        _check_for_files(by, encoding, reading)
        command = " ".join(["compare", *(f"-t {quote(name)}" for name in tokenizers)])
        _compare_words(words or stdin_lines(command, errors.value), loaded, json=json)
        return
    from piecework.explain import compare_files

    with bar(no_progress) as show:
        compared = compare_files(
            words or ["-"],
            loaded,
            by=by,
            examples=examples,
            threads=threads,
            progress=show,
            encoding=encoding,
            errors=errors.value,
            field=reading.field,
            on_error=reading.on_error.value,
        )
    with printing() as write:
        write(as_json(compared.to_dict()) if json else str(compared))


def _check_for_files(by: str | None, encoding: str, reading: Reading) -> None:
    """Raises BadParameter for an option that only files have."""
    options = {
        "--by": by is not None,
        "--encoding": encoding != "utf-8",
        "--field": reading.field is not None,
        "--on-error": reading.on_error is not OnError.fail,
    }
    for name, is_given in options.items():
        if is_given:
            raise typer.BadParameter("requires --files", param_hint=name)


def _compare_words(words: Iterable[str], tokenizers: dict[str, Tokenizer], *, json: bool) -> None:
    from piecework.explain import compare as compared

    with printing() as write:
        for number, word in enumerate(words):
            comparison = compared(tokenizers, word)
            if json:
                write(as_json(comparison.to_dict()))
                continue
            if number:
                write("")
            write(_shown(comparison))


def _shown(comparison: Comparison) -> str:
    """Returns a comparison as a table; for a terminal that is too narrow for it, as the text and aligned parts."""
    from rich.console import Console

    table, width = _table(comparison), Console().width
    # A console measures no table as wider than itself.
    if not sys.stdout.isatty() or Console(width=WIDE).measure(table).maximum <= width:
        return rendered(table)
    return "\n".join([_title(comparison), *comparison.lines(width)])


def _title(comparison: Comparison) -> str:
    """Returns the text on one line."""
    from piecework.display import table_cell

    return table_cell(comparison.text)


def _table(comparison: Comparison) -> Table:
    from rich.table import Table
    from rich.text import Text

    from piecework.display import visible
    from piecework.explain.columns import columns

    table = Table(box=None, pad_edge=False, title=None)
    table.add_column(Text(_title(comparison)))
    table.add_column("count", justify="right")
    table.add_column("tokens", overflow="fold")
    table.add_column("ids", overflow="fold")
    *rows, marks = next(columns(comparison.blocks), [""] * (len(comparison.splits) + 1))
    for split, tokens in zip(comparison.splits, rows, strict=True):
        name, ids = visible(split.name), " ".join(map(str, split.ids))
        table.add_row(*map(Text, (name, str(len(split)), tokens, ids)))
    if marks:
        table.add_row("", "", Text(marks), "")
    return table
