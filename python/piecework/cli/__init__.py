"""The command line: data on standard output, everything else on standard error.

A verb is a file in `verbs/`, whose function of the same name says by its signature what it takes. Exit codes: 0 fine,
1 findings, 2 wrong use or bad input, 130 interrupted.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NoReturn

from piecework.cli.streams import discard_output, replace_closed, report
from piecework.errors import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and end the process with its exit code.

    Args:
        arguments: What follows the program's name; by default what the process was started with.
    """
    replace_closed()
    try:
        from piecework.cli.app import app

        try:
            # By itself typer would print its errors however long they are.
            code = app(args=arguments, prog_name="piecework", standalone_mode=False)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        _end_quietly()
    except SystemExit as end:
        # typer calls a broken pipe a failure, also where only a help text was cut.
        if not isinstance(end.__context__, BrokenPipeError):
            raise
        _end_quietly()
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        # Verbs have reported their own; what is left are the texts of the program itself.
        discard_output()
        report(f"error: standard output: {error.strerror or error}")
        sys.exit(2)
    except Exception as error:
        if not hasattr(error, "show"):  # that of typer, whatever it is called
            raise
        _show_usage(error)
    else:
        sys.exit(code if isinstance(code, int) else 0)


def _show_usage(error: Any) -> NoReturn:
    """Report an error of typer as one line, as all others are; without any argument it is the help."""
    from piecework.readable import visible

    context = getattr(error, "ctx", None)
    if context and error.message == context.get_help():
        report(error.message)
    else:
        report(f"error: {one_line(visible(_usage_error(error.format_message(), context)))}")
    sys.exit(2)


def _usage_error(message: str, context: Any) -> str:
    """Return typer's message as ours begin and end, with the command whose help says more."""
    told = f"{message[:1].lower()}{message[1:].removesuffix('.')}"
    return f"{told}; see {context.command_path} --help" if context else told


def _end_quietly() -> NoReturn:
    """End well though nobody reads on."""
    discard_output()
    sys.exit(0)
