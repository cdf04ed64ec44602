"""Whole files: read with errors that name them, written so that no half of one is ever seen."""

from __future__ import annotations

import contextlib
import errno
import os
import stat

from piecework.errors import FileError, FormatError, from_os_error, wrap_os_error, wrong_type

Pathish = str | os.PathLike[str]


def checked(path: Pathish, name: str = "path") -> str:
    """Give the path, if the operating system can have one of that name.

    Args:
        path: The path.
        name: The name of the argument that it is.

    Raises:
        FileError: It holds the character NUL, or a lone surrogate.
        TypeError: It is neither a ``str`` nor an ``os.PathLike`` of one.
    """
    try:
        is_str = isinstance(os.fspath(path), str)
    except TypeError:
        is_str = False
    if not is_str:
        raise wrong_type(name, "a str or an os.PathLike", path)
    if "\0" in str(path):
        shown = str(path).replace("\0", "\\0")
        raise from_os_error(errno.EINVAL, "a file name cannot hold the character NUL", shown)
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        name = ascii(os.fspath(path))
        message = "a file name cannot hold a lone surrogate"
        raise from_os_error(errno.EINVAL, message, name) from None
    return os.fspath(path)


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
    name = checked(path)
    try:
        with open(name, "rb") as file:
            return file.read()
    except OSError as error:
        raise wrap_os_error(error, name) from None


_GZIP = b"\x1f\x8b"


def read_unpacked(path: Pathish) -> bytes:
    """Read a file, unpacked if it is one of gzip.

    Args:
        path: The file.

    Returns:
        All of its bytes.

    Raises:
        FileError: It cannot be read; a missing file also is a ``FileNotFoundError``.
        FormatError: It begins as a file of gzip and cannot be unpacked.

    >>> read_unpacked("no such file")
    Traceback (most recent call last):
    ...
    piecework.errors.MissingFileError: no such file: no such file or folder
    """
    data = read_bytes(path)
    if not data.startswith(_GZIP):
        return data
    import gzip  # few files are packed
    import zlib

    try:
        return gzip.decompress(data)
    except (EOFError, OSError, zlib.error) as error:
        message = f"{os.fspath(path)}: begins as a file of gzip and cannot be unpacked: {error}"
        raise FormatError(message) from None


def packed(data: bytes) -> bytes:
    r"""Pack bytes by gzip, always alike: without a time or a name.

    >>> packed(b"a")[:8]
    b'\x1f\x8b\x08\x00\x00\x00\x00\x00'
    """
    import gzip  # few files are packed

    return gzip.compress(data, mtime=0)


def make_folder(path: Pathish) -> str:
    """Make a folder, unless it is there.

    Args:
        path: The folder.

    Returns:
        Its name.

    Raises:
        FileError: It cannot be made, or a file has its name.
    """
    name = checked(path)
    try:
        os.makedirs(name, exist_ok=True)
    except FileExistsError:
        raise _no_folder(name) from None
    except OSError as error:
        raise wrap_os_error(error, name) from None
    return name


def _no_folder(name: str) -> FileError:
    """Return the error for a name that something else than a folder has."""
    try:
        os.stat(name)
    except FileNotFoundError:
        message = (
            "is a symbolic link to a folder that is not there; make the folder, or remove the link"
        )
        return from_os_error(errno.EEXIST, message, name)
    except OSError as error:  # such as a link that leads back to itself
        return wrap_os_error(error, name)
    return from_os_error(errno.ENOTDIR, "is a file; expected a folder", name)


def may_block(path: Pathish) -> bool:
    """Tell whether the path is a pipe or the like, whose bytes may be long in coming."""
    try:
        mode = os.stat(checked(path)).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def size(path: Pathish) -> int:
    """Give the bytes of a file, or 0 where it has no size that is known, like a pipe."""
    name = checked(path, "paths")
    try:
        return os.stat(name).st_size
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
        if os.path.isdir(target):
            raise IsADirectoryError(21, "is a folder")
        if os.path.exists(target) and not os.path.isfile(target):
            with open(target, "wb") as file:  # a device or a pipe cannot be replaced
                file.write(data)
            return
        # A link stays a link: what it points to is replaced.
        real = os.path.realpath(target)
        if os.path.islink(real):  # one that leads back to itself
            raise OSError(errno.ELOOP, "")
        _write(real, data)
    except OSError as error:
        raise wrap_os_error(error, path) from None


def _write(target: str, data: bytes) -> None:
    import tempfile  # whoever only reads does without

    folder, own = os.path.split(target)
    handle, name = tempfile.mkstemp(dir=folder, prefix=f".{own[:50]}.", suffix=".part")
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


def _mode(target: str) -> int:
    """The mode of the file to be replaced, else what the umask leaves of rw-rw-rw-."""
    with contextlib.suppress(OSError):
        return os.stat(target).st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
