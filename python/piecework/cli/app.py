"""Defines the program, in which every file of `verbs/` is a command."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Annotated

import typer

import piecework
from piecework.cli import verbs
from piecework.cli.help import VerbCommand
from piecework.cli.verb import command, help_text

__all__ = ["app"]


def _show_version(is_requested: bool) -> None:
    if is_requested:
        typer.echo(f"piecework {piecework.__version__}")
        raise typer.Exit


def _piecework(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Train, run and explain subword tokenizers.

    Data goes to standard output, everything else to standard error. `-`, or no file, is standard input. Exit codes: 0
    success, 1 findings, 2 errors, 130 interrupted.

    Examples:
      piecework train story.txt -o tokenizer.json --vocab-size 4000
      piecework encode tokenizer.json story.txt | head -3
      piecework explain tokenizer.json tokenization
    """


def _build_app() -> typer.Typer:
    # Plain help is the same on a screen, in a pipe and in the documentation.
    program = typer.Typer(
        name="piecework",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    program.callback(help=help_text(_piecework))(_piecework)
    for module in pkgutil.iter_modules(verbs.__path__):
        function = getattr(importlib.import_module(f"{verbs.__name__}.{module.name}"), module.name)
        program.command(
            name=module.name.replace("_", "-"), help=help_text(function), cls=VerbCommand
        )(command(function))
    return program


app = _build_app()
