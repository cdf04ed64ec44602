"""Temporary files that become another file as a whole, and of which nothing is left if the process is killed.

Linux has files without a name (``O_TMPFILE``), which the system removes with the process. Elsewhere, and for the moment in
which a file replaces another one, a temporary file has a name. It is locked while its writer lives:
:func:`remove_left` removes only what a killed writer has left.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import sys

if sys.platform != "win32":
    import fcntl

_NAME = re.compile(r"\..*\.[0-9a-f]{16}\.piecework-part", re.DOTALL)
"""The names of temporary files."""
_OWN_FILES = "/proc/self/fd"
"""The folder of names under which a process can open its own files."""


class TemporaryFile:
    """Holds a new file in a folder, which becomes another file by :meth:`publish`.

    Attributes:
        name: The name under which this process can open it.
        handle: Its file descriptor.
    """

    __slots__ = ("_folder", "_is_named", "_target", "handle", "name")

    def __init__(self, folder: str, target: str) -> None:
        """Creates the file.

        Args:
            folder: The folder, on the same file system as the target.
            target: The name of the file that it will become.

        Raises:
            OSError: The file cannot be created.
        """
        self._folder, self._target = folder or os.curdir, target
        # The system applies the umask to the mode of a new file. Another file is private until it has the mode of the old one.
        mode = 0o600 if os.path.exists(target) else 0o666
        handle = _without_name(self._folder, mode)
        self._is_named = handle is None
        if handle is None:
            self.handle, self.name = self._with_name(mode)
        else:
            self.handle, self.name = handle, f"{_OWN_FILES}/{handle}"
            _lock(handle)

    def _with_name(self, mode: int) -> tuple[int, str]:
        """Creates a file with a name. One that is taken for one that was left before it is locked is made again."""
        while True:
            name = self._new_name()
            handle = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)
            if _lock(handle) is not False and _is_at(handle, name):
                return handle, name
            os.close(handle)
            _remove(name)

    def _new_name(self) -> str:
        own = os.path.basename(self._target)[:50]
        return os.path.join(self._folder, f".{own}.{os.urandom(8).hex()}.piecework-part")

    def publish(self, *, sync: bool = True) -> None:
        """Gives the file the name of its target, which it replaces if that exists, with the same mode, and owner if it may.

        Args:
            sync: Whether the disk has the bytes before the file has its name.

        Raises:
            OSError: The file cannot be written or renamed.
        """
        if sync:
            os.fsync(self.handle)
        if os.path.exists(self._target):
            self._become(os.stat(self._target))
        if self._is_named:
            self._rename(self.name)
        elif not self._link(self._target):
            self._replace()
        self._is_named = False
        self.close()

    def _become(self, old: os.stat_result) -> None:
        """Takes the owner, if that is allowed, and the mode of a file."""
        own = os.fstat(self.handle)
        if (own.st_uid, own.st_gid) != (old.st_uid, old.st_gid):
            with contextlib.suppress(OSError):
                os.chown(self.name, old.st_uid, old.st_gid)
        os.chmod(self.name, old.st_mode & 0o777)

    def _rename(self, name: str) -> None:
        if os.name == "nt":  # an open file cannot be renamed
            os.close(self.handle)
            self.handle = -1
        os.replace(name, self._target)

    def _link(self, name: str) -> bool:
        """Gives the file without a name a name; returns False if a file has it."""
        folder = os.open(self._folder, os.O_PATH)
        try:
            # With a folder, Python calls the function that follows the link to the file.
            os.link(self.name, name, src_dir_fd=folder)
        except FileExistsError:
            return False
        finally:
            os.close(folder)
        return True

    def _replace(self) -> None:
        """Replaces the target by the file without a name, which cannot be done without another name."""
        name = self._new_name()
        try:
            self._link(name)
            os.replace(name, self._target)
        finally:
            _remove(name)

    def close(self) -> None:
        """Removes the file, unless it was published."""
        if self.handle >= 0:
            os.close(self.handle)
            self.handle = -1
        if self._is_named:
            self._is_named = False
            _remove(self.name)


def _without_name(folder: str, mode: int) -> int | None:
    """Returns a new file without a name; None if the system or the file system has none."""
    if not hasattr(os, "O_TMPFILE") or not os.path.isdir(_OWN_FILES):
        return None
    try:
        return os.open(folder, os.O_RDWR | os.O_TMPFILE, mode)
    except OSError:
        return None  # if the folder cannot be written, a file with a name fails, too


def _remove(name: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name)


def remove_left(folder: str) -> None:
    """Removes the temporary files in a folder whose writers live no more; on Windows none."""
    if os.name == "nt":
        return
    with contextlib.suppress(OSError), os.scandir(folder or os.curdir) as entries:
        for entry in entries:
            if entry.name.endswith("-part") and _NAME.fullmatch(entry.name):
                _remove_if_left(entry.path)


def _remove_if_left(name: str) -> None:
    """Removes a temporary file, unless its writer holds its lock."""
    with contextlib.suppress(OSError):
        handle = os.open(
            name, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK
        )  # not that of a link or a pipe
        try:
            is_file = stat.S_ISREG(os.fstat(handle).st_mode)
            if is_file and _lock(handle) and _is_at(handle, name):
                os.unlink(name)
        finally:
            os.close(handle)


def _lock(handle: int) -> bool | None:
    """Locks a file until it is closed; returns False if another file has the lock, None if the system has no locks."""
    if sys.platform == "win32":
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _is_at(handle: int, name: str) -> bool:
    """Returns whether a file has a name."""
    try:
        return os.path.samestat(os.fstat(handle), os.stat(name))
    except FileNotFoundError:
        return False
