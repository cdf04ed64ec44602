"""Locks folders, so that two processes do not write into one."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from piecework._io.files import Pathish, checked
from piecework.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator

LOCK = ".lock"
"""The name of the file in a locked folder; a process that is killed leaves it, unlocked."""


@contextmanager
def locked_folder(path: Pathish) -> Iterator[None]:
    """Returns a context manager that locks a folder; the lock ends with the process at the latest.

    A folder in which no file can be created or locked is not locked.

    Args:
        path: The folder.

    Raises:
        FileError: Another process has the lock.
    """
    from filelock import FileLock, Timeout

    folder = checked(path)
    lock = FileLock(os.path.join(folder, LOCK))
    try:
        lock.acquire(blocking=False)
    except Timeout:
        message = "another run writes into this folder"
        raise FileError(errno.EBUSY, message, folder, hint="wait until it ends") from None
    except OSError:
        yield
        return
    try:
        yield
    finally:
        # While it is locked: who opened it before finds that it is gone.
        with suppress(OSError):
            os.unlink(lock.lock_file)
        lock.release()
