"""Defines the exceptions of piecework, which share a base and also derive from built-in exceptions.

A message contains what is wrong, where (file, line, JSON path, token), what was expected and what to do. Its parts are
attributes: ``setting`` is the name of the setting or argument at fault, ``hint`` is what to do. Settings in a hint are
between backticks, so that the command line can replace them by its options.

A message is one line of at most 480 bytes, without its middle if it is longer, since it begins with the place and ends
with the remedy. Values are shortened before, by :func:`shown`. ``args`` keeps the whole message.

>>> import piecework as pw
>>> try:
...     pw.train(["the cat"], pw.WordPieceTrainer(vocab_size=5))
... except ValueError as error:
...     print(type(error).__name__, error.setting, error.hint)
ConfigError vocab_size raise `vocab_size`, or lower the alphabet with `limit_alphabet`
"""

from __future__ import annotations

import copy
import errno
import os
import sys
import warnings
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

__all__ = [
    "ArrowError",
    "ConfigError",
    "CountOverflowError",
    "CountsError",
    "DocumentError",
    "FileError",
    "FilePermissionError",
    "FormatError",
    "InvalidUtf8Error",
    "MissingCountsError",
    "MissingExtraError",
    "MissingFileError",
    "NotAFileError",
    "PieceworkError",
    "PieceworkWarning",
    "RegexError",
    "SpecialTokenError",
    "SurrogateError",
    "TextTooLongError",
    "TokenIdError",
    "TruncationError",
    "UnknownTokenError",
    "UnsupportedError",
    "VocabularyError",
    "WorkerError",
]

_LONGEST = 480
"""The maximum number of bytes of a message, so that logs contain no whole files."""
_LONGEST_VALUE = 60
"""The maximum number of characters of a value in a message."""
_LINE_ENDS = {
    ord(end): end.encode("unicode_escape").decode()
    for end in "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
}


def one_line(message: str) -> str:
    r"""Returns a message on one line of at most 480 bytes, without its middle if it is longer.

    :func:`shown` shortens single values; this function handles several values, long paths and names.

    >>> one_line("a\nb"), len(one_line("a" * 70_000))
    ('a\\nb', 477)
    """
    line = message.translate(_LINE_ENDS)
    data = line.encode("utf-8", "backslashreplace")
    if len(data) <= _LONGEST:
        return line
    # The start contains the location, the end the remedy.
    before, after = data[: _LONGEST // 2], data[-(_LONGEST // 2 - 4) :]
    return f"{before.decode('utf-8', 'ignore')}…{after.decode('utf-8', 'ignore')}"


def shown(value: object) -> str:
    """Returns the repr of a value for a message, shortened if it is long.

    >>> shown("a"), len(shown("a" * 70_000))
    ("'a'", 58)
    """
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001  # such as a number of 5,000 digits, or a failing __repr__
        text = f"<{type(value).__name__}>"
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 3]}…"


class MessageParts:
    """Holds the parts of a message: its place, the setting at fault, the problem and a hint.

    Attributes:
        setting: The name of the setting or argument at fault; None if there is none.
        hint: What to do, with settings between backticks; None if unknown.
        place: The file, line or text, and a colon; empty if there is none.
    """

    setting: str | None
    hint: str | None
    place: str

    def __init__(
        self,
        *args: object,
        setting: str | None = None,
        hint: str | None = None,
        place: str = "",
    ) -> None:
        super().__init__(*args)
        self.setting, self.hint, self.place = setting, hint, place

    @property
    def problem(self) -> str:
        """The message without place, setting and hint."""
        return super().__str__()

    def at(self, place: str) -> Self:
        """Returns a copy whose message begins with a place.

        >>> str(ConfigError("expected 1, found 0", setting="stride").at("line 3"))
        'line 3: stride: expected 1, found 0'
        """
        located = copy.copy(self)
        located.place = f"{place}: {self.place}"
        return located

    def __str__(self) -> str:
        """Returns the message on one line of at most 480 bytes."""
        setting = f"{self.setting}: " if self.setting else ""
        return one_line(with_hint(f"{self.place}{setting}{self.problem}", self.hint))

    def __repr__(self) -> str:
        """Returns the class and the message."""
        return f"{type(self).__name__}({str(self)!r})"


class PieceworkError(MessageParts, Exception):
    """Serves as the base of all exceptions that piecework raises on purpose.

    Attributes:
        setting: The name of the setting or argument at fault; None if there is none.
        hint: What to do, with settings between backticks; None if unknown.
        file: The file of a corpus that was read; None if there is none.
    """

    file: str | None = None


def text_index(error: PieceworkError) -> int | None:
    """Returns the index of the text in its batch that an error of the core is about; None for other errors.

    >>> text_index(ConfigError("too long").at("text 3"))
    3
    """
    index = error.place.removeprefix("text ").removesuffix(": ")
    return int(index) if index.isdecimal() else None


class PieceworkWarning(MessageParts, UserWarning):
    """Warns of a call that succeeds, but probably not as intended.

    Attributes:
        setting: The name of the setting or argument at fault; None if there is none.
        hint: What to do, with settings between backticks; None if unknown.
    """


_PACKAGE = os.path.join(os.path.dirname(__file__), "")


def warn(
    problem: str, *, setting: str | None = None, hint: str | None = None, place: str = ""
) -> None:
    """Raises a warning of a problem; see :func:`show_warning`."""
    show_warning(PieceworkWarning(problem, setting=setting, hint=hint, place=place))


def show_warning(warning: PieceworkWarning) -> None:
    """Raises a warning at the line outside piecework that called it."""
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(warning, stacklevel=level)


class ConfigError(PieceworkError, ValueError):
    """Reports settings that are invalid, or contradict each other or the data."""


class VocabularyError(PieceworkError, ValueError):
    """Reports a vocabulary with duplicates, missing tokens or invalid ids."""


class FormatError(PieceworkError, ValueError):
    """Reports malformed data; the message contains the line or JSON path."""


class DocumentError(FormatError):
    """Reports a line or row of a file that is no document.

    Attributes:
        line: The line, or for Parquet the row, from 1.
        byte: The byte of the file, from 0; for Parquet that of the text; None if unknown.
    """

    line: int
    byte: int | None


class UnsupportedError(FormatError, NotImplementedError):
    """Reports a valid file that requires a missing feature; the message contains the remedy."""


class CountsError(PieceworkError, ValueError):
    """Reports word counts that cannot be combined, or that contain no words."""


class CountOverflowError(PieceworkError, OverflowError):
    """Reports counts whose sum does not fit into 64 bits."""


class SpecialTokenError(PieceworkError, ValueError):
    """Reports a special token in a text, with ``specials="error"``."""


class UnknownTokenError(PieceworkError, ValueError):
    """Reports a word that no pieces cover, in a tokenizer without unknown token."""


class TokenIdError(PieceworkError, IndexError, ValueError):
    """Reports an id that is not in the vocabulary."""


class MissingCountsError(PieceworkError, ValueError):
    """Reports a call that needs token counts, for a tokenizer without them."""


class TruncationError(PieceworkError, ValueError):
    """Reports an impossible truncation: too short for the special tokens, or without a second text."""


class MissingExtraError(PieceworkError, ImportError):
    """Reports a package that a format or file system requires and that is not installed."""


class RegexError(PieceworkError, ValueError):
    """Reports a regular expression that exceeded its limit of steps, or matched within a character."""


class TextTooLongError(PieceworkError, ValueError):
    """Reports a text longer than the limit of 1 GiB."""


class WorkerError(PieceworkError, RuntimeError):
    """Reports a worker process that ended before its part of a job was done."""


class SurrogateError(PieceworkError, UnicodeEncodeError):
    """Reports a ``str`` with a lone surrogate, which has no UTF-8."""

    @property
    def problem(self) -> str:
        """The message without place, setting and hint."""
        return self.reason


class InvalidUtf8Error(PieceworkError, UnicodeDecodeError):
    """Reports bytes of a file or text that are invalid in its encoding.

    Attributes:
        line: The line, from 1; None if unknown or if there is no file.
        byte: The byte of the file or text, from 0; None if unknown.
    """

    line: int | None
    byte: int | None

    @property
    def problem(self) -> str:
        """The message without place, setting and hint."""
        return self.reason


class ArrowError(PieceworkError, ValueError):
    """Reports an Arrow array that is not of strings, contains nulls, or is malformed."""


class FileError(PieceworkError, OSError):
    """Reports a file that cannot be read or written; `filename` is its name."""

    @property
    def problem(self) -> str:
        """The message without place, setting and hint."""
        return f"{self.filename}: {self.strerror}"


class MissingFileError(FileError, FileNotFoundError):
    """Reports a file or folder that does not exist."""


class FilePermissionError(FileError, PermissionError):
    """Reports a file or folder without the permission to read or write it."""


class NotAFileError(FileError, IsADirectoryError):
    """Reports a folder where a file was expected."""


_FILE_ERRORS: dict[int, tuple[type[FileError], str]] = {
    errno.ENOENT: (MissingFileError, "no such file or folder"),
    errno.EACCES: (FilePermissionError, "permission denied"),
    errno.EPERM: (FilePermissionError, "operation not permitted"),
    errno.EROFS: (FilePermissionError, "the file system is read-only"),
    errno.ENOTDIR: (MissingFileError, "no such file or folder"),
    errno.EISDIR: (NotAFileError, "is a folder; expected a file"),
    errno.ENOSPC: (FileError, "no space left on the disk; nothing was written"),
    errno.ENAMETOOLONG: (FileError, "the file name is too long"),
    errno.ELOOP: (FileError, "a cycle of symbolic links"),
}


def from_os_error(number: int, message: str, filename: str) -> FileError:
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
    kind, text = _FILE_ERRORS.get(number, (FileError, message))
    return kind(number, text, filename)


def from_work_folder(number: int, message: str, folder: str) -> FileError:
    """Returns the exception for temporary files that cannot be written or read (called by the core).

    >>> from_work_folder(errno.ENOSPC, "", "/tmp")
    FileError('work_dir: /tmp: no space left on the disk; nothing was written; pass a `work_dir=...` with enough free space')
    """
    error = from_os_error(number, message, folder)
    error.setting, error.hint = "work_dir", "pass a `work_dir=...` with enough free space"
    return error


def wrap_os_error(error: OSError, path: str | PathLike[str]) -> FileError:
    """Returns the exception for an OSError of a call on `path`."""
    return from_os_error(error.errno or 0, error.strerror or str(error), str(path))


def from_core(
    kind: str, place: str, problem: str, setting: str | None, hint: str | None
) -> PieceworkError:
    """Returns the exception for an error of the core (called by the core)."""
    error: PieceworkError = globals()[kind](problem, setting=setting, hint=hint, place=place)
    return error


def from_utf8(place: str, problem: str, value: int, line: int, byte: int) -> InvalidUtf8Error:
    """Returns the exception for an invalid byte of a UTF-8 file (called by the core)."""
    return _invalid_byte(
        place,
        problem,
        value,
        (line, byte),
        'pass `encoding="auto"` to detect the encoding, `errors="replace"` to replace it by U+FFFD, '
        'or `on_error="skip"` to skip such lines',
    )


def from_bytes(place: str, problem: str, value: int, byte: int) -> InvalidUtf8Error:
    """Returns the exception for an invalid byte of a UTF-8 text (called by the core)."""
    hint = 'pass text.decode("utf-8", "replace") to replace it by U+FFFD, or decode it with its encoding'
    return _invalid_byte(place, problem, value, (None, byte), hint)


def _invalid_byte(
    place: str, problem: str, value: int, position: tuple[int | None, int], hint: str
) -> InvalidUtf8Error:
    cause = UnicodeDecodeError("utf-8", bytes([value]), 0, 1, problem)
    return from_undecodable(cause, problem, position, hint=hint, place=place)


def from_undecodable(
    error: UnicodeDecodeError,
    problem: str,
    position: tuple[int | None, int],
    *,
    hint: str,
    place: str,
) -> InvalidUtf8Error:
    """Returns the exception for bytes that cannot be decoded, at a line and a byte of a file."""
    located = InvalidUtf8Error(
        error.encoding, error.object, error.start, error.end, problem, hint=hint, place=place
    )
    located.line, located.byte = position
    return located


def wrong_type(name: str, expected: str, found: object) -> TypeError:
    """Returns the exception for an argument of a wrong type.

    >>> wrong_type("text", "a str", 3)
    TypeError('text: expected a str, found 3')
    """
    return TypeError(f"{name}: expected {expected}, found {shown(found)}")


def id_error() -> TokenIdError:
    """Returns the exception for an id outside 32 bits (also called by the core)."""
    return TokenIdError(
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
        return text.encode()
    except UnicodeEncodeError as error:
        raise from_surrogate(error) from None


def from_surrogate(
    error: UnicodeEncodeError, place: str = "", setting: str | None = None
) -> SurrogateError:
    """Returns the exception for a ``str`` that has no UTF-8, at a place or in a setting (called by the core)."""
    position = f"U+{ord(error.object[error.start]):04X} at character {error.start}"
    return SurrogateError(
        error.encoding,
        error.object,
        error.start,
        error.end,
        f"the text contains the lone surrogate {position}, which has no UTF-8",
        hint='replace it with text.encode("utf-8", "replace").decode(), or decode the source correctly',
        place=place,
        setting=setting,
    )


def did_you_mean(name: object, known: Iterable[str]) -> str | None:
    """Returns the hint for a misspelled name; None if no known name is similar."""
    import difflib

    similar = difflib.get_close_matches(name, list(known), 1) if isinstance(name, str) else ()
    return f"did you mean {similar[0]!r}?" if similar else None


def with_hint(problem: str, hint: str | None) -> str:
    """Returns a message with a hint at its end.

    >>> with_hint("the file is empty", "write a token"), with_hint("no", None)
    ('the file is empty; write a token', 'no')
    """
    return f"{problem}; {hint}" if hint else problem
