"""Declares the arguments and options of verbs in annotations, from which parameters of click are made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import click

from piecework.cli.messages import option_of

if TYPE_CHECKING:
    import inspect
    from collections.abc import Callable, Sequence

__all__ = ["Argument", "Option", "parameter_of", "placeholder"]


@dataclass(frozen=True)
class Argument:
    """Describes an argument.

    Attributes:
        metavar: The name for the help.
        help: The text of the help.
    """

    metavar: str
    help: str


class Option:
    """Describes an option.

    Args:
        *names: The names; by default the long option of the parameter.
        help: The text of the help.
        metavar: The name of the value for the help; by default that of its type.
        min: The least number.
        max: The largest number.
        section: The section of the help; by default that of the group of options, or all options.
        parser: The function that returns the value of a text.
    """

    def __init__(
        self,
        *names: str,
        help: str,  # noqa: A002  # the name that click has
        metavar: str | None = None,
        min: int | None = None,  # noqa: A002
        max: int | None = None,  # noqa: A002
        section: str | None = None,
        parser: Callable[[str], Any] | None = None,
    ) -> None:
        self.names, self.help, self.metavar = names, help, metavar
        self.min, self.max = min, max
        self.section, self.parser = section, parser


class ShownArgument(click.Argument):
    """Is an argument with a text for the help."""

    def __init__(self, *args: Any, text: str, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.help: str | None = text  # of click itself in new versions

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:  # noqa: ARG002  # that of click
        """Returns the placeholder and the text."""
        return placeholder(self), self.help or ""


class SectionOption(click.Option):
    """Is an option in a section of the help."""

    def __init__(self, *args: Any, section: str | None = None, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.section = section


def placeholder(argument: click.Parameter) -> str:
    """Returns an argument as in a usage: `<NAME>` if it is required, `[NAME]` if not, with dots if it repeats."""
    name = argument.metavar or str(argument.name).upper()
    return (f"<{name}>" if argument.required else f"[{name}]") + "..." * (argument.nargs == -1)


def parameter_of(parameter: inspect.Parameter, section: str | None = None) -> click.Parameter:
    """Returns the parameter of click for a parameter of a function that is annotated by an argument or option.

    Args:
        parameter: The parameter.
        section: The section of the help, unless the option names its own.
    """
    kind, declared = get_args(parameter.annotation)
    if NoneType in get_args(kind):
        (kind,) = (each for each in get_args(kind) if each is not NoneType)
    is_list = get_origin(kind) is list
    item = get_args(kind)[0] if is_list else kind
    is_required = parameter.default is parameter.empty
    settings: dict[str, Any] = {
        "type": _type(item, declared),
        "required": is_required,
        "metavar": declared.metavar,
    }
    if not is_required:
        settings["default"] = parameter.default
    if is_list:
        settings["callback"] = _as_list
    if isinstance(declared, Argument):
        nargs = -1 if is_list else 1
        return ShownArgument([parameter.name], text=declared.help, nargs=nargs, **settings)
    names = declared.names or (option_of(parameter.name),)
    if item is bool:
        settings |= {"type": None, "is_flag": True}
        if not declared.names:
            names = (f"{names[0]}/--no-{names[0].removeprefix('--')}",)
    return SectionOption(
        [parameter.name, *names],
        help=declared.help,
        multiple=is_list,
        section=declared.section or section,
        show_default=parameter.default != "",
        **settings,
    )


def _as_list(_: click.Context, __: click.Parameter, value: Sequence[Any]) -> list[Any] | None:
    """Returns the values of a parameter that repeats; None without any."""
    return list(value) or None


def _type(kind: Any, declared: Argument | Option) -> Any:
    if isinstance(declared, Option):
        if declared.parser is not None:
            return click.types.FuncParamType(declared.parser)
        if declared.min is not None or declared.max is not None:
            limited = click.IntRange if kind is int else click.FloatRange
            return limited(min=declared.min, max=declared.max)
    if kind is Path:
        return click.Path(path_type=Path)
    return click.Choice(get_args(kind)) if get_origin(kind) is Literal else kind
