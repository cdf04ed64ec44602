"""Reads the lines of text files in any character encoding.

The core takes UTF-8 only: files in UTF-8 go to it in blocks, and Python's codecs decode all others. The encoding
``"auto"`` is detected once for each file. An error names the file, the line and the byte.
"""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from piecework import _core
from piecework._exceptions import from_undecodable
from piecework._io.files import Pathish, naming_errors
from piecework._io.kinds import check_start
from piecework._messages import shown, wrong_type
from piecework.errors import ConfigError, InvalidUtf8Error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


SAMPLE = 1 << 20
"""The number of bytes at the start of a file that its encoding is detected by."""
_BLOCK = 1 << 20
_AROUND = 1 << 16


def detect_encoding(path: Pathish) -> str:
    """Returns the most likely character encoding of a file.

    Args:
        path: The file, of which the first MiB is examined.

    Returns:
        The name of a Python codec; ``"utf-8"`` for plain ASCII.

    Raises:
        FileError: The file cannot be read.
    """
    with naming_errors(path) as name, open(name, "rb") as file:
        sample = file.read(SAMPLE)
        whole = not file.read(1)
    return encoding_of(sample, whole=whole)


def encoding_of(sample: bytes, *, whole: bool) -> str:
    """Returns the most likely character encoding of the first bytes of a file; see :func:`detect_encoding`.

    >>> encoding_of("naïve".encode("utf-16"), whole=True)
    'utf-16'
    """
    name = _core.detect_encoding(sample, whole)
    if name in ("UTF-16LE", "UTF-16BE"):
        return "utf-16"  # this codec removes the byte order mark
    if name == "UTF-8" and sample.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    return codecs.lookup(_PYTHON_NAMES.get(name, name)).name


# Python's names of encodings that have other names in the Encoding Standard, or whose namesakes lack some of its characters.
_PYTHON_NAMES = {
    "Big5": "big5hkscs",
    "EUC-KR": "cp949",
    "GBK": "gb18030",
    "Shift_JIS": "cp932",
    "windows-874": "cp874",
    "ISO-8859-8-I": "iso-8859-8",
    "x-mac-cyrillic": "mac_cyrillic",
}


_WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "euc_kr": "cp949", "shift_jis": "cp932"}
"""Codecs with all characters of others, by the names of these in Python."""


def likely_encoding(block: bytes) -> str | None:
    """Returns the most likely encoding of bytes that are not UTF-8; None if they are mostly UTF-8, or not valid in it."""
    replaced = block.decode("utf-8", "replace")
    invalid, others = replaced.count("\ufffd"), sum(not each.isascii() for each in replaced)
    encoding = encoding_of(block, whole=False)
    if others > 2 * invalid or encoding.startswith("utf-8"):
        return None
    try:
        codecs.getincrementaldecoder(encoding)().decode(block)
    except UnicodeError:
        return None
    return encoding


def encoding_at(path: Pathish, byte: int) -> str | None:
    """Returns the most likely encoding of the lines around a byte of a file; None if they may be UTF-8."""
    with naming_errors(path) as name, open(name, "rb") as file:
        start = max(0, byte - _AROUND)
        file.seek(start)
        block = file.read(2 * _AROUND)
    return likely_encoding(block[block.find(b"\n") + 1 :] if start else block)


def codec_name(encoding: str, errors: str) -> str:
    """Returns the canonical name of a codec, after checking the codec and the error handler.

    Raises:
        ConfigError: Python has no such codec or error handler.
    """
    for name, value in (("encoding", encoding), ("errors", errors)):
        if not isinstance(value, str):
            raise wrong_type(name, "a str", value)
    try:
        codecs.lookup_error(errors)
    except (LookupError, ValueError):
        message = f"expected 'strict', 'replace' or another error handler of Python, found {shown(errors)}"
        raise ConfigError(message, setting="errors") from None
    try:
        b"a".decode(encoding, "replace")  # raises for codecs that do not decode text, such as "hex"
        return codecs.lookup(encoding).name
    except (LookupError, ValueError):
        message = f"expected a Python codec such as 'utf-8', or 'auto', found {shown(encoding)}"
        raise ConfigError(message, setting="encoding") from None


def read_lines(
    path: Pathish,
    encoding: str,
    errors: str,
    *,
    keep_ends: bool = False,
    command: str | None = None,
) -> Iterator[str]:
    """Iterates over the lines of a text file.

    Args:
        path: The file.
        encoding: A Python codec.
        errors: The error handler of invalid bytes: ``"strict"``, ``"replace"``, ``"ignore"``, ….
        keep_ends: Whether lines include their line ends.
        command: The command that reads text from standard input, for the error of a file that is not text (``""`` if there
            is none); None accepts any file.

    Yields:
        The lines; only a line feed ends a line.

    Raises:
        FileError: The file cannot be read.
        FormatError: The file is not text, and `command` is given.
        InvalidUtf8Error: Invalid bytes, with ``errors="strict"``.
    """
    number, unfinished = 0, [""]
    end, dropped = ("\n", "") if keep_ends else ("", "\r")
    with naming_errors(path) as name, open(name, "rb") as file:
        start = file.read(_BLOCK)
        if command is not None:
            check_start(start, name, command)
        try:
            for text in decode_blocks(start, file.read, encoding, errors):
                *lines, rest = text.split("\n")
                for line in lines:
                    number += 1
                    yield "".join([*unfinished, line]).removesuffix(dropped) + end
                    unfinished = []
                unfinished.append(rest)
        except InvalidBytes as error:
            raise error.located(name, number) from None
    if last := "".join(unfinished):
        yield last.removesuffix(dropped)


class InvalidBytes(Exception):  # noqa: N818  # never leaves piecework._io
    """Records invalid bytes: the valid text before them in the block, their offset in the file, and a remedy."""

    def __init__(
        self, error: UnicodeDecodeError, valid: str, byte: int, hint: str | None = None
    ) -> None:
        self.error, self.valid, self.byte, self.hint = error, valid, byte, hint

    def located(self, name: str, lines: int, remedies: Sequence[str] = ()) -> InvalidUtf8Error:
        """Returns the public error, given the number of complete lines before the block's text, and more remedies."""
        error, line = self.error, lines + self.valid.count("\n") + 1
        wider = _WIDER.get(error.encoding)
        *first, last = [
            f'`encoding="{wider}"`, which has more characters'
            if wider
            else "another `encoding=...`",
            '`errors="replace"` to replace them by U+FFFD',
            *remedies,
        ]
        return from_undecodable(
            error,
            f"bytes that are not {error.encoding} in line {line} at byte {self.byte} of the file "
            f"(0x{error.object[error.start]:02x}): {error.reason}",
            (line, self.byte),
            place=f"{name}: ",
            hint=self.hint or f"pass {', '.join(first)}, or {last}",
        )


def decode_blocks(
    start: bytes, read: Callable[[int], bytes], encoding: str, errors: str
) -> Iterator[str]:
    """Iterates over the text of a file in blocks, of which some may be empty.

    Args:
        start: The first bytes, which were read before.
        read: Returns the next bytes, of a number at most; none only at the end.
        encoding: A Python codec.
        errors: The error handler of invalid bytes.

    Raises:
        InvalidBytes: Invalid bytes, with ``errors="strict"``.
    """
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    position, block = 0, start
    while True:
        state = decoder.getstate()
        try:
            yield decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            # The bytes of an incomplete character at the end of the previous block.
            pending = len(state[0])
            decoder.setstate(state)
            valid = decoder.decode(error.object[pending : error.start])
            error.encoding = encoding  # that of Python can be "charmap"
            raise InvalidBytes(error, valid, position - pending + error.start) from None
        except UnicodeError as error:  # UTF-16 and UTF-32 without a byte order mark
            reason = "no byte order mark at the start"
            lacking = UnicodeDecodeError(encoding, block, 0, 1, reason)
            hint = f'pass `encoding="{encoding}-le"` or `encoding="{encoding}-be"`, which need none'
            raise InvalidBytes(lacking, "", 0, hint) from error
        if not block:
            return
        position += len(block)
        block = read(_BLOCK)
