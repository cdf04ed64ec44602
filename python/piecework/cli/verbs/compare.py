"""Implements `piecework compare`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from piecework.cli.options import AsJsonLines, Reading, TokenizerFiles, load
from piecework.cli.output import WIDE, as_json, printing, rendered
from piecework.cli.texts import given_texts
from piecework.cli.tokenizer_names import tokenizer_names

if TYPE_CHECKING:
    from rich.table import Table

    from piecework.analysis import Comparison


def compare(
    *,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="WORD", help="Words or texts (default: those of standard input)."),
    ] = None,
    tokenizers: TokenizerFiles,
    json: AsJsonLines = False,
    reading: Reading,
) -> None:
    """Show how several tokenizers split the same words.

    Prints for each tokenizer the name of its file, the number of tokens, the tokens in readable form and their ids, without added
    special tokens. Tokens are aligned, and ^ marks what the tokenizers cut differently. With --json each word is an object.
    `piecework evaluate --disagreements` compares tokenizers on files.

    Examples:
      piecework compare tokenization -t wordpiece.json -t bpe.json
      piecework compare hugs pugs -t tokenizer.json -t vocab.txt --json
    """
    from piecework.analysis import compare as compared

    loaded = {name: load(path) for path, name in tokenizer_names(tokenizers).items()}
    with printing() as write:
        for number, (word, located) in enumerate(given_texts(words, reading)):
            with located:
                comparison = compared(loaded, word)
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
    from piecework._display import table_cell

    return table_cell(comparison.text)


def _table(comparison: Comparison) -> Table:
    from rich.table import Table
    from rich.text import Text

    from piecework._display import visible
    from piecework._show import as_text
    from piecework.analysis._comparison.comparison import alignment

    table = Table(box=None, pad_edge=False, title=None)
    table.add_column(Text(_title(comparison)))
    table.add_column("count", justify="right")
    table.add_column("tokens", overflow="fold")
    table.add_column("ids", overflow="fold")
    shown = as_text([alignment([("",)] * len(comparison.splits), comparison.blocks)]).split("\n")
    rows, marks = shown[: len(comparison.splits)], "".join(shown[len(comparison.splits) :])
    for split, tokens in zip(comparison.splits, rows, strict=True):
        name, ids = visible(split.name), " ".join(map(str, split.ids))
        table.add_row(*map(Text, (name, str(len(split)), tokens, ids)))
    if marks:
        table.add_row("", "", Text(marks), "")
    return table
