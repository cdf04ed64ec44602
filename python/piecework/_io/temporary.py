"""Temporary files that become another file as a whole, and of which nothing is left if the process is killed.

Linux has files without a name (``O_TMPFILE``), which the system removes with the process. Elsewhere, and for the moment in
which a file replaces another one, a temporary file has a name. It is locked while its writer lives, so that the next writer
into the folder can remove what a killed one has left.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile

_SUFFIX = ".piecework-part"
"""The end of the names of temporary files."""
_OWN_FILES = "/proc/self/fd"
"""The folder of names under which a process can open its own files."""


class TemporaryFile:
    """Holds a new file in a folder, which becomes another file by :meth:`publish`.

    Attributes:
        name: The name under which this process can open it.
        handle: Its file descriptor.
    """

    __slots__ = ("_folder", "_is_named", "_prefix", "handle", "name")

    def __init__(self, folder: str, target: str) -> None:
        """Creates the file, after removing the files that killed writers have left in the folder.

        Args:
            folder: The folder, on the same file system as the target.
            target: The name of the file that it will become, of which a temporary name has a part.

        Raises:
            OSError: The file cannot be created.
        """
        remove_left(folder)
        self._folder, self._prefix = folder or os.curdir, f".{os.path.basename(target)[:50]}."
        handle = _without_name(self._folder)
        self._is_named = handle is None
        if handle is None:
            self.handle, self.name = self._with_name()
        else:
            self.handle, self.name = handle, f"{_OWN_FILES}/{handle}"
            _lock(handle)

    def _with_name(self) -> tuple[int, str]:
        while True:
            handle, name = tempfile.mkstemp(_SUFFIX, self._prefix, self._folder)
            # Before it was locked, another writer may have taken it for one that was left.
            if not _lock(handle) or _is_at(handle, name):
                return handle, name
            os.close(handle)

    def publish(self, target: str, mode: int, *, sync: bool = True) -> None:
        """Gives the file the name of its target, which it replaces if that exists, with the same owner where it may.

        Args:
            target: The name.
            mode: The permissions.
            sync: Whether the disk has the bytes before the file has its name.

        Raises:
            OSError: The file cannot be written or renamed.
        """
        if sync:
            os.fsync(self.handle)
        with contextlib.suppress(OSError):
            self._keep_owner(os.stat(target))
        os.chmod(self.name, mode)
        if self._is_named:
            self._rename(self.name, target)
        elif not self._link(target):
            self._replace(target)
        self._is_named = False
        self.close()

    def _rename(self, name: str, target: str) -> None:
        if os.name == "nt":  # an open file cannot be renamed
            os.close(self.handle)
            self.handle = -1
        os.replace(name, target)

    def _keep_owner(self, old: os.stat_result) -> None:
        own = os.fstat(self.handle)
        if (own.st_uid, own.st_gid) != (old.st_uid, old.st_gid):
            os.chown(self.name, old.st_uid, old.st_gid)

    def _link(self, name: str) -> bool:
        """Gives the file without a name a name; returns False if a file has it."""
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            # With a folder, Python calls the function that follows the link to the file.
            os.link(self.name, os.path.abspath(name), src_dir_fd=folder)
        except FileExistsError:
            return False
        finally:
            os.close(folder)
        return True

    def _replace(self, target: str) -> None:
        """Replaces a file by the file without a name, which cannot be done without another name."""
        name = self._new_name()
        while not self._link(name):
            name = self._new_name()
        try:
            os.replace(name, target)
        except BaseException:
            os.unlink(name)
            raise

    def _new_name(self) -> str:
        return os.path.join(self._folder, f"{self._prefix}{os.urandom(4).hex()}{_SUFFIX}")

    def close(self) -> None:
        """Removes the file, unless it was published."""
        if self.handle >= 0:
            os.close(self.handle)
            self.handle = -1
        if self._is_named:
            self._is_named = False
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.name)


def _without_name(folder: str) -> int | None:
    """Returns a new file without a name; None if the system or the file system has none."""
    if not hasattr(os, "O_TMPFILE") or not os.path.isdir(_OWN_FILES):
        return None
    try:
        return os.open(folder, os.O_RDWR | os.O_TMPFILE, 0o600)
    except OSError:
        return None  # if the folder cannot be written, a file with a name fails, too


def remove_left(folder: str) -> None:
    """Removes the temporary files in a folder whose writers live no more; on Windows none."""
    if os.name == "nt":
        return
    with contextlib.suppress(OSError), os.scandir(folder or os.curdir) as entries:
        for entry in entries:
            if entry.name.endswith(_SUFFIX):
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


def _lock(handle: int) -> bool:
    """Locks a file until it is closed; returns False if another process has the lock, or the system has none."""
    if os.name == "nt":
        return False
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_at(handle: int, name: str) -> bool:
    """Returns whether a file has a name."""
    try:
        return os.path.samestat(os.fstat(handle), os.stat(name))
    except FileNotFoundError:
        return False
