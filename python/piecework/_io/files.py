"""Reads whole files with errors that name them, and writes files atomically.

A file is written aside, flushed to disk and then given its name, so a reader sees the old file or the new one.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING

from piecework._exceptions import from_os_error, wrap_os_error
from piecework._messages import wrong_type
from piecework._settings.limiting import check, limit
from piecework.errors import FileError, FilePermissionError, MissingFileError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Pathish = str | os.PathLike[str]


def checked(path: Pathish, name: str = "path") -> str:
    """Returns a path as a `str`, after checking that it is a valid file name.

    Args:
        path: The path.
        name: The name of the argument, for errors.

    Raises:
        FileError: The path contains NUL or a lone surrogate.
        TypeError: The path is neither a ``str`` nor an ``os.PathLike`` of one.
    """
    try:
        is_str = isinstance(os.fspath(path), str)
    except TypeError:
        is_str = False
    if not is_str:
        raise wrong_type(name, "a str or an os.PathLike", path)
    if "\0" in str(path):
        shown = str(path).replace("\0", "\\0")
        raise from_os_error(errno.EINVAL, "a file name cannot contain the character NUL", shown)
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        name = ascii(os.fspath(path))
        message = "a file name cannot contain a lone surrogate"
        raise from_os_error(errno.EINVAL, message, name) from None
    return os.fspath(path)


@contextlib.contextmanager
def naming_errors(path: Pathish) -> Iterator[str]:
    """Returns a context manager of a checked path, which the operating system's errors within the block then name.

    Args:
        path: The file or folder.

    Yields:
        The path as a `str`.

    Raises:
        FileError: The path is no valid name, or the block raised an ``OSError``.
    """
    name = checked(path)
    try:
        yield name
    except FileError:
        raise
    except OSError as error:
        raise wrap_os_error(error, name) from None


def read_bytes(path: Pathish) -> bytes:
    """Returns the bytes of a file.

    Args:
        path: The file.

    Returns:
        All of its bytes.

    Raises:
        FileError: The file cannot be read; for a missing file the error is also a ``FileNotFoundError``.
        LimitError: A loader runs, and the file exceeds its limit.

    >>> read_bytes("no such file")
    Traceback (most recent call last):
    ...
    piecework.errors.MissingFileError: no such file: no such file or folder
    """
    with naming_errors(path) as name:
        refuse_device(name)
        with open(name, "rb") as file:
            if limit("file_bytes") is None:
                return file.read()
            check("file_bytes", os.fstat(file.fileno()).st_size, f"{name}: ")
            return _bounded(iter(partial(file.read, _READ_BYTES), b""), "file_bytes", name)


_READ_BYTES = 1 << 26
"""The number of bytes of a read of a file of which not more than a limit may be read."""


def _bounded(blocks: Iterable[bytes], limited: str, name: str) -> bytes:
    """Returns blocks of a file in one; raises LimitError when they have more bytes than the limit of that name."""
    read, total = [], 0
    for block in blocks:
        total += len(block)
        check(limited, total, f"{name}: ", is_whole=False)
        read.append(block)
    return read[0] if len(read) == 1 else b"".join(read)


def refuse_device(name: str) -> None:
    """Raises FileError for a device, which may have no end, such as /dev/zero; terminals and the null device are read.

    Raises:
        OSError: There is no such file.
    """
    status = os.stat(name)
    if not stat.S_ISCHR(status.st_mode) and not stat.S_ISBLK(status.st_mode):
        return
    if status.st_rdev == os.stat(os.devnull).st_rdev:
        return
    with open(name, "rb", buffering=0) as file:
        if not file.isatty():
            hint = "pass a file or a pipe"
            raise FileError(errno.EINVAL, "is a device, which may have no end", name, hint=hint)


_COMPRESSIONS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
"""The first bytes of compressed files."""


def read_unpacked(path: Pathish) -> bytes:
    """Returns the bytes of a file, decompressed if it starts like a gzip or Zstandard file.

    Args:
        path: The file.

    Returns:
        All of its bytes.

    Raises:
        FileError: The file cannot be read; for a missing file the error is also a ``FileNotFoundError``.
        FormatError: The compressed file is truncated or damaged.
        LimitError: A loader runs, and the file exceeds one of its limits.
        MissingExtraError: Zstandard requires a package that is not installed.

    >>> read_unpacked("no such file")
    Traceback (most recent call last):
    ...
    piecework.errors.MissingFileError: no such file: no such file or folder
    """
    data = read_bytes(path)
    kinds = (kind for start, kind in _COMPRESSIONS.items() if data.startswith(start))
    kind = next(kinds, None)
    if kind is None:
        return data
    from piecework._io.compression import decompressed  # few files are compressed

    blocks = decompressed(io.BytesIO(data).read, os.fspath(path), kind)
    return _bounded(blocks, "unpacked_bytes", os.fspath(path))


def packed(data: bytes) -> bytes:
    r"""Returns bytes compressed by gzip, reproducibly: without time and name.

    >>> packed(b"a")[:8]
    b'\x1f\x8b\x08\x00\x00\x00\x00\x00'
    """
    import gzip  # few files are compressed

    return gzip.compress(data, mtime=0)


def exists(path: Pathish) -> bool:
    """Returns whether a file or folder exists."""
    return os.path.exists(checked(path))


def is_file(path: Pathish) -> bool:
    """Returns whether a path is that of a file, not of a folder."""
    return os.path.isfile(checked(path))


def read_if_exists(path: Pathish) -> bytes | None:
    """Returns the bytes of a file, or None if it does not exist.

    Raises:
        FileError: The file exists and cannot be read.
    """
    try:
        return read_bytes(path)
    except MissingFileError:
        return None


def existing_folder(path: Pathish, name: str = "path") -> str:
    """Returns the name of a folder, after checking that it exists.

    Args:
        path: The folder.
        name: The name of the argument, for errors.

    Raises:
        FileError: There is no such folder, or a file has its name.
    """
    from pathlib import Path  # few calls read folders

    folder = str(Path(checked(path, name)))
    if os.path.isfile(folder):
        raise FileError(errno.ENOTDIR, "is a file; expected a folder", folder)
    if not os.path.exists(folder):
        read_bytes(folder)  # raises the error
    return folder


def make_folder(path: Pathish) -> str:
    """Creates a folder unless it exists.

    Args:
        path: The folder.

    Returns:
        Its name.

    Raises:
        FileError: The folder cannot be created, or a file has its name.
    """
    with naming_errors(path) as name:
        try:
            os.makedirs(name, exist_ok=True)
        except FileExistsError:
            raise _no_folder(name) from None
    return name


def _no_folder(name: str) -> FileError:
    """Returns the error for an existing path that is not a folder."""
    try:
        os.stat(name)
    except FileNotFoundError:
        message = "is a symbolic link to a missing folder; create the folder, or remove the link"
        return from_os_error(errno.EEXIST, message, name)
    except OSError as error:  # such as a cycle of links
        return wrap_os_error(error, name)
    return FileError(errno.ENOTDIR, "is a file; expected a folder", name)


def check_folder_of(path: Pathish) -> None:
    """Raises FileError if a file cannot be created since its folder is missing or is a file.

    Args:
        path: The file; for a symbolic link the folder is that of its target.

    Raises:
        FileError: There is no such folder, or a file has its name.
    """
    name = checked(path)
    folder = os.path.dirname(os.path.realpath(name) if os.path.islink(name) else name) or "."
    if os.path.isdir(folder):
        return
    ancestor = folder
    while not os.path.lexists(ancestor):
        ancestor = os.path.dirname(ancestor) or "."
    if os.path.isfile(ancestor):
        raise MissingFileError(errno.ENOTDIR, "is a file; expected a folder", ancestor)
    if os.path.islink(ancestor):
        folder = os.path.realpath(folder)
    raise MissingFileError(errno.ENOENT, "no such folder", folder)


def may_block(path: Pathish) -> bool:
    """Returns whether reading a path may block, as for a pipe."""
    try:
        mode = os.stat(checked(path)).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def size(path: Pathish) -> int:
    """Returns the size of a file in bytes, or 0 if it is unknown, as for a pipe."""
    name = checked(path, "paths")
    try:
        return os.stat(name).st_size
    except OSError:
        return 0


def write_aside(path: Pathish, data: bytes) -> None:
    """Writes a file atomically: to a temporary file in the same folder, which is then renamed.

    Readers see the old file or the new one, never a part. On failure the temporary file is removed.

    Args:
        path: The file, which is created or replaced.
        data: All of its bytes.

    Raises:
        FileError: The file cannot be written.
    """
    with replacing(path) as name, open(name, "wb") as file:
        file.write(data)


@contextlib.contextmanager
def replacing(path: Pathish) -> Iterator[str]:
    """Returns a context manager of the name of an existing file, whose content replaces a file when the block ends.

    Readers see the old file or the new one, never a part. If the block raises or the process ends, no temporary file is left.

    Args:
        path: The file, which is created or replaced.

    Yields:
        The name under which this process can write the content; ``path`` itself if that is a device or a pipe.

    Raises:
        FileError: The file cannot be written.
        FilePermissionError: The file exists and is read-only.
    """
    from piecework._io.temporary import TemporaryFile, remove_left  # not needed for reading

    target = checked(path)
    check_replaceable(target)
    name = target
    try:
        if os.path.isdir(target):
            raise IsADirectoryError(21, "is a folder")
        if os.path.exists(target) and not os.path.isfile(target):
            yield target  # a device or a pipe cannot be replaced
            return
        # A link is kept, and its target is replaced.
        real = os.path.realpath(target)
        if os.path.islink(real):  # a cycle of links
            raise OSError(errno.ELOOP, "")
        remove_left(os.path.dirname(real))
        with contextlib.closing(TemporaryFile(os.path.dirname(real), real)) as file:
            name = file.name
            yield name
            file.publish()
    except OSError as error:
        if isinstance(error, FileError) and error.filename != name:
            raise  # the error of another file
        raise wrap_os_error(error, path) from None


_REPLACES_READ_ONLY: ContextVar[bool] = ContextVar("replaces read-only files", default=False)


@contextlib.contextmanager
def replacing_read_only() -> Iterator[None]:
    """Returns a context manager of a block in which files that are read-only may be replaced."""
    token = _REPLACES_READ_ONLY.set(True)
    try:
        yield
    finally:
        _REPLACES_READ_ONLY.reset(token)


def check_replaceable(path: Pathish) -> None:
    """Raises FilePermissionError for a file that its user must not write, or that nobody must: root could write any."""
    name = checked(path)
    try:
        mode = os.stat(name).st_mode
    except OSError:
        return  # there is none
    if not stat.S_ISREG(mode) or _REPLACES_READ_ONLY.get():
        return
    if not mode & 0o222 or not os.access(name, os.W_OK):
        hint = "make it writable or remove it; on the command line, `piecework --force VERB` replaces it"
        raise FilePermissionError(errno.EACCES, "is read-only", name, hint=hint)
