"""Lists folders, and removes files and folders."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING

from piecework._exceptions import wrap_os_error
from piecework._io.files import Pathish, checked, naming_errors

if TYPE_CHECKING:
    from collections.abc import Iterator

_ATTEMPTS = 5
"""The number of attempts to remove a folder into which others write."""


def list_folder(path: Pathish) -> list[str]:
    """Returns the sorted names in a folder, hidden ones included.

    Raises:
        FileError: The folder cannot be read.
    """
    with naming_errors(path) as name:
        return sorted(os.listdir(name))


def remove_file(path: Pathish) -> None:
    """Removes a file.

    Raises:
        FileError: The file cannot be removed.
    """
    with naming_errors(path) as name:
        os.unlink(name)


def remove_folder(path: Pathish) -> None:
    """Removes a folder with all that it contains.

    Raises:
        FileError: The folder cannot be removed.
    """
    with naming_errors(path) as name:
        for _ in range(_ATTEMPTS):
            try:
                shutil.rmtree(name)
            except FileNotFoundError:
                return  # another process was faster
            except OSError as error:
                # A second attempt of a part may still write into the folder; what it leaves is hidden.
                if error.errno != errno.ENOTEMPTY:
                    raise
            else:
                return


@contextmanager
def temporary_folder() -> Iterator[str]:
    """Returns a context manager of the name of a new folder, which is removed at the end.

    Raises:
        FileError: The system's folder of temporary files cannot be written.
    """
    try:
        name = tempfile.mkdtemp(prefix="piecework-")
    except OSError as error:
        raise wrap_os_error(error, error.filename or tempfile.gettempdir()) from None
    try:
        yield name
    finally:
        shutil.rmtree(name, ignore_errors=True)


def time_of_change(path: Pathish) -> int | None:
    """Returns when a file was last changed, in nanoseconds since 1970; None if that is unknown, as for a URL."""
    try:
        return os.stat(checked(path)).st_mtime_ns
    except OSError:
        return None
