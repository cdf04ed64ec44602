"""`piecework convert`."""

from __future__ import annotations

from enum import Enum
from pathlib import Path  # noqa: TC003  # typer reads it
from typing import TYPE_CHECKING, Annotated

import typer

from piecework.cli.options import Model, Splitting, TokenizerFile, load
from piecework.cli.output import check_target

if TYPE_CHECKING:
    from piecework import Tokenizer


class Target(Enum):
    """The formats that are written."""

    tokenizer_json = "tokenizer.json"
    vocab_txt = "vocab.txt"
    merges_txt = "merges.txt"
    tiktoken = "tiktoken"
    sentencepiece = "sentencepiece"
    subword_nmt = "subword-nmt"
    clip = "clip"


def convert(
    *,
    tokenizer: TokenizerFile,
    target: Annotated[
        Path,
        typer.Argument(
            metavar="TARGET",
            help="The file to write; with --to merges.txt a folder, which gets a vocab.json, too.",
            show_default=False,
        ),
    ],
    to: Annotated[Target, typer.Option("--to", help="The format to write.")],
    name: Annotated[
        str | None,
        typer.Option(
            "--name",
            metavar="NAME",
            help="Of tiktoken's ranks: their encoding, such as cl100k_base, unless the file is called so.",
        ),
    ] = None,
    like: Annotated[
        str | None,
        typer.Option(
            "--like",
            metavar="FILE",
            help="With --to sentencepiece: a .model whose other fields the new one gets.",
        ),
    ] = None,
    nearest: Annotated[
        bool,
        typer.Option(
            "--nearest",
            help="Of Unigram: write the nearest that the other library loads, and tell what changes.",
        ),
    ] = False,
    splitting: Splitting,
    model: Model,
) -> None:
    """Write a tokenizer in another format.

    What the format does not hold is told by a warning; what would change how text is encoded is an error.

    Examples:
      piecework convert cl100k_base.tiktoken tokenizer.json --to tokenizer.json
      piecework convert tokenizer.json gpt2 --to merges.txt
      piecework convert llama2.model tokenizer.json --to tokenizer.json
      piecework convert t5.model tokenizer.json --to tokenizer.json --nearest
    """
    if like and to is not Target.sentencepiece:
        raise typer.BadParameter("says nothing without --to sentencepiece", param_hint="--like")
    if like and nearest:
        raise typer.BadParameter("says nothing beside --nearest", param_hint="--like")
    if to is not Target.merges_txt:
        check_target(target, tokenizer, *([like] if like else []))
    tok = _named(tokenizer, name) if name else load(tokenizer, splitting, model)
    if to is Target.sentencepiece and not nearest:
        tok.save_sentencepiece(target, like)
    else:
        tok.save(target, to.value, nearest=nearest)


def _named(path: str, name: str) -> Tokenizer:
    from piecework import Tokenizer
    from piecework.formats import recognized
    from piecework.io import read_unpacked

    if recognized(read_unpacked(path), path) != "tiktoken":
        raise typer.BadParameter(f"{path} is no file of ranks", param_hint="--name")
    return Tokenizer.from_tiktoken(path, name)
