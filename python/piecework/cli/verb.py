"""Turns functions into verbs, with groups of options and one-line errors."""

from __future__ import annotations

import dataclasses
import inspect
import re
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, get_type_hints

import typer

from piecework.cli.output import shown
from piecework.cli.streams import report
from piecework.errors import PieceworkError, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["command", "help_text"]


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Returns a function that typer runs as a verb.

    A parameter whose type is a dataclass is replaced by its fields as options, so verbs share groups of options. Errors of
    piecework and of the system end the verb with one line and exit code 2.

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
        with _one_line_errors([parameter.name for parameter in parameters]):
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
        yield parameter.replace(
            annotation=hints[parameter.name], kind=inspect.Parameter.KEYWORD_ONLY
        )


def help_text(function: Callable[..., None]) -> str:
    """Returns the docstring of a function for typer, with the line breaks of its examples kept."""
    return (inspect.getdoc(function) or "").replace("Examples:\n", "\b\nExamples:\n")


@contextmanager
def _one_line_errors(options: list[str]) -> Iterator[None]:
    """Reports errors and warnings on one line, with settings written as options of the verb."""

    def print_line(kind: str, message: object) -> None:
        report(f"{kind}: {one_line(shown(_as_options(str(message), options)))}")

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


_OPTION_FOR = {
    "truncation=None": "--no-truncation",
    "padding=None": "--no-padding",
    "add_special_tokens=False": "--no-special-tokens",
    "unk_token=None": "--unk-token ''",
    "user_defined_symbols": "--user-defined-symbol",
}
"""The options of settings that are not named like their option."""
_IN_COMPONENT = re.compile(r"BertNormalizer\((\w+=\w+)\)")
_SETTINGS = ["truncation", "padding", "add_special_tokens"]
"""Settings that are replaced although no option has their name."""


def _as_options(message: str, options: list[str]) -> str:
    """Returns a message with Python settings written as options: `errors="replace"` as `--errors replace`."""
    names = "|".join(sorted([*options, *_SETTINGS], key=len, reverse=True))
    setting = re.compile(
        rf"""(?<![\w.'"])({names})\b(?![./-]\w)(=(?:"([\w-]+)"|'[^']*'|\w+|\.\.\.)?)?"""
    )

    def option(match: re.Match[str]) -> str:
        text, name, assigned, word = match[0], match[1], match[2], match[3]
        dashed = f"--{name.replace('_', '-')}"
        if text in _OPTION_FOR:
            return _OPTION_FOR[text]
        if assigned is None:
            return dashed if "_" in name else text  # a name of one word may be an English word
        if assigned == "=False":
            return f"--no-{dashed[2:]}"
        value = word or assigned[1:].replace("None", "none")
        return dashed if value in ("", "True", "...") else f"{dashed} {value}"

    return setting.sub(option, _IN_COMPONENT.sub(r"\1", message))
