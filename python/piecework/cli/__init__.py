"""Runs the command line: data goes to standard output, everything else to standard error.

A verb is a file in `verbs/`; the signature of its function of the same name defines arguments and options. Exit codes: 0
success, 1 findings, 2 errors, 130 interrupted.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from piecework._messages import one_line
from piecework.cli.streams import discard_output, replace_closed, report

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

_INVALID = re.compile("^Invalid value for '?(--[a-z-]+)'?: ")
"""The beginning of typer's message about the value of an option."""
_PHRASES = (("Value error, ", ""), ("Input should be ", "expected "))
"""Phrases of typer's messages about values, and ours."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs a command and ends the process with its exit code.

    Args:
        arguments: The arguments after the program's name; by default those of the process.
    """
    replace_closed()
    try:
        from piecework.cli.app import app

        try:
            # In standalone mode typer prints its errors itself, on several lines.
            code = app(args=arguments, prog_name="piecework", standalone_mode=False)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        _end_quietly()
    except SystemExit as end:
        # typer treats a broken pipe as a failure, even while it prints a help text.
        if not isinstance(end.__context__, BrokenPipeError):
            raise
        _end_quietly()
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        # Verbs report their own errors; this one is from a text of the program itself, such as --help.
        discard_output()
        report(f"error: standard output: {error.strerror or error}")
        sys.exit(2)
    except Exception as error:  # noqa: BLE001  # the exit code of an unhandled error would be 1
        from piecework.cli.help import NoArgumentsError

        if isinstance(error, NoArgumentsError):
            report(str(error))
            sys.exit(2)
        if hasattr(error, "show"):  # an error of typer, whose classes differ by version
            _show_usage(error)
        _show_bug(error)
    else:
        sys.exit(code if isinstance(code, int) else 0)


def _show_usage(error: Any) -> NoReturn:
    """Reports an error of typer on one line."""
    from piecework._display import visible

    context = getattr(error, "ctx", None)
    report(f"error: {one_line(visible(_usage_error(error.format_message(), context)))}")
    sys.exit(2)


def _show_bug(error: Exception) -> NoReturn:
    """Reports an error that no verb handles, with its traceback; Python's own exit code 1 would mean findings."""
    discard_output()
    sys.excepthook(type(error), error, error.__traceback__)
    report("error: this is a bug of piecework; please report it with the lines above")
    sys.exit(2)


def _usage_error(message: str, context: Any) -> str:
    """Returns typer's message in our style, with the command whose help to read."""
    message = _INVALID.sub(r"\1: ", message)
    for theirs, ours in _PHRASES:
        message = message.replace(theirs, ours)
    text = f"{message[:1].lower()}{message[1:].removesuffix('.')}"
    return f"{text}; see {context.command_path} --help" if context else text


def _end_quietly() -> NoReturn:
    """Ends the process with exit code 0 after the reader of standard output has closed it."""
    discard_output()
    sys.exit(0)
