"""Formats help texts: options in sections, arguments as placeholders; finds the verb of a group."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

__all__ = ["GLOBAL", "NoArgumentsError", "Program", "VerbCommand", "VerbGroup"]

GLOBAL = "Global options"
"""The section of options that do not change the result; it comes last."""
_ARGUMENTS, _OPTIONS = "Arguments", "Options"


class VerbCommand(TyperCommand):
    """Formats the help of a verb: its arguments, its options, shared options by section, global options."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Returns the usage after the name of the command, such as `[OPTIONS] <TOKENIZER> [FILE]...`."""
        arguments = (param for param in self.get_params(ctx) if _is_argument(param))
        return ["[OPTIONS]", *map(_placeholder, arguments)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Writes the sections of arguments and options."""
        sections: dict[str, list[tuple[str, str]]] = {_ARGUMENTS: [], _OPTIONS: []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                name = _placeholder(param) if _is_argument(param) else record[0]
                sections.setdefault(_section(param), []).append((name, record[1]))
        sections[GLOBAL] = sections.pop(GLOBAL, [])
        for title, rows in sections.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class NoArgumentsError(Exception):
    """Is raised where a group of verbs gets no arguments; the message is its help, which versions of typer end differently."""


class Program(TyperGroup):
    """Raises `NoArgumentsError` without arguments."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parses arguments, of which there must be one; completion asks without any."""
        if not args and not ctx.resilient_parsing:
            raise NoArgumentsError(ctx.get_help())
        return super().parse_args(ctx, args)


class VerbGroup(Program):
    """Runs the verb of a group that an argument names, otherwise the first one: those of a package are in its order."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Inserts the name of the first verb before arguments that begin with none."""
        if args and args[0] not in {*self.commands, *ctx.help_option_names}:
            args = [next(iter(self.commands)), *args]
        return super().parse_args(ctx, args)


def _is_argument(param: Any) -> bool:
    return bool(param.param_type_name == "argument")


def _placeholder(param: Any) -> str:
    """Returns an argument as in a usage: `<NAME>` if it is required, `[NAME]` if not, with dots if it repeats."""
    name = param.metavar or param.name.upper()
    return (f"<{name}>" if param.required else f"[{name}]") + ("..." if param.nargs == -1 else "")


def _section(param: Any) -> str:
    if _is_argument(param):
        return _ARGUMENTS
    if "--help" in param.opts:  # in some versions an option of click, with a name of its own
        return GLOBAL
    return getattr(param, "rich_help_panel", None) or _OPTIONS
