"""Declares the arguments and options of verbs by the signature and the docstring of a function or a group of options."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import ModuleType, NoneType
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints

import click

from piecework.cli.help import OPTIONS, SectionOption, ShownArgument
from piecework.cli.messages import negated, option_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

_METAVARS = {int: "N", Path: "FILE"}
"""The names of values for the help by type, where they are not those of click."""


@dataclass(frozen=True)
class Argument:
    """Describes an argument.

    Attributes:
        metavar: The name for the help.
        help: The text of the help; by default that of the docstring.
    """

    metavar: str
    help: str = ""


class Option:
    """Describes an option, as far as its type and its default do not.

    Args:
        *names: The names; by default the long option of the parameter, and for a bool that is not false by default also
            the one that switches it off.
        help: The text of the help; by default that of the docstring.
        metavar: The name of the value for the help; by default that of its type.
        min: The least number.
        max: The largest number.
        section: The section of the help; by default that of the docstring.
    """

    def __init__(
        self,
        *names: str,
        help: str = "",  # noqa: A002  # the name that click has
        metavar: str | None = None,
        min: int | None = None,  # noqa: A002
        max: int | None = None,  # noqa: A002
        section: str | None = None,
    ) -> None:
        self.names, self.help, self.metavar = names, help, metavar
        self.min, self.max = min, max
        self.section = section


def help_text(documented: Callable[..., None] | ModuleType) -> str:
    """Returns the docstring of a function or module for click: without its sections, and with the lines of its examples."""
    text = "\n\n".join(each for each in _paragraphs(documented) if not _title(each))
    return text.replace("Examples:\n", "\b\nExamples:\n")


def parameters_of(declaring: Callable[..., Any]) -> Iterator[click.Parameter]:
    """Iterates over the parameters of click for those of a function or a group, whose texts are in its docstring.

    A section of the docstring is one of the help. A parameter whose type is a group, a dataclass, is replaced by the fields of
    that; the options of a group are in the section of the help that its attribute `section` names.

    >>> def greet(*, times: Annotated[int, Option(min=1)] = 1, loud: bool = False) -> None:
    ...     '''Greet.
    ...
    ...     Options:
    ...         times: Greet N times.
    ...         loud: Use capitals.
    ...     '''
    >>> [(option.opts, option.metavar, option.help) for option in parameters_of(greet)]
    [(['--times'], 'N', 'Greet N times.'), (['--loud'], None, 'Use capitals.')]
    """
    hints = get_type_hints(declaring, include_extras=True)
    texts = _texts(declaring)
    for parameter in inspect.signature(declaring).parameters.values():
        hint = hints[parameter.name]
        if _is_group(hint):
            yield from parameters_of(hint)
        else:
            section, text = texts.get(parameter.name, (OPTIONS, ""))
            yield _parameter(parameter.replace(annotation=hint), section, text)


def arguments_of(declaring: Callable[..., Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the arguments of a function or a group, of which groups are made, from the values of its parameters."""
    hints, arguments = get_type_hints(declaring), {}
    for name in inspect.signature(declaring).parameters:
        hint = hints[name]
        arguments[name] = hint(**arguments_of(hint, values)) if _is_group(hint) else values[name]
    return arguments


def given_of(group: Any) -> dict[str, Any]:
    """Returns the options of a group that differ from their defaults, by their parameters."""
    return {
        field.name: value
        for field in fields(group)
        if (value := getattr(group, field.name)) != field.default
    }


def _is_group(hint: Any) -> bool:
    """Returns whether the type of a parameter is a group of options."""
    return is_dataclass(hint)


def _paragraphs(documented: object) -> list[str]:
    return (inspect.getdoc(documented) or "").split("\n\n")


def _title(paragraph: str) -> str | None:
    """Returns the title of a section that describes parameters; None for another paragraph."""
    return match[1] if (match := re.match(r"(\S.*):\n    \w+: ", paragraph)) else None


def _texts(declaring: Callable[..., Any]) -> dict[str, tuple[str, str]]:
    """Returns the section and the text of each parameter in the docstrings of a function, or of a group and its bases."""
    section = getattr(declaring, "section", OPTIONS)
    return {
        name: (section if title == OPTIONS else title, " ".join(text.split()))
        for documented in reversed(getattr(declaring, "__mro__", (declaring,)))
        for paragraph in _paragraphs(documented)
        if (title := _title(paragraph))
        for name, text in re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", paragraph, re.MULTILINE)
    }


def _parameter(parameter: inspect.Parameter, section: str, text: str) -> click.Parameter:
    """Returns the parameter of click for a parameter, whose annotation may contain an argument or option."""
    kind: Any = parameter.annotation
    declared: Argument | Option = Option()
    if get_origin(kind) is Annotated:
        kind, declared = get_args(kind)
    if NoneType in get_args(kind):
        (kind,) = (each for each in get_args(kind) if each is not NoneType)
    is_list = get_origin(kind) is list
    item = get_args(kind)[0] if is_list else kind
    is_required = parameter.default is parameter.empty
    settings: dict[str, Any] = {
        "type": _type(item, declared),
        "required": is_required,
        "metavar": declared.metavar or _METAVARS.get(item),
    }
    if not is_required:
        settings["default"] = parameter.default
    if is_list:
        settings["callback"] = _as_list
    if isinstance(declared, Argument):
        nargs = -1 if is_list else 1
        return ShownArgument([parameter.name], text=declared.help or text, nargs=nargs, **settings)
    names = declared.names or (option_of(parameter.name, repeats=is_list),)
    if item is bool:
        settings |= {"type": None, "is_flag": True}
        if not declared.names and parameter.default is not False:
            names = (f"{names[0]}/{negated(names[0])}",)
    return SectionOption(
        [parameter.name, *names],
        help=declared.help or text,
        multiple=is_list,
        section=declared.section or section,
        show_default=parameter.default != "",
        **settings,
    )


def _as_list(_: click.Context, __: click.Parameter, value: Sequence[Any]) -> list[Any] | None:
    """Returns the values of a parameter that repeats; None without any."""
    return list(value) or None


def _type(kind: Any, declared: Argument | Option) -> Any:
    if isinstance(declared, Option) and (declared.min is not None or declared.max is not None):
        limited = click.IntRange if kind is int else click.FloatRange
        return limited(min=declared.min, max=declared.max)
    if kind is Path:
        return click.Path(path_type=Path)
    return click.Choice(get_args(kind)) if get_origin(kind) is Literal else kind
