"""Defines the exceptions of piecework, which share a base and also derive from built-in exceptions.

A message contains what is wrong, where (file, line, JSON path, token), what was expected and what to do. Its parts are
attributes: ``setting`` is the name of the setting or argument at fault, ``hint`` is what to do. Settings in a hint are
between backticks, so that the command line can replace them by its options.

A message is one line of at most 1,000 bytes, without its middle if it is longer, since it begins with the place and ends
with the remedy. Values are shortened before, by :func:`shown`. ``args`` keeps the whole message.

>>> import piecework as pw
>>> try:
...     pw.train(["the cat"], pw.WordPieceTrainer(vocab_size=5))
... except ValueError as error:
...     print(type(error).__name__, error.setting, error.hint)
ConfigError vocab_size raise `vocab_size`, or lower the alphabet with `limit_alphabet`
"""

from __future__ import annotations

from piecework import _messages

__all__ = [
    "ArrowError",
    "ChatTemplateError",
    "ConfigError",
    "CountOverflowError",
    "CountsError",
    "DocumentError",
    "FileError",
    "FilePermissionError",
    "FormatError",
    "InvalidUtf8Error",
    "LimitError",
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


class PieceworkError(_messages.MessageParts, Exception):
    """Serves as the base of all exceptions that piecework raises on purpose.

    Attributes:
        setting: The name of the setting or argument at fault; None if there is none.
        hint: What to do, with settings between backticks; None if unknown.
        file: The file of a corpus that was read; None if there is none.
    """

    file: str | None = None


class PieceworkWarning(_messages.MessageParts, UserWarning):
    """Warns of a call that succeeds, but probably not as intended.

    Attributes:
        setting: The name of the setting or argument at fault; None if there is none.
        hint: What to do, with settings between backticks; None if unknown.
    """


class ConfigError(PieceworkError, ValueError):
    """Reports settings that are invalid, or contradict each other or the data."""


class ChatTemplateError(PieceworkError, ValueError):
    """Reports a chat template that is missing, faulty or too expensive, or that changes contents untraceably."""


class VocabularyError(PieceworkError, ValueError):
    """Reports a vocabulary with duplicates, missing tokens or invalid ids."""


class FormatError(PieceworkError, ValueError):
    """Reports malformed data; the message contains the line or JSON path."""


class LimitError(PieceworkError, ValueError):
    """Reports a file of a tokenizer that exceeds one of its :class:`piecework.Limits`."""


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
    """Reports a special or other added token in a text, with ``specials="error"`` or ``"error-all"``."""


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
    """Reports a text longer than 1 GiB, or one that a normalizer makes over 16 times as long and 64 KiB longer."""


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
