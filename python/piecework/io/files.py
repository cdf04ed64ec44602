"""Whole files: read with errors that name them, written so that no half of one is ever seen."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from pathlib import Path

from piecework.errors import from_os_error, wrap_os_error

Pathish = str | os.PathLike[str]


def checked(path: Pathish) -> Path:
    """Give the path, if the operating system can have one of that name.

    Raises:
        FileError: It holds the character NUL, or a lone surrogate.
    """
    if "\0" in str(path):
        raise from_os_error(errno.EINVAL, "a file name cannot hold the character NUL", str(path))
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        name = ascii(os.fspath(path))
        message = "a file name cannot hold a lone surrogate"
        raise from_os_error(errno.EINVAL, message, name) from None
    return Path(path)


def read_bytes(path: Pathish) -> bytes:
    """Read a file.

    Args:
        path: The file.

    Returns:
        All of its bytes.

    Raises:
        FileError: It cannot be read; a missing file also is a ``FileNotFoundError``.

    >>> read_bytes("no such file")
    Traceback (most recent call last):
    ...
    piecework.errors.MissingFileError: no such file: no such file or folder
    """
    path = checked(path)
    try:
        return path.read_bytes()
    except OSError as error:
        raise wrap_os_error(error, Path(path)) from None


def may_block(path: Pathish) -> bool:
    """Tell whether the path is a pipe or the like, whose bytes may be long in coming."""
    try:
        mode = checked(path).stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def size(path: Pathish) -> int:
    """Give the bytes of a file, or 0 where it has no size that is known, like a pipe."""
    path = checked(path)
    try:
        return path.stat().st_size
    except OSError:
        return 0


def write_aside(path: Pathish, data: bytes) -> None:
    """Write a file under another name in the same folder, then rename it.

    Whoever reads ``path`` sees the old file or the new one, never a part; on failure nothing is left behind.

    Args:
        path: The file, made or replaced.
        data: All of its bytes.

    Raises:
        FileError: It cannot be written.
    """
    target = checked(path)
    try:
        if target.is_dir():
            raise IsADirectoryError(21, "is a folder")
        if target.exists() and not target.is_file():
            target.write_bytes(data)  # a device or a pipe cannot be replaced
            return
        # A link stays a link: what it points to is replaced.
        target = Path(os.path.realpath(target))
        _write(target, data)
    except OSError as error:
        raise wrap_os_error(error, Path(path)) from None


def _write(target: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(
        dir=target.parent, prefix=f".{target.name[:50]}.", suffix=".part"
    )
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, _mode(target))
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _mode(target: Path) -> int:
    """The mode of the file to be replaced, else what the umask leaves of rw-rw-rw-."""
    with contextlib.suppress(OSError):
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
