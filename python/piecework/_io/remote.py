"""Lists and opens files of the file systems that fsspec knows, by their URLs."""

from __future__ import annotations

import errno
from typing import Any, BinaryIO, cast

from piecework._exceptions import wrap_os_error
from piecework._io.extras import import_extra
from piecework.errors import ConfigError, FileError, MissingExtraError, MissingFileError


def is_url(name: str) -> bool:
    """Returns whether a name is a URL, such as ``"s3://bucket/file"``.

    >>> is_url("memory://a.txt"), is_url("a.txt")
    (True, False)
    """
    return "://" in name


def find_files(url: str, hidden: tuple[str, ...]) -> list[tuple[str, int | None]]:
    """Returns the URLs and sizes of the files that a URL names: a file, a folder or a pattern.

    Args:
        url: The URL; a folder is searched recursively.
        hidden: The first characters of names that folders leave out.

    Returns:
        The URLs, and the sizes in bytes; None for an unknown size.

    Raises:
        FileError: No file has or matches the name, or it cannot be read.
        MissingExtraError: fsspec or the package of the file system is not installed.
        ConfigError: No file system has this protocol.
    """
    system, path = _file_system(url)
    try:
        if _is_pattern(url) and not system.exists(path):
            found = _files(system.glob(path, detail=True))
        elif system.isdir(path):
            found = _visible(_files(system.find(path, detail=True)), path, hidden)
        else:
            found = {path: system.info(path)}
    except OSError as error:
        raise _located(error, url) from None
    if not found:
        raise MissingFileError(errno.ENOENT, "no file has or matches this name", url)
    return [(system.unstrip_protocol(name), _size(info)) for name, info in found.items()]


def open_url(url: str) -> BinaryIO:
    """Opens a URL for reading.

    Raises:
        FileError: The file does not exist or cannot be opened.
        MissingExtraError: fsspec or the package of the file system is not installed.
    """
    system, path = _file_system(url)
    try:
        return cast("BinaryIO", system.open(path, "rb"))
    except OSError as error:
        raise _located(error, url) from None


def _file_system(url: str) -> tuple[Any, str]:
    """Returns the file system of a URL, and the path in it."""
    core = import_extra("fsspec.core", "remote", url)
    try:
        system, path = core.url_to_fs(url)
    except ImportError as error:  # the package of one file system
        raise MissingExtraError(str(error), place=f"{url}: ") from error
    except ValueError as error:
        raise ConfigError(str(error), place=f"{url}: ") from None
    return system, cast("str", path)


def _is_pattern(url: str) -> bool:
    return any(character in url.partition("://")[2] for character in "*?[")


def _files(found: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {name: info for name, info in found.items() if info.get("type") == "file"}


def _visible(
    found: dict[str, dict[str, Any]], folder: str, hidden: tuple[str, ...]
) -> dict[str, dict[str, Any]]:
    """Returns the files without those that a name between them and the folder hides."""
    start = len(folder.rstrip("/")) + 1
    return {
        name: info
        for name, info in found.items()
        if not any(part.startswith(hidden) for part in name[start:].split("/"))
    }


def _size(info: dict[str, Any]) -> int | None:
    size = info.get("size")
    return None if size is None else int(size)


def _located(error: OSError, url: str) -> FileError:
    """Returns the exception for an error of a file system, which may have no number."""
    if isinstance(error, FileNotFoundError) and not error.errno:
        return MissingFileError(errno.ENOENT, "no such file or folder", url)
    return wrap_os_error(error, url)
