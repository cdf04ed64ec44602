"""Turns functions into verbs, with groups of options and one-line errors."""

from __future__ import annotations

import dataclasses
import inspect
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, get_type_hints

from click.exceptions import Exit

from piecework._display import visible
from piecework._messages import MessageParts, one_line
from piecework.cli.declare import parameter_of
from piecework.cli.help import VerbCommand
from piecework.cli.messages import Options
from piecework.cli.streams import report
from piecework.errors import PieceworkError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import ModuleType

    import click

__all__ = ["command", "help_text"]


class Group(Protocol):
    """Describes a dataclass of options."""

    section: ClassVar[str]
    """The section of the help that lists the options."""


def command(name: str, function: Callable[..., None], settings: Mapping[str, Any]) -> VerbCommand:
    """Returns the command that runs a function.

    A parameter whose type is a dataclass is replaced by its fields as options, so verbs share groups of options. The help
    lists them in the section that the class names. Errors of piecework and of the system end the verb with one line and
    exit code 2.

    Args:
        name: The name of the verb.
        function: A function of keyword parameters, annotated by arguments and options (`declare.py`).
        settings: The settings of contexts of click.
    """
    hints = get_type_hints(function, include_extras=True)
    groups = {name: hint for name, hint in hints.items() if dataclasses.is_dataclass(hint)}

    def run(**given: Any) -> None:
        for of, group in groups.items():
            given[of] = group(**{f.name: given.pop(f.name) for f in dataclasses.fields(group)})  # type: ignore[operator]
        with _one_line_errors(options):
            function(**given)

    params: list[click.Parameter] = []
    for parameter in inspect.signature(function).parameters.values():
        hint = hints[parameter.name]
        if parameter.name in groups:
            params += _parameters_of(hint)
        else:
            params.append(parameter_of(parameter.replace(annotation=hint)))
    options = Options(dict(filter(None, map(_long_option, params))))
    return VerbCommand(
        name, callback=run, params=params, help=help_text(function), context_settings={**settings}
    )


def _parameters_of(group: type[Group]) -> Iterator[click.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for parameter in inspect.signature(group).parameters.values():
        yield parameter_of(parameter.replace(annotation=hints[parameter.name]), group.section)


def _long_option(param: click.Parameter) -> tuple[str, str] | None:
    """Returns the name of a parameter and its long option; None for an argument."""
    long = [name for name in param.opts if name.startswith("--")]
    return (str(param.name), long[0]) if long else None


def help_text(documented: Callable[..., None] | ModuleType) -> str:
    """Returns the docstring of a function or module for click, with the line breaks of its examples kept."""
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
        raise Exit(130) from None
    except MemoryError:
        print_line("error", "out of memory")
        raise Exit(2) from None
    except PieceworkError as error:
        print_line("error", error)
        raise Exit(2) from None
    except OSError as error:
        print_line("error", ": ".join(filter(None, [error.filename, error.strerror])) or error)
        raise Exit(2) from None
