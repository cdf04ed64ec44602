"""Makes the exceptions and warnings of :mod:`piecework.errors`, some for the core."""

from __future__ import annotations

import errno
import os
import sys
import warnings
from typing import TYPE_CHECKING

from piecework import errors

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike


def text_index(error: errors.PieceworkError) -> int | None:
    """Returns the index of the text in its batch that an error of the core is about; None for other errors.

    >>> from piecework.errors import ConfigError
    >>> text_index(ConfigError("too long").at("text 3"))
    3
    """
    index = error.place.removeprefix("text ").removesuffix(": ")
    return int(index) if index.isdecimal() else None


def locate(error: errors.PieceworkError, place: Callable[[int], str]) -> None:
    """Writes the place of a text into an error of its batch, whose own place is the index of the text.

    >>> from piecework.errors import ConfigError
    >>> error = ConfigError("too long").at("text 3")
    >>> locate(error, lambda index: f"a.txt: line {index + 1}")
    >>> str(error)
    'a.txt: line 4: too long'
    """
    index = text_index(error)
    if index is not None:
        error.place = f"{place(index)}: "


_PACKAGE = os.path.join(os.path.dirname(__file__), "")


def warn(
    problem: str, *, setting: str | None = None, hint: str | None = None, place: str = ""
) -> None:
    """Raises a warning of a problem; see :func:`show_warning`."""
    show_warning(errors.PieceworkWarning(problem, setting=setting, hint=hint, place=place))


def show_warning(warning: errors.PieceworkWarning) -> None:
    """Raises a warning at the line outside piecework that called it."""
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(warning, stacklevel=level)


_FILE_ERRORS: dict[int, tuple[type[errors.FileError], str]] = {
    errno.ENOENT: (errors.MissingFileError, "no such file or folder"),
    errno.EACCES: (errors.FilePermissionError, "permission denied"),
    errno.EPERM: (errors.FilePermissionError, "operation not permitted"),
    errno.EROFS: (errors.FilePermissionError, "the file system is read-only"),
    errno.ENOTDIR: (errors.MissingFileError, "no such file or folder"),
    errno.EISDIR: (errors.NotAFileError, "is a folder; expected a file"),
    errno.ENOSPC: (errors.FileError, "no space left on the disk; nothing was written"),
    errno.ENAMETOOLONG: (errors.FileError, "the file name is too long"),
    errno.ELOOP: (errors.FileError, "a cycle of symbolic links"),
}


def from_os_error(number: int, message: str, filename: str) -> errors.FileError:
    """Returns the exception for an error of the operating system.

    Args:
        number: The number of the error (``errno``).
        message: The message for numbers without one of ours.
        filename: The file.

    Returns:
        The exception.

    >>> from_os_error(errno.ENOENT, "", "vocab.txt")
    MissingFileError('vocab.txt: no such file or folder')
    """
    kind, text = _FILE_ERRORS.get(number, (errors.FileError, message))
    return kind(number, text, filename)


def from_work_folder(number: int, message: str, folder: str) -> errors.FileError:
    """Returns the exception for temporary files that cannot be written or read (called by the core).

    >>> from_work_folder(errno.ENOSPC, "", "/tmp")
    FileError('work_dir: /tmp: no space left on the disk; nothing was written; pass a `work_dir=...` with enough free space')
    """
    error = from_os_error(number, message, folder)
    error.setting, error.hint = "work_dir", "pass a `work_dir=...` with enough free space"
    return error


def wrap_os_error(error: OSError, path: str | PathLike[str]) -> errors.FileError:
    """Returns the exception for an OSError of a call on `path`."""
    return from_os_error(error.errno or 0, error.strerror or str(error), str(path))


def from_core(
    kind: str, place: str, problem: str, setting: str | None, hint: str | None
) -> errors.PieceworkError:
    """Returns the exception for an error of the core (called by the core)."""
    error: errors.PieceworkError = getattr(errors, kind)(
        problem, setting=setting, hint=hint, place=place
    )
    return error


def from_utf8(
    place: str, problem: str, value: int, line: int, byte: int
) -> errors.InvalidUtf8Error:
    """Returns the exception for an invalid byte of a UTF-8 file (called by the core)."""
    hint = (
        'pass `encoding="auto"` to detect the encoding, `errors="replace"` to replace it by U+FFFD, '
        'or `on_error="skip"` to skip such lines'
    )
    return _invalid_byte(place, problem, value, (line, byte), hint)


def from_bytes(place: str, problem: str, value: int, byte: int) -> errors.InvalidUtf8Error:
    """Returns the exception for an invalid byte of a UTF-8 text (called by the core)."""
    hint = 'pass text.decode("utf-8", "replace") to replace it by U+FFFD, or decode it with its encoding'
    return _invalid_byte(place, problem, value, (None, byte), hint)


def _invalid_byte(
    place: str, problem: str, value: int, position: tuple[int | None, int], hint: str
) -> errors.InvalidUtf8Error:
    cause = UnicodeDecodeError("utf-8", bytes([value]), 0, 1, problem)
    return from_undecodable(cause, problem, position, hint=hint, place=place)


def from_undecodable(
    error: UnicodeDecodeError,
    problem: str,
    position: tuple[int | None, int | None],
    *,
    hint: str,
    place: str,
) -> errors.InvalidUtf8Error:
    """Returns the exception for bytes that cannot be decoded, at a line and a byte of a file."""
    located = errors.InvalidUtf8Error(
        error.encoding, error.object, error.start, error.end, problem, hint=hint, place=place
    )
    located.line, located.byte = position
    return located


def id_error() -> errors.TokenIdError:
    """Returns the exception for an id outside 32 bits (also called by the core)."""
    return errors.TokenIdError(
        "an id is negative or over 2^32 - 1",
        setting="ids",
        hint="pass token ids, as encode returns them",
    )


def to_utf8(text: str) -> bytes:
    """Returns the UTF-8 of a text.

    Raises:
        SurrogateError: The text contains a lone surrogate.
    """
    try:
        return str.encode(text)  # not what a subclass makes of it
    except UnicodeEncodeError as error:
        raise from_surrogate(error) from None


def from_surrogate(
    error: UnicodeEncodeError, place: str = "", setting: str | None = None
) -> errors.SurrogateError:
    """Returns the exception for a ``str`` that has no UTF-8, at a place or in a setting (called by the core)."""
    position = f"U+{ord(error.object[error.start]):04X} at character {error.start}"
    return errors.SurrogateError(
        error.encoding,
        error.object,
        error.start,
        error.end,
        f"the text contains the lone surrogate {position}, which has no UTF-8",
        hint='replace it with text.encode("utf-8", "replace").decode(), or decode the source correctly',
        place=place,
        setting=setting,
    )
