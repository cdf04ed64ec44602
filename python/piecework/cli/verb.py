"""Turns functions into verbs, with groups of options and one-line errors."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from click.exceptions import Exit

from piecework._display import visible
from piecework._messages import MessageParts, one_line
from piecework.cli.declare import arguments_of, help_text, parameters_of
from piecework.cli.help import VerbCommand
from piecework.cli.messages import Options
from piecework.cli.streams import report
from piecework.errors import PieceworkError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


def command(name: str, function: Callable[..., None], settings: Mapping[str, Any]) -> VerbCommand:
    """Returns the command that runs a function.

    A parameter whose type is a dataclass is replaced by its fields as options, so verbs share groups of options. Errors of
    piecework and of the system end the verb with one line and exit code 2.

    Args:
        name: The name of the verb.
        function: A function of keyword parameters, which `declare.py` reads.
        settings: The settings of contexts of click.
    """

    def run(**values: Any) -> None:
        with _one_line_errors(options):
            function(**arguments_of(function, values))

    params = list(parameters_of(function))
    options = Options(
        {str(param.name): long for param in params for long in param.opts if long.startswith("--")}
    )
    return VerbCommand(
        name, callback=run, params=params, help=help_text(function), context_settings={**settings}
    )


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
