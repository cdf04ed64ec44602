"""Data on standard output: whole, or none of it."""

from __future__ import annotations

import errno
import io
import json
import os
import shutil
import sys
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from piecework.cli.streams import discard_output
from piecework.display import visible as shown
from piecework.errors import FileError, MissingFileError, NotAFileError, wrap_os_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from rich.table import Table

__all__ = ["as_json", "check_target", "printing", "rendered", "shown"]

_IN_MEMORY = 1 << 24
_WIDE = 10_000


@contextmanager
def printing(stream: bool = False) -> Iterator[Callable[[str], None]]:
    """Give a function that prints a line.

    What it is given waits, in memory and then in a temporary file, until the block has ended well: who reads standard
    output never takes a part for the whole.

    Args:
        stream: Print at once instead.

    Yields:
        The function.
    """
    out = sys.stdout.buffer
    if stream:

        def print_now(line: str) -> None:
            with _naming_output():
                out.write(_bytes(line))
                out.flush()

        yield print_now
        return
    with tempfile.SpooledTemporaryFile(_IN_MEMORY) as waiting:
        yield lambda line: _ignore(waiting.write(_bytes(line)))
        waiting.seek(0)
        with _naming_output():
            shutil.copyfileobj(waiting, out)
            out.flush()


@contextmanager
def _naming_output() -> Iterator[None]:
    """Say of errors that they are those of standard output."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        discard_output()
        raise FileError(error.errno, error.strerror or str(error), "standard output") from None


def _bytes(line: str) -> bytes:
    # UTF-8 wherever we are; a file's name that is no text goes out as it came.
    return f"{line}\n".encode("utf-8", "surrogateescape")


def _ignore(_: object) -> None:
    """Take what a call gives."""


def as_json(value: Any) -> str:
    """Give JSON on one line."""
    return json.dumps(value, ensure_ascii=False)


def rendered(table: Table) -> str:
    """Give a table as text: coloured for a terminal, and as wide as it must be elsewhere."""
    from rich.console import Console

    screen = sys.stdout.isatty()
    console = Console(
        file=io.StringIO(),
        force_terminal=screen,
        width=None if screen else _WIDE,
        highlight=False,
        emoji=False,
    )
    with console.capture() as captured:
        console.print(table)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def check_target(path: Path, *inputs: str) -> None:
    """Refuse a file that could not be written, before time is spent on what is to be in it.

    Args:
        path: The file to write.
        inputs: Files that are read, which it may not be one of.

    Raises:
        FileError: It is no file, in a folder that is not there or may not be written to, or also read.
    """
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        pass  # what is missing is said below
    except OSError as error:
        raise wrap_os_error(error, path) from None
    folder = os.path.dirname(os.path.realpath(path))
    if os.path.isdir(path):
        raise NotAFileError(errno.EISDIR, "is a folder; expected a file", str(path))
    if not os.path.isdir(folder):
        raise MissingFileError(errno.ENOENT, "no such folder", str(path.parent))
    if not os.access(folder, os.W_OK):
        raise FileError(errno.EACCES, "the folder may not be written to", str(path.parent))
    if os.path.exists(path) and not os.path.isfile(path):
        raise FileError(errno.EINVAL, "is not an ordinary file", str(path))
    for name in inputs:
        if os.path.exists(path) and os.path.exists(name) and os.path.samefile(path, name):
            raise FileError(errno.EINVAL, "is also an input; write to another file", str(path))
