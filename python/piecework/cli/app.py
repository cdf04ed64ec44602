"""Defines the program, in which every file of `verbs/` is a command, and every folder a group of commands."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import get_completion_class

import piecework
from piecework.cli import verbs
from piecework.cli.declare import help_text
from piecework.cli.help import Program, VerbGroup
from piecework.cli.verb import command

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

__all__ = ["COMPLETION", "app"]

_SETTINGS = {"help_option_names": ["-h", "--help"]}
COMPLETION = "_PIECEWORK_COMPLETE"
"""The variable by which the scripts of shells ask for completions."""
_SHELLS = ("bash", "zsh", "fish")
_HELP = """\
Train, run and explain subword tokenizers.

Data goes to standard output, everything else to standard error. `-`, or no file, is standard input. Exit codes: 0
success, 1 findings, 2 errors, 130 interrupted.

\b
Examples:
  piecework train story.txt -o tokenizer.json --vocab-size 4000
  piecework encode tokenizer.json story.txt | head -3
  piecework explain tokenizer.json tokenization
"""


def _add_verbs(group: click.Group, package: ModuleType) -> None:
    """Adds the verbs of a package in the order of their names."""
    for found in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{found.name}")
        name = found.name.replace("_", "-")
        if found.ispkg:
            below = VerbGroup(name, help=help_text(module), context_settings=_SETTINGS)
            _add_verbs(below, module)
            group.add_command(below)
        else:
            group.add_command(command(name, getattr(module, found.name), _SETTINGS))


def _printing(text: Callable[[Any], str]) -> Callable[[click.Context, click.Parameter, Any], None]:
    """Returns a callback that prints the text for the value of an option, and ends the program."""

    def run(ctx: click.Context, _: click.Parameter, value: Any) -> None:
        if value and not ctx.resilient_parsing:
            click.echo(text(value))
            ctx.exit()

    return run


def _completion(shell: str) -> str:
    """Returns the script with which a shell completes commands and options."""
    kind = get_completion_class(shell)
    return kind(app, {}, "piecework", COMPLETION).source() if kind else ""


def _build_app() -> Program:
    version = click.Option(
        ["--version"],
        is_flag=True,
        expose_value=False,
        is_eager=True,
        callback=_printing(lambda _: f"piecework {piecework.__version__}"),
        help="Print the version.",
    )
    completion = click.Option(
        ["--show-completion"],
        type=click.Choice(_SHELLS),
        expose_value=False,
        is_eager=True,
        callback=_printing(_completion),
        help="Print the script with which a shell completes commands and options.",
    )
    params: list[click.Parameter] = [version, completion]
    program = Program("piecework", help=_HELP, params=params, context_settings=_SETTINGS)
    _add_verbs(program, verbs)
    return program


app = _build_app()
