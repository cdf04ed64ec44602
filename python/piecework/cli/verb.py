"""Turns functions into verbs, with groups of options and one-line errors."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Protocol, get_type_hints

import typer
from typer.models import OptionInfo

from piecework._display import visible
from piecework._messages import MessageParts, one_line
from piecework.cli.messages import Options, option_of
from piecework.cli.streams import report
from piecework.errors import PieceworkError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

__all__ = ["command", "help_text"]


class Group(Protocol):
    """Describes a dataclass of options."""

    section: ClassVar[str]
    """The section of the help that lists the options."""


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Returns a function that typer runs as a verb.

    A parameter whose type is a dataclass is replaced by its fields as options, so verbs share groups of options. The help
    lists them in the section that the class names. Errors of piecework and of the system end the verb with one line and
    exit code 2.

    Args:
        function: A function of keyword parameters with typer's annotations.

    Returns:
        The function for typer.
    """
    hints = get_type_hints(function, include_extras=True)
    groups = {name: hint for name, hint in hints.items() if dataclasses.is_dataclass(hint)}

    def run(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{f.name: given.pop(f.name) for f in dataclasses.fields(group)})  # type: ignore[operator]
        with _one_line_errors(options):
            function(**given)

    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(function).parameters.values():
        hint = hints[parameter.name]
        if parameter.name in groups:
            parameters += _parameters_of(hint)
        else:
            parameters.append(parameter.replace(annotation=hint))
    options = Options(dict(filter(None, map(_option_of, parameters))))
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _parameters_of(group: type[Group]) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for parameter in inspect.signature(group).parameters.values():
        annotation = _in_section(hints[parameter.name], group.section)
        yield parameter.replace(annotation=annotation, kind=inspect.Parameter.KEYWORD_ONLY)


def _in_section(annotation: Any, section: str) -> Any:
    """Returns the annotation of an option in a section of the help, unless the option names its own."""
    (option,) = annotation.__metadata__
    option = copy.copy(option)
    option.rich_help_panel = option.rich_help_panel or section
    return Annotated[annotation.__origin__, option]


def _option_of(parameter: inspect.Parameter) -> tuple[str, str] | None:
    """Returns the name of a parameter and its long option; None for an argument."""
    (info,) = getattr(parameter.annotation, "__metadata__", [None])
    if not isinstance(info, OptionInfo):
        return None
    # In an annotation, typer takes the first name as the default.
    names = [name for name in (info.default, *(info.param_decls or ())) if isinstance(name, str)]
    long = [name.partition("/")[0] for name in names if name.startswith("--")]
    return parameter.name, long[0] if long else option_of(parameter.name)


def help_text(documented: Callable[..., None] | ModuleType) -> str:
    """Returns the docstring of a function or module for typer, with the line breaks of its examples kept."""
    return (inspect.getdoc(documented) or "").replace("Examples:\n", "\b\nExamples:\n")


@contextmanager
def _one_line_errors(options: Options) -> Iterator[None]:
    """Reports errors and warnings on one line, with settings written as options of the verb."""
    printed = set[str]()

    def print_line(kind: str, message: object) -> None:
        text = options.message(message) if isinstance(message, MessageParts) else str(message)
        line = f"{kind}: {one_line(visible(text))}"
        if line not in printed:
            report(line)
        printed.add(line)

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = lambda message, *_, **__: print_line("warning", message)
            yield
    except BrokenPipeError:
        raise  # handled by `main`
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    except MemoryError:
        print_line("error", "out of memory")
        raise typer.Exit(2) from None
    except PieceworkError as error:
        print_line("error", error)
        raise typer.Exit(2) from None
    except OSError as error:
        print_line("error", ": ".join(filter(None, [error.filename, error.strerror])) or error)
        raise typer.Exit(2) from None
