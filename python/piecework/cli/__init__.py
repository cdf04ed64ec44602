"""The command line: data on standard output, everything else on standard error.

A verb is a file in `verbs/`, whose function of the same name says by its signature what it takes. Exit codes: 0 fine,
1 findings, 2 wrong use or bad input, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and end the process with its exit code.

    Args:
        arguments: What follows the program's name; by default what the process was started with.
    """
    try:
        from piecework.cli.app import app

        try:
            app(args=arguments, prog_name="piecework")
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


def _end_quietly() -> None:
    """End well though nobody reads on; what is still to be written goes nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    sys.exit(0)
