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
    to: Annotated[
        Target | None,
        typer.Option(
            "--to",
            help="The format to write. By default TARGET says it: x.model is SentencePiece's, x.tiktoken has ranks, x.txt "
            "is a vocab.txt, and all others are a tokenizer.json.",
            show_default=False,
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            "--name",
            metavar="NAME",
            help="Of tiktoken's ranks: their encoding, such as cl100k_base, unless the file is called so.",
        ),
    ] = None,
    base: Annotated[
        str | None,
        typer.Option(
            "--base",
            metavar="FILE",
            help="With --to sentencepiece: a .model whose other fields the new one gets.",
        ),
    ] = None,
    approximate: Annotated[
        bool,
        typer.Option(
            "--approximate",
            help="Write the closest that the other library loads, and list what changes (Unigram).",
        ),
    ] = False,
    splitting: Splitting,
    model: Model,
) -> None:
    """Write a tokenizer in another format.

    What the format does not hold is told by a warning; what would change how text is encoded is an error.

    Examples:
      piecework convert cl100k_base.tiktoken tokenizer.json
      piecework convert tokenizer.json gpt2 --to merges.txt
      piecework convert llama2.model tokenizer.json
      piecework convert t5.model tokenizer.json --approximate
      piecework convert unigram.json unigram.model --approximate
    """
    from piecework.formats import format_from_name

    kind = to.value if to else format_from_name(target.name)
    if base and kind != "sentencepiece":
        raise typer.BadParameter("says nothing without --to sentencepiece", param_hint="--base")
    if base and approximate:
        raise typer.BadParameter("says nothing beside --approximate", param_hint="--base")
    if kind != "merges.txt":
        check_target(target, tokenizer, *([base] if base else []))
    tok = _named(tokenizer, name) if name else load(tokenizer, splitting, model)
    if kind == "sentencepiece" and not approximate:
        tok.save_sentencepiece(target, base)
    else:
        tok.save(target, kind, approximate=approximate)


def _named(path: str, name: str) -> Tokenizer:
    from piecework import Tokenizer
    from piecework.formats import detect_format
    from piecework.io import read_unpacked

    if detect_format(read_unpacked(path), path) != "tiktoken":
        raise typer.BadParameter(f"{path} is no file of ranks", param_hint="--name")
    return Tokenizer.from_tiktoken(path, name)
