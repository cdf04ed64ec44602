"""Writes data to standard output, completely or not at all."""

from __future__ import annotations

import errno
import json
import os
import shutil
import sys
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from piecework._exceptions import wrap_os_error
from piecework.cli.input import STDIN
from piecework.cli.messages import OptionError
from piecework.cli.streams import discard_output
from piecework.errors import FileError, NotAFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

_IN_MEMORY = 1 << 24


@contextmanager
def printing(stream: bool = False) -> Iterator[Callable[[str], None]]:
    """Returns a context manager of a function that prints a line.

    Lines are buffered in memory, then in a temporary file, and printed when the block ends without error, so a reader of
    standard output never sees a partial result.

    Args:
        stream: Print lines at once instead.

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
    with tempfile.SpooledTemporaryFile(_IN_MEMORY) as buffer:
        yield lambda line: _ignore(buffer.write(_bytes(line)))
        buffer.seek(0)
        with _naming_output():
            shutil.copyfileobj(buffer, out)
            out.flush()


@contextmanager
def _naming_output() -> Iterator[None]:
    """Adds the name of standard output to errors."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        discard_output()
        raise FileError(error.errno, error.strerror or str(error), "standard output") from None


def _bytes(line: str) -> bytes:
    # UTF-8 in every locale; file names that are not valid UTF-8 are written unchanged.
    return f"{line}\n".encode("utf-8", "surrogateescape")


def _ignore(_: object) -> None:
    """Discards the result of a call."""


def as_json(value: Any) -> str:
    """Returns JSON on one line."""
    return json.dumps(value, ensure_ascii=False)


def check_targets(targets: Mapping[str, Path | None], *inputs: str | None) -> None:
    """Raises an error for files that cannot be written, before their contents are computed; None are not given.

    Args:
        targets: The files to write by their options.
        inputs: The files that are read, which may not be written.

    Raises:
        FileError: See :func:`check_target`.
        OptionError: Two options name the same file.
    """
    options: dict[Path, str] = {}
    for option, path in targets.items():
        if path is None:
            continue
        check_target(path, *inputs)
        first = options.setdefault(path.resolve(), option)
        if first != option:
            raise OptionError(option, f"expected another file than that of {first}")


def check_target(path: Path, *inputs: str | None) -> None:
    """Raises FileError for a file that cannot be written, before its content is computed.

    Args:
        path: The file to write.
        inputs: The files that are read, which may not be written; None are not given.

    Raises:
        FileError: The path is not a file, its folder is missing or not writable, or the file is also an input.
    """
    from piecework._io.files import check_folder_of, check_replaceable

    if str(path) == "-":
        raise FileError(errno.EINVAL, "expected a file, found standard output", "-")
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        pass  # the checks below report it
    except OSError as error:
        raise wrap_os_error(error, path) from None
    folder = os.path.dirname(os.path.realpath(path))
    if os.path.isdir(path):
        raise NotAFileError(errno.EISDIR, "is a folder; expected a file", str(path))
    check_folder_of(path)
    if not os.access(folder, os.W_OK):
        named = folder if path.is_symlink() else str(path.parent)
        raise FileError(errno.EACCES, "the folder is not writable", named)
    if os.path.exists(path) and not os.path.isfile(path):
        raise FileError(errno.EINVAL, "is not a regular file", str(path))
    check_replaceable(path)
    files = [name for name in inputs if name not in (None, STDIN) and os.path.exists(name)]
    for name in files if os.path.exists(path) else ():
        if os.path.samefile(path, name):
            raise FileError(errno.EINVAL, "is also an input; write to another file", str(path))
