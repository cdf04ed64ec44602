"""Implements `piecework compare`."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from piecework.cli.input import stdin_lines
from piecework.cli.options import AsJsonLines, TokenizerFiles, load
from piecework.cli.output import as_json, printing, rendered

if TYPE_CHECKING:
    from rich.table import Table

    from piecework.explain import Comparison


def compare(
    *,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="WORD", help="Words or texts (default: the lines of standard input)."
        ),
    ] = None,
    tokenizers: TokenizerFiles,
    json: AsJsonLines = False,
) -> None:
    """Show how several tokenizers split the same words.

    Prints for each tokenizer its name, the number of tokens, the tokens in readable form and their ids, without added
    special tokens. With --json each word is an object.

    Examples:
      piecework compare tokenization -t wordpiece.json -t bpe.json
      piecework compare hugs pugs -t tokenizer.json -t vocab.txt --json
    """
    from piecework import compare as compared

    names = " ".join(f"-t {quote(name)}" for name in tokenizers)
    loaded = {name: load(name) for name in tokenizers}
    with printing() as write:
        for number, word in enumerate(words or stdin_lines(f"compare {names}")):
            comparison = compared(word, loaded)
            if json:
                write(as_json(comparison.to_dict()))
                continue
            if number:
                write("")
            write(rendered(_table(comparison)))


def _table(comparison: Comparison) -> Table:
    from rich.table import Table
    from rich.text import Text

    from piecework.display import visible

    table = Table(box=None, pad_edge=False, title=None)
    table.add_column(Text(visible(comparison.text)))
    table.add_column("count", justify="right")
    table.add_column("tokens", overflow="fold")
    table.add_column("ids", overflow="fold")
    for split in comparison.splits:
        cells = (split.name, str(len(split)), str(split), " ".join(map(str, split.ids)))
        table.add_row(*map(Text, cells))
    return table
