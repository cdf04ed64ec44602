"""Text files line by line, in any character set."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, BinaryIO

from piecework import _core
from piecework.errors import ConfigError, InvalidUtf8Error, shown, wrap_os_error, wrong_type
from piecework.io.files import checked
from piecework.io.kinds import check_start

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework.io.files import Pathish

_SAMPLE = 1 << 20
_BLOCK = 1 << 20


def detect_encoding(path: Pathish) -> str:
    """Guess the character set of a file (note 003).

    Args:
        path: The file; its first MiB is looked at.

    Returns:
        The name of a codec of Python; ``"utf-8"`` for plain ASCII.

    Raises:
        FileError: The file cannot be read.
    """
    try:
        with open(checked(path), "rb") as file:
            sample = file.read(_SAMPLE)
            whole = not file.read(1)
    except OSError as error:
        raise wrap_os_error(error, path) from None
    name = _core.detect_encoding(sample, whole)
    if name in ("UTF-16LE", "UTF-16BE"):
        return "utf-16"  # the byte order mark that told it must not stay in the text
    if name == "UTF-8" and sample.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    return codecs.lookup(_PYTHON_NAMES.get(name, name)).name


# Names of the Encoding Standard that Python's codecs go by other names for.
_PYTHON_NAMES = {
    "windows-874": "cp874",
    "ISO-8859-8-I": "iso-8859-8",
    "x-mac-cyrillic": "mac_cyrillic",
}


def codec_name(encoding: str, errors: str) -> str:
    """Give the canonical name of a codec, once it and the treatment of errors are known to exist.

    Raises:
        ConfigError: Python has no such codec, or no such treatment.
    """
    for name, value in (("encoding", encoding), ("errors", errors)):
        if not isinstance(value, str):
            raise wrong_type(name, "a str", value)
    try:
        codecs.lookup_error(errors)
    except (LookupError, ValueError):
        message = (
            f"unknown errors={shown(errors)}; expected 'strict', 'replace' or another of Python's"
        )
        raise ConfigError(message) from None
    try:
        b"a".decode(encoding, "replace")  # a codec such as "hex" is there, but for no text
        return codecs.lookup(encoding).name
    except (LookupError, ValueError):
        message = f"unknown encoding {shown(encoding)}; expected a codec of Python such as 'utf-8', or 'auto'"
        raise ConfigError(message) from None


def read_lines(
    path: Pathish,
    encoding: str,
    errors: str,
    *,
    keep_ends: bool = False,
    command: str | None = None,
) -> Iterator[str]:
    """Read a text file line by line, without line ends unless they are to be kept.

    Args:
        path: The file.
        encoding: A codec of Python.
        errors: What becomes of broken bytes: ``"strict"``, ``"replace"``, ``"ignore"``, ….
        keep_ends: Whether a line's end belongs to it.
        command: The command that would read the text from standard input, for the error for a file that is not text
            (``""`` if there is none); None reads any.

    Yields:
        The lines, which end at a line feed alone.

    Raises:
        FileError: The file cannot be read.
        FormatError: It is not text but, say, compressed, with a ``command``.
        InvalidUtf8Error: Broken bytes, with ``errors="strict"``.
    """
    try:
        with open(checked(path), "rb") as file:
            yield from decode_lines(
                file, str(path), encoding, errors, keep_ends=keep_ends, command=command
            )
    except OSError as error:
        raise wrap_os_error(error, path) from None


def decode_lines(  # as read_lines, and a name
    file: BinaryIO,
    name: str,
    encoding: str,
    errors: str,
    *,
    keep_ends: bool = False,
    command: str | None = None,
) -> Iterator[str]:
    """Read an open file line by line; `name` is what errors call it. See :func:`read_lines`."""
    number, unfinished = 0, [""]
    end, dropped = ("\n", "") if keep_ends else ("", "\r")
    try:
        for text in _decoded(file, name, encoding, errors, command):
            *lines, rest = text.split("\n")
            for line in lines:
                number += 1
                yield "".join([*unfinished, line]).removesuffix(dropped) + end
                unfinished = []
            unfinished.append(rest)
    except _BrokenBytes as broken:
        raise broken.told(name, number) from None
    if last := "".join(unfinished):
        yield last.removesuffix(dropped)


class _BrokenBytes(Exception):  # noqa: N818  # it never leaves this file
    """Where decoding ended: what came before in the block, and the byte of the file."""

    def __init__(self, error: UnicodeDecodeError, good: str, byte: int) -> None:
        self.error, self.good, self.byte = error, good, byte

    def told(self, name: str, lines: int) -> InvalidUtf8Error:
        """Give the error for people, after so many whole lines."""
        error, line = self.error, lines + self.good.count("\n") + 1
        message = (
            f"{name}: bytes that are not {error.encoding} in line {line} at byte {self.byte} of the "
            f"file (0x{error.object[error.start]:02x}): {error.reason}; pass another encoding, or "
            'errors="replace" to go on with U+FFFD'
        )
        broken = InvalidUtf8Error(error.encoding, error.object, error.start, error.end, message)
        broken.line, broken.byte = line, self.byte
        return broken


def _decoded(
    file: BinaryIO, name: str, encoding: str, errors: str, command: str | None
) -> Iterator[str]:
    """The text of a file, block by block."""
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    position, block = 0, b"-"
    while block:
        block = file.read(_BLOCK)
        if command is not None and not position:
            check_start(block, name, command)
        state = decoder.getstate()
        try:
            yield decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            held = len(state[0])  # bytes of a character that the block before began
            decoder.setstate(state)
            good = decoder.decode(error.object[held : error.start])
            raise _BrokenBytes(error, good, position - held + error.start) from None
        position += len(block)
