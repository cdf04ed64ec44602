"""Locks folders, so that two processes do not write into one."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from piecework._exceptions import wrap_os_error
from piecework._io.files import checked
from piecework.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._io.files import Pathish

__all__ = ["locked_folder"]


@contextmanager
def locked_folder(path: Pathish) -> Iterator[None]:
    """Returns a context manager that locks a folder; the lock ends with the process at the latest.

    File systems and systems without such locks are not locked.

    Args:
        path: The folder.

    Raises:
        FileError: Another process has the lock, or the folder cannot be opened.
    """
    name = checked(path)
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    try:
        handle = os.open(name, os.O_RDONLY)
    except OSError as error:
        raise wrap_os_error(error, name) from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            message = "another run writes into this folder"
            raise FileError(errno.EBUSY, message, name, hint="wait until it ends") from None
        except OSError:
            pass  # such as a network file system without locks
        yield
    finally:
        os.close(handle)
