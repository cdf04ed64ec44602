"""Runs the command line: data goes to standard output, everything else to standard error.

A verb is a file in `verbs/`; the signature of its function of the same name defines arguments and options, and its docstring
is their help. Exit codes: 0 success, 1 findings, 2 errors, 130 interrupted.
"""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, NoReturn

from piecework._messages import closest, one_line
from piecework.cli.streams import discard_output, replace_closed, report

if TYPE_CHECKING:
    from collections.abc import Sequence

    import click

__all__ = ["main"]

_INVALID = re.compile("^Invalid value for '?(--[a-z-]+)'?: ")
"""The beginning of click's message about the value of an option."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs a command and ends the process with its exit code.

    Args:
        arguments: The arguments after the program's name; by default those of the process.
    """
    replace_closed()
    try:
        try:
            code = _run(sys.argv[1:] if arguments is None else list(arguments))
        finally:
            sys.stdout.flush()
    except BrokenPipeError:  # the reader of standard output has closed it
        discard_output()
        sys.exit(0)
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        # Verbs report their own errors; this one is from a text of the program itself, such as --help.
        discard_output()
        report(f"error: standard output: {error.strerror or error}")
        sys.exit(2)
    except Exception as error:  # noqa: BLE001  # the exit code of an unhandled error would be 1
        _end_with(error)
    sys.exit(code)


def _run(arguments: list[str]) -> int:
    """Returns the exit code of a command; what click itself does with errors differs by its version."""
    from click.exceptions import Exit

    from piecework.cli.app import COMPLETION, app

    if instruction := os.environ.get(COMPLETION):
        from click.shell_completion import shell_complete

        return shell_complete(app, {}, "piecework", COMPLETION, instruction)
    try:
        with app.make_context("piecework", arguments) as context:
            app.invoke(context)
    except Exit as end:
        return end.exit_code
    return 0


def _end_with(error: Exception) -> NoReturn:
    """Reports an error outside a verb, and ends the process."""
    import click

    from piecework.cli.help import NoArgumentsError

    if isinstance(error, click.Abort):  # interrupted
        sys.exit(130)
    if isinstance(error, NoArgumentsError):
        report(str(error))
    elif isinstance(error, click.ClickException):
        _report_usage(error)
    else:
        # With its traceback; Python's own exit code 1 would mean findings.
        discard_output()
        sys.excepthook(type(error), error, error.__traceback__)
        report("error: this is a bug of piecework; please report it with the lines above")
    sys.exit(2)


def _report_usage(error: click.ClickException) -> None:
    """Reports an error of usage on one line, with the command whose help to read."""
    import click

    from piecework._display import visible

    message = _INVALID.sub(r"\1: ", error.format_message())
    if isinstance(error, click.NoSuchOption):
        message = f"no such option: {error.option_name}"
        similar = closest(error.option_name, error.possibilities or ())
        message += f" (did you mean {similar}?)" if similar else ""
    text = f"{message[:1].lower()}{message[1:].removesuffix('.')}"
    context = getattr(error, "ctx", None)
    text += f"; see {context.command_path} --help" if context else ""
    report(f"error: {one_line(visible(text))}")
