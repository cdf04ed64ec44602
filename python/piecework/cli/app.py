"""Defines the program, in which every file of `verbs/` is a command, and every folder a group of commands."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Annotated

import typer

import piecework
from piecework.cli import verbs
from piecework.cli.help import Program, VerbCommand, VerbGroup
from piecework.cli.verb import command, help_text

if TYPE_CHECKING:
    from types import ModuleType

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


def _group(name: str | None, help: str) -> typer.Typer:  # noqa: A002  # the name of typer's argument
    """Returns a program without commands, or a group of them."""
    # Plain help is the same on a screen, in a pipe and in the documentation.
    return typer.Typer(
        name=name,
        help=help,
        cls=VerbGroup if name else Program,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def _add_verbs(program: typer.Typer, package: ModuleType) -> None:
    """Adds the verbs of a package in the order of their names."""
    for found in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{found.name}")
        if found.ispkg:
            group = _group(found.name, help_text(module))
            _add_verbs(group, module)
            program.add_typer(group)
            continue
        function = getattr(module, found.name)
        program.command(
            name=found.name.replace("_", "-"), help=help_text(function), cls=VerbCommand
        )(command(function))


def _build_app() -> typer.Typer:
    program = _group(None, "")
    program.info.name = "piecework"
    program.callback(help=help_text(_piecework))(_piecework)
    _add_verbs(program, verbs)
    return program


app = _build_app()
