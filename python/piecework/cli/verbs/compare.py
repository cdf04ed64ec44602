"""Implements `piecework compare`."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Annotated

from piecework.cli import options
from piecework.cli.declare import Argument
from piecework.cli.output import as_json, printing
from piecework.cli.texts import given_texts
from piecework.cli.tokenizer_names import tokenizer_names

if TYPE_CHECKING:
    from piecework.analysis import Comparison


def compare(
    *,
    words: Annotated[list[str] | None, Argument("WORD")] = None,
    tokenizers: options.TokenizerFiles,
    json: options.AsJsonLines = False,
    reading: options.Reading,
) -> None:
    """Show how several tokenizers split the same words.

    Prints for each tokenizer the name of its file, the number of tokens, the tokens in readable form and their ids, without added
    special tokens. Tokens are aligned, and ^ marks what the tokenizers cut differently. With --json each word is an object.
    `piecework evaluate --disagreements` compares tokenizers on files.

    Arguments:
        words: Words or texts (default: those of standard input).

    Examples:
      piecework compare tokenization -t wordpiece.json -t bpe.json
      piecework compare hugs pugs -t tokenizer.json -t vocab.txt --json
    """
    from piecework.analysis import compare as compared

    loaded = {name: options.load(path) for path, name in tokenizer_names(tokenizers).items()}
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
    from piecework._display import cell_width, table_cell
    from piecework._show.terminal import columns

    title, width = table_cell(comparison.text), shutil.get_terminal_size().columns
    table = list(columns(_cells(title, comparison), lambda column: column == 1))
    if not sys.stdout.isatty() or max(map(cell_width, table)) <= width:
        return "\n".join(table)
    return "\n".join([title, *comparison.lines(width)])


def _cells(title: str, comparison: Comparison) -> list[list[str]]:
    """Returns a row for each tokenizer, below the names of the columns, and one with the marks of differences."""
    from piecework._display import visible
    from piecework._show.terminal import as_text
    from piecework.analysis._comparison.comparison import alignment

    shown = as_text([alignment([("",)] * len(comparison.splits), comparison.blocks)]).split("\n")
    tokens, marks = shown[: len(comparison.splits)], "".join(shown[len(comparison.splits) :])
    rows = [
        [visible(split.name), str(len(split)), text, " ".join(map(str, split.ids))]
        for split, text in zip(comparison.splits, tokens, strict=True)
    ]
    return [[title, "count", "tokens", "ids"], *rows, *([["", "", marks, ""]] if marks else [])]
