"""Every exception of piecework, under one base; each is also the built-in kind that fits.

The messages say what was wrong, where (file, line, JSON path, token), what was expected and what to do.

>>> import piecework as pw
>>> try:
...     pw.WordPieceTrainer(vocab_size=0)
... except ValueError as error:
...     isinstance(error, pw.PieceworkError)
True
"""

from __future__ import annotations

import errno
import os
import sys
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike


_LONGEST = 480
"""The most bytes of a message: whoever logs it wants no file in the log."""
_LONGEST_VALUE = 60
"""The most characters of a value in a message."""
_LINE_ENDS = {
    ord(end): end.encode("unicode_escape").decode()
    for end in "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
}


def one_line(message: str) -> str:
    r"""Return a message on one line, of at most 480 bytes; a longer one loses its middle.

    Values are cut one by one, by :func:`shown`; this is for what remains: several of them, long paths and names.

    >>> one_line("a\nb"), len(one_line("a" * 70_000))
    ('a\\nb', 477)
    """
    line = message.translate(_LINE_ENDS)
    data = line.encode("utf-8", "backslashreplace")
    if len(data) <= _LONGEST:
        return line
    # The beginning says where, the end what to do.
    before, after = data[: _LONGEST // 2], data[-(_LONGEST // 2 - 4) :]
    return f"{before.decode('utf-8', 'ignore')}…{after.decode('utf-8', 'ignore')}"


def shown(value: object) -> str:
    """Return a value for a message, cut where it is long.

    >>> shown("a"), len(shown("a" * 70_000))
    ("'a'", 58)
    """
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001  # such as a number of 5,000 digits, or a value that cannot be shown
        text = f"<{type(value).__name__}>"
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 3]}…"


class PieceworkError(Exception):
    """The base of all exceptions that piecework raises on purpose."""

    def __str__(self) -> str:
        """Return the message, on one line of at most 480 bytes."""
        return one_line(super().__str__())


class PieceworkWarning(UserWarning):
    """Something that is done as asked, and probably not as meant."""

    def __str__(self) -> str:
        """Return the message, on one line of at most 480 bytes."""
        return one_line(super().__str__())


_PACKAGE = os.path.join(os.path.dirname(__file__), "")


def warn(message: str) -> None:
    """Raise a warning that points at the code that called piecework, however deep inside it is found."""
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, PieceworkWarning, stacklevel=level)


class ConfigError(PieceworkError, ValueError):
    """Settings that are impossible, or contradict each other or the data."""


class VocabularyError(PieceworkError, ValueError):
    """A vocabulary with duplicates, without a token that it needs, or with impossible ids."""


class FormatError(PieceworkError, ValueError):
    """Bytes that are not in the format they should be in; the message has the line or JSON path."""


class UnsupportedError(FormatError, NotImplementedError):
    """A valid file that asks for what this version cannot do; the message says the way out."""


class CountsError(PieceworkError, ValueError):
    """Word counts that do not belong together, or no words at all."""


class CountOverflowError(PieceworkError, OverflowError):
    """Counts that add up to more than 64 bits hold."""


class SpecialTokenError(PieceworkError, ValueError):
    """A special token in a text that may not hold one (``specials="error"``)."""


class UnknownTokenError(PieceworkError, ValueError):
    """A word that no pieces cover, in a tokenizer without unknown token."""


class TokenIdError(PieceworkError, IndexError, ValueError):
    """An id that is not in the vocabulary."""


class MissingCountsError(PieceworkError, ValueError):
    """A question about probabilities to a tokenizer that has no token counts."""


class TruncationError(PieceworkError, ValueError):
    """A text that cannot be truncated as asked for: no room beside the special tokens, or no second text."""


class RegexError(PieceworkError, ValueError):
    """A regular expression that gave up on a text, or matched where nothing can be cut."""


class TextTooLongError(PieceworkError, ValueError):
    """A text longer than the limit of 1 GiB."""


class SurrogateError(PieceworkError, UnicodeEncodeError):
    """A ``str`` with a lone surrogate, which is no text and has no UTF-8."""

    def __str__(self) -> str:
        """Return the message, on one line of at most 480 bytes."""
        return one_line(self.reason)


class InvalidUtf8Error(PieceworkError, UnicodeDecodeError):
    """Bytes of a file or text that are not in the encoding they should be in.

    Attributes:
        line: The line, from 1; None where it is not known, or where there is no file.
        byte: The byte of the file or text, from 0; None where it is not known.
    """

    line: int | None
    byte: int | None

    def __str__(self) -> str:
        """Return the message, on one line of at most 480 bytes."""
        return one_line(self.reason)


class ArrowError(PieceworkError, ValueError):
    """An Arrow array that holds no texts, or not in every place, or is not as Arrow defines it."""


class FileError(PieceworkError, OSError):
    """A file that cannot be read or written."""

    def __str__(self) -> str:
        """Return the message, on one line of at most 480 bytes."""
        return one_line(f"{self.filename}: {self.strerror}")


class MissingFileError(FileError, FileNotFoundError):
    """A file or folder that is not there."""


class FilePermissionError(FileError, PermissionError):
    """A file or folder that may not be read or written."""


class NotAFileError(FileError, IsADirectoryError):
    """A folder where a file was expected."""


_FILE_ERRORS: dict[int, tuple[type[FileError], str]] = {
    errno.ENOENT: (MissingFileError, "no such file or folder"),
    errno.EACCES: (FilePermissionError, "permission denied"),
    errno.EPERM: (FilePermissionError, "operation not permitted"),
    errno.EROFS: (FilePermissionError, "the file system is read-only"),
    errno.EISDIR: (NotAFileError, "is a folder; expected a file"),
    errno.ENOSPC: (FileError, "no space is left on the disk; nothing was written"),
    errno.ENAMETOOLONG: (FileError, "the file name is too long"),
    errno.ELOOP: (FileError, "symbolic links that point at each other, and at no file or folder"),
}


def from_os_error(number: int, message: str, filename: str) -> FileError:
    """Give the exception for an error of the operating system.

    Args:
        number: Its number (``errno``).
        message: Its message, used where there is no better one.
        filename: The file.

    Returns:
        The exception, not raised.

    >>> from_os_error(errno.ENOENT, "", "vocab.txt")
    MissingFileError(2, 'no such file or folder')
    """
    kind, text = _FILE_ERRORS.get(number, (FileError, message))
    return kind(number, text, filename)


def wrap_os_error(error: OSError, path: str | PathLike[str]) -> FileError:
    """Give our exception for ``error``, which a call on ``path`` raised."""
    return from_os_error(error.errno or 0, error.strerror or str(error), str(path))


def from_utf8(message: str, value: int, line: int, byte: int) -> InvalidUtf8Error:
    """Give the exception for a byte of a file that is not UTF-8 (called by the core)."""
    hint = (
        'pass errors="replace" to go on with U+FFFD or, where the call takes it, encoding="auto" to detect '
        "the character set"
    )
    error = InvalidUtf8Error("utf-8", bytes([value]), 0, 1, f"{message}; {hint}")
    error.line, error.byte = line, byte
    return error


def from_bytes(message: str, value: int, byte: int) -> InvalidUtf8Error:
    """Give the exception for a byte of a text that is not UTF-8 (called by the core)."""
    hint = 'pass text.decode("utf-8", "replace") to go on with U+FFFD, or decode it as what it is'
    error = InvalidUtf8Error("utf-8", bytes([value]), 0, 1, f"{message}; {hint}")
    error.line, error.byte = None, byte
    return error


def wrong_type(name: str, expected: str, found: object) -> TypeError:
    """Return the exception for an argument of a wrong type.

    >>> wrong_type("text", "a str", 3)
    TypeError('text: expected a str, found 3')
    """
    return TypeError(f"{name}: expected {expected}, found {shown(found)}")


def id_error() -> TokenIdError:
    """Return the exception for an id that no tokenizer has (called by the core, too)."""
    message = "ids: an id is negative or over 2^32 - 1; pass ids of tokens, as encode gives them"
    return TokenIdError(message)


def to_utf8(text: str) -> bytes:
    """Give the UTF-8 of a text.

    Raises:
        SurrogateError: It holds a lone surrogate.
    """
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise from_surrogate(error) from None


def from_surrogate(error: UnicodeEncodeError, place: str = "") -> SurrogateError:
    """Give the exception for a ``str`` that has no UTF-8, with words before it (called by the core)."""
    reason = (
        f"{place}the text holds the lone surrogate U+{ord(error.object[error.start]):04X} at character {error.start}, "
        'which is no text; clean it with text.encode("utf-8", "replace").decode() or decode it rightly'
    )
    return SurrogateError(error.encoding, error.object, error.start, error.end, reason)


def hint(name: object, known: Iterable[str]) -> str:
    """Return what may have been meant, as the end of a message; empty if no known name is close."""
    import difflib

    near = difflib.get_close_matches(name, list(known), 1) if isinstance(name, str) else ()
    return f"; did you mean {near[0]!r}?" if near else ""
