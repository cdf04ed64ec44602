"""Formats help texts: options in sections, arguments as placeholders; finds the verb of a group."""

from __future__ import annotations

from typing import Any

import click

_ARGUMENTS, OPTIONS = "Arguments", "Options"
"""The sections of the help for arguments, and for options that are in no other section."""
GLOBAL = "Global options"
"""The section of options that do not change the result; it comes last."""


class ShownArgument(click.Argument):
    """Is an argument with a text for the help."""

    section = _ARGUMENTS

    def __init__(self, *args: Any, text: str, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.help: str | None = text  # of click itself in new versions

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:  # noqa: ARG002  # that of click
        """Returns the placeholder and the text."""
        return _placeholder(self), self.help or ""


class SectionOption(click.Option):
    """Is an option in a section of the help."""

    def __init__(self, *args: Any, section: str, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.section = section


def _placeholder(argument: click.Parameter) -> str:
    """Returns an argument as in a usage: `<NAME>` if it is required, `[NAME]` if not, with dots if it repeats."""
    name = argument.metavar or str(argument.name).upper()
    return (f"<{name}>" if argument.required else f"[{name}]") + "..." * (argument.nargs == -1)


class VerbCommand(click.Command):
    """Formats the help of a verb: its arguments, its options, shared options by section, global options."""

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Returns the usage after the name of the command, such as `[OPTIONS] <TOKENIZER> [FILE]...`."""
        arguments = (param for param in self.get_params(ctx) if isinstance(param, click.Argument))
        return ["[OPTIONS]", *map(_placeholder, arguments)]

    def format_arguments(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes nothing: arguments are the first section of the options, in every version of click."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the sections of arguments and options."""
        sections: dict[str, list[tuple[str, str]]] = {_ARGUMENTS: [], OPTIONS: []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                # An option without a section is --help, which click adds.
                sections.setdefault(getattr(param, "section", GLOBAL), []).append(record)
        sections[GLOBAL] = sections.pop(GLOBAL, [])
        for title, rows in sections.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class NoArgumentsError(Exception):
    """Is raised where a group of verbs gets no arguments; the message is its help."""


class Program(click.Group):
    """Lists its verbs in their order, and raises `NoArgumentsError` without arguments."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # that of click
        """Returns the names of the verbs."""
        return list(self.commands)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parses arguments, of which there must be one; completion asks without any."""
        if not args and not ctx.resilient_parsing:
            raise NoArgumentsError(ctx.get_help())
        return super().parse_args(ctx, args)


class VerbGroup(Program):
    """Runs the verb of a group that an argument names, otherwise the first one: those of a package are in its order."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Inserts the name of the first verb before arguments that begin with none."""
        if args and args[0] not in {*self.commands, *ctx.help_option_names}:
            args = [next(iter(self.commands)), *args]
        return super().parse_args(ctx, args)
