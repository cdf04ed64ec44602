"""What all verbs have in common: groups of options, and errors of one line."""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, get_type_hints

import typer

from piecework.errors import PieceworkError

__all__ = ["command", "help_text"]


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Make a verb of a function.

    A parameter whose type is a dataclass stands for the options that are its fields, so that verbs share groups of
    options. Errors of piecework and of the system end the verb with one line and exit code 2.

    Args:
        function: It has keyword parameters with typer's annotations.

    Returns:
        What typer runs.
    """
    hints = get_type_hints(function, include_extras=True)
    groups = {name: hint for name, hint in hints.items() if dataclasses.is_dataclass(hint)}

    def run(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{f.name: given.pop(f.name) for f in dataclasses.fields(group)})  # type: ignore[operator]
        with _clean_ends():
            function(**given)

    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(function).parameters.values():
        hint = hints[parameter.name]
        if parameter.name in groups:
            parameters += _parameters_of(hint)
        else:
            parameters.append(parameter.replace(annotation=hint))
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _parameters_of(group: type) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for parameter in inspect.signature(group).parameters.values():
        yield parameter.replace(annotation=hints[parameter.name], kind=inspect.Parameter.KEYWORD_ONLY)


def help_text(function: Callable[..., None]) -> str:
    """Give a function's docstring as typer reads it: examples keep their lines."""
    return (inspect.getdoc(function) or "").replace("Examples:\n", "\b\nExamples:\n")


@contextmanager
def _clean_ends() -> Iterator[None]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = _show_warning
            yield
    except BrokenPipeError:
        raise  # no error; `main` ends quietly
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    except (PieceworkError, OSError, MemoryError) as error:
        print(f"error: {_one_line(error)}", file=sys.stderr)
        raise typer.Exit(2) from None


def _show_warning(message: Warning | str, *_: Any) -> None:
    print(f"warning: {_printable(_as_options(str(message)))}", file=sys.stderr)


def _one_line(error: BaseException) -> str:
    if isinstance(error, PieceworkError):
        return _printable(_as_options(str(error)))
    if isinstance(error, OSError) and error.strerror:
        return _printable(": ".join([str(error.filename), error.strerror] if error.filename else [error.strerror]))
    if isinstance(error, MemoryError):
        return "out of memory"
    return _printable(str(error))


def _printable(text: str) -> str:
    """Escape what would not stay on one line, or would drive the terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


_SETTING = re.compile(r'\b([a-z]+(?:_[a-z]+)*)=(?:"([\w-]+)"|(None|True|False|\.\.\.))')
_SAID_OTHERWISE = {
    "truncation=None": "--ignore-truncation",
    "padding=None": "--ignore-padding",
    "unk_token=None": "--unk-token ''",
}


def _as_options(message: str) -> str:
    """Turn the Python settings that a message names into options: `errors="replace"` into `--errors replace`."""

    def option(found: re.Match[str]) -> str:
        name = found[1].replace("_", "-")
        if found[0] in _SAID_OTHERWISE:
            return _SAID_OTHERWISE[found[0]]
        flags = {"True": f"--{name}", "False": f"--no-{name}", "None": f"--{name} none", "...": f"--{name}"}
        return flags.get(found[3]) or f"--{name} {found[2]}"

    return _SETTING.sub(option, message)
