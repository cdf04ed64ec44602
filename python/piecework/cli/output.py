"""Data on standard output: whole, or none of it."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from piecework.errors import FileError, MissingFileError, NotAFileError
from piecework.readable import visible as shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
            out.write(_bytes(line))
            out.flush()

        yield print_now
        return
    with tempfile.SpooledTemporaryFile(_IN_MEMORY) as waiting:
        yield lambda line: _ignore(waiting.write(_bytes(line)))
        waiting.seek(0)
        shutil.copyfileobj(waiting, out)
        out.flush()


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
    folder = path.resolve().parent
    if path.is_dir():
        raise NotAFileError(21, "is a folder; expected a file", str(path))
    if not folder.is_dir():
        raise MissingFileError(2, "no such folder", str(path.parent))
    if not os.access(folder, os.W_OK):
        raise FileError(13, "the folder may not be written to", str(path.parent))
    if path.exists() and not path.is_file():
        raise FileError(22, "is not an ordinary file", str(path))
    for name in inputs:
        if path.exists() and Path(name).exists() and path.samefile(name):
            raise FileError(22, "is also an input; write to another file", str(path))
