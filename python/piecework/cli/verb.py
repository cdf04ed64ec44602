"""What all verbs have in common: groups of options, and errors of one line."""

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
        with _clean_ends([parameter.name for parameter in parameters]):
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
    """Give a function's docstring as typer reads it: examples keep their lines."""
    return (inspect.getdoc(function) or "").replace("Examples:\n", "\b\nExamples:\n")


@contextmanager
def _clean_ends(options: list[str]) -> Iterator[None]:
    """End with one line for a person, in which settings are named as this verb's options."""

    def say(kind: str, message: object) -> None:
        report(f"{kind}: {one_line(shown(_as_options(str(message), options)))}")

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = lambda message, *_, **__: say("warning", message)
            yield
    except BrokenPipeError:
        raise  # no error; `main` ends quietly
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    except MemoryError:
        say("error", "out of memory")
        raise typer.Exit(2) from None
    except PieceworkError as error:
        say("error", error)
        raise typer.Exit(2) from None
    except OSError as error:
        say("error", ": ".join(filter(None, [error.filename, error.strerror])) or error)
        raise typer.Exit(2) from None


_SAID_OTHERWISE = {
    "truncation=None": "--no-truncation",
    "padding=None": "--no-padding",
    "add_special_tokens=False": "--no-special-tokens",
    "unk_token=None": "--unk-token ''",
    "user_defined_symbols": "--user-defined-symbol",
}
_INSIDE_A_COMPONENT = re.compile(r"BertNormalizer\((\w+=\w+)\)")
_ALSO = ["truncation", "padding", "add_special_tokens"]


def _as_options(message: str, options: list[str]) -> str:
    """Turn the Python settings that a message names into options: `errors="replace"` into `--errors replace`."""
    names = "|".join(sorted([*options, *_ALSO], key=len, reverse=True))
    setting = re.compile(
        rf"""(?<![\w.'"])({names})\b(?![./-]\w)(=(?:"([\w-]+)"|'[^']*'|\w+|\.\.\.)?)?"""
    )

    def option(found: re.Match[str]) -> str:
        said, name, assigned, word = found[0], found[1], found[2], found[3]
        dashed = f"--{name.replace('_', '-')}"
        if said in _SAID_OTHERWISE:
            return _SAID_OTHERWISE[said]
        if assigned is None:
            return dashed if "_" in name else said  # a name of one word may be just that word
        if assigned == "=False":
            return f"--no-{dashed[2:]}"
        value = word or assigned[1:].replace("None", "none")
        return dashed if value in ("", "True", "...") else f"{dashed} {value}"

    return setting.sub(option, _INSIDE_A_COMPONENT.sub(r"\1", message))
