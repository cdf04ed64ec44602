"""Defines the program, in which every file of `verbs/` is a command, and every folder a group, whose docstring is its help."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

import click
from click.shell_completion import get_completion_class

import piecework
from piecework._settings.limiting import DEFAULTS
from piecework.cli import verbs
from piecework.cli.declare import help_text
from piecework.cli.help import Program, VerbGroup
from piecework.cli.verb import command
from piecework.errors import ConfigError

if TYPE_CHECKING:
    from types import ModuleType

_SETTINGS = {"help_option_names": ["-h", "--help"]}
COMPLETION = "_PIECEWORK_COMPLETE"
"""The variable by which the scripts of shells ask for completions."""
_SHELLS = ("bash", "zsh", "fish")


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


def _show_completion(ctx: click.Context, _: click.Parameter, shell: str | None) -> None:
    """Prints the script with which a shell completes commands and options, and ends the program."""
    if not shell or ctx.resilient_parsing:
        return
    kind = get_completion_class(shell)
    click.echo(kind(app, {}, "piecework", COMPLETION).source() if kind else "")
    ctx.exit()


def _force(ctx: click.Context, _: click.Parameter, is_forced: bool) -> None:
    """Permits to replace files that are read-only until the program ends."""
    if is_forced:
        from piecework._io.files import replacing_read_only

        ctx.with_resource(replacing_read_only())


def _limit(ctx: click.Context, _: click.Parameter, given: tuple[tuple[str, int], ...]) -> None:
    """Sets limits of tokenizers until the program ends."""
    if given:
        from piecework._settings.limiting import default_limits
        from piecework._settings.limits import Limits

        try:
            limits = Limits(**dict(given))
        except ConfigError as error:
            raise click.BadParameter(str(error)) from None
        ctx.with_resource(default_limits(limits))


def _build_app() -> Program:
    program = Program("piecework", help=help_text(verbs), context_settings=_SETTINGS)
    click.version_option(
        piecework.__version__, message="piecework %(version)s", help="Print the version."
    )(program)
    click.option(
        "--show-completion",
        type=click.Choice(_SHELLS),
        expose_value=False,
        is_eager=True,
        callback=_show_completion,
        help="Print the script with which a shell completes commands and options.",
    )(program)
    click.option(
        "--force",
        is_flag=True,
        expose_value=False,
        callback=_force,
        help="Replace files that are read-only.",
    )(program)
    click.option(
        "--limit",
        type=(click.Choice(sorted(DEFAULTS)), int),
        metavar="<NAME> <NUMBER>",
        multiple=True,
        expose_value=False,
        callback=_limit,
        help="Set a limit of what tokenizers may cost, such as file_bytes 1000000000; may be repeated.",
    )(program)
    _add_verbs(program, verbs)
    return program


app = _build_app()
