"""Recognizes files that are not text by their first bytes and lines: compressed data, tables, documents, JSON."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from piecework.errors import FormatError
from piecework.io.files import checked, may_block

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework.io.files import Pathish
    from piecework.io.json_texts import JsonTexts

START = 512
"""The number of bytes at the start of a file that identify its kind."""
_SUFFIXES = (".jsonl", ".ndjson")
_HEADER = 16
"""The number of first bytes of a binary file that contain a control character."""
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")


class _Kind(NamedTuple):
    """Describes a kind of file.

    Attributes:
        name: The name of the kind.
        starts: The possible first bytes.
        what: What the remedy does.
        command: The shell command that extracts the text; ``""`` if there is none.
        is_spelled: Whether the first bytes are letters, so that a text may start with them too.
        offset: The offset of the first bytes in the file.
    """

    name: str
    starts: tuple[bytes, ...]
    what: str
    command: str = ""
    is_spelled: bool = False
    offset: int = 0


_UNPACK = "decompress it first"
_QUERY = "duckdb -noheader -list -c {query}"
_SQL = "sqlite3 {file} {select}"


def _loaded(function: str) -> str:
    """Returns the remedy for a file of texts that a function of Python loads."""
    return f"load its texts in Python ({function}) and pass these"


_PARQUET = "a Parquet file"
_KINDS = (
    _Kind("gzip-compressed data", (b"\x1f\x8b\x08",), _UNPACK, "gzip -dc {file}"),
    _Kind("Zstandard-compressed data", (b"\x28\xb5\x2f\xfd",), _UNPACK, "zstd -dc {file}"),
    _Kind("xz-compressed data", (b"\xfd7zXZ\0",), _UNPACK, "xz -dc {file}"),
    _Kind("LZMA-compressed data", (b"\x5d\0\0",), _UNPACK, "xz --format=lzma -dc {file}"),
    _Kind(
        "bzip2-compressed data",
        tuple(b"BZh%d1AY&SY" % level for level in range(1, 10)),
        _UNPACK,
        "bzip2 -dc {file}",
    ),
    _Kind("LZ4-compressed data", (b"\x04\x22\x4d\x18",), _UNPACK, "lz4 -dc {file}"),
    _Kind("Snappy-compressed data", (b"\xff\x06\0\0sNaPpY",), _UNPACK, "snzip -dc {file}"),
    _Kind("a ZIP archive", (b"PK\x03\x04",), _UNPACK, "unzip -p {file}"),
    _Kind("a 7z archive", (b"7z\xbc\xaf\x27\x1c",), _UNPACK, "7z x -so {file}"),
    _Kind("a tar archive", (b"ustar",), "extract its files first", "tar -xOf {file}", offset=257),
    _Kind(
        _PARQUET,
        (b"PAR1",),
        "extract its column of texts first{in_python}",
        _QUERY,
        is_spelled=True,
    ),
    _Kind(
        "an Arrow file",
        (b"ARROW1\0", b"\xff\xff\xff\xff"),
        "give it a name that ends with .arrow to read its column of texts",
    ),
    _Kind("a Feather file", (b"FEA1",), _loaded("pyarrow.feather.read_table"), is_spelled=True),
    _Kind("an ORC file", (b"ORC",), _loaded("pyarrow.orc.read_table"), is_spelled=True),
    _Kind("an Avro file", (b"Obj\x01",), _loaded("fastavro.reader")),
    _Kind("a NumPy array", (b"\x93NUMPY",), _loaded("numpy.load")),
    _Kind(
        "a Python pickle",
        tuple(b"\x80%c" % version for version in range(2, 6)),
        _loaded("pickle.load"),
    ),
    _Kind("an SQLite database", (b"SQLite format 3\0",), "extract its column of texts first", _SQL),
    _Kind("a PDF document", (b"%PDF-",), "extract its text first", "pdftotext {file} -"),
    _Kind("a PNG image", (b"\x89PNG\r\n\x1a\n",), "pass a text file"),
)
_IN_PYTHON = ' (in Python, pyarrow.parquet.read_table(...)["text"] can be passed to train)'


def check_text(path: Pathish, command: str, *, json_lines: bool = False) -> None:
    """Raises FormatError for a file that is not text: compressed data, a table, a document, or JSON.

    An unreadable file passes, since its reader raises the error; so does a pipe, whose reader calls :func:`check_start`.

    Args:
        path: The file.
        command: The command that reads text from standard input, such as ``"train -"``; ``""`` if there is none.
        json_lines: Whether JSON is accepted.

    Raises:
        FormatError: The file is not text; the message contains the kind and a command that extracts the text.
    """
    name = checked(path)
    if may_block(name):
        return
    try:
        with open(name, "rb") as file:
            start = file.read(START)
            file.seek(0)
            found = None if json_lines else _json_texts(file, name)
    except OSError:
        return
    check_start(start, name, command)
    if found:
        raise _json_error(found, name, command)


def check_start_of(path: Pathish, command: str) -> None:
    """Raises FormatError for a file that starts like compressed data, a table or a document.

    Args:
        path: The file; a pipe and an unreadable file pass, since their reader raises the error.
        command: As for :func:`check_text`.

    Raises:
        FormatError: The file is of another kind.
    """
    name = checked(path)
    if may_block(name):
        return
    try:
        with open(name, "rb") as file:
            start = file.read(START)
    except OSError:
        return
    check_start(start, name, command)


def _json_texts(file: BinaryIO, name: str) -> JsonTexts | None:
    """Returns the kind of JSON with texts in a file; None for another file."""
    from piecework.io.json_texts import JsonTexts, find_json_texts, program_for_lines

    if name.lower().endswith(_SUFFIXES):
        program = program_for_lines(_first_lines(file))
        return JsonTexts("JSON lines", program) if program else None
    return next(filter(None, find_json_texts(_first_lines(file))), None)


def _first_lines(file: BinaryIO) -> Iterator[str]:
    """Iterates over the lines of the first bytes of a file."""
    from piecework.io.json_texts import SAMPLE

    remaining = SAMPLE
    while remaining and (line := file.readline(remaining)):
        remaining -= len(line)
        yield line.decode("utf-8", "replace")


def unless_json(lines: Iterator[str], name: str, command: str) -> Iterator[str]:
    """Iterates over the lines of a text without a name, such as standard input, unless they are JSON with texts.

    Lines are yielded before the kind is known, so the caller must discard them on error.

    Args:
        lines: The lines, with or without line ends.
        name: See :func:`check_start`.
        command: See :func:`check_text`.

    Yields:
        The lines.

    Raises:
        FormatError: The lines are JSON; the message contains a command that extracts the text.
    """
    from piecework.io.json_texts import find_json_texts

    read: list[str] = []

    def remembered() -> Iterator[str]:
        for line in lines:
            read.append(line)
            yield line

    for found in find_json_texts(remembered()):
        yield from read
        read.clear()
        if found:
            raise _json_error(found, name, command)
    yield from read
    yield from lines


def check_documents(start: bytes, name: str, *, is_json: bool) -> None:
    r"""Raises FormatError for a text that is JSON lines, and for JSON lines that are one array.

    Args:
        start: The first bytes of the file, decompressed.
        name: The file.
        is_json: Whether the file is JSON lines.

    Raises:
        FormatError: The file has another format.

    >>> check_documents(b'{"content": "a"}\n' * 9, "a.txt.gz", is_json=False)
    Traceback (most recent call last):
    ...
    piecework.errors.FormatError: a.txt.gz: this is JSON lines, not text; pass `field="content"`, the member with the text
    """
    from piecework.io.json_texts import SAMPLE, find_json_texts

    if (
        not start.removeprefix(b"\xef\xbb\xbf")
        .lstrip()
        .startswith((b"[",) if is_json else (b"[", b"{", b'"'))
    ):
        return
    lines = (line.decode("utf-8", "replace") for line in start[:SAMPLE].split(b"\n"))
    found = next(filter(None, find_json_texts(lines)), None)
    if found is None or (is_json and found.name == "JSON lines"):
        return
    if found.name == "JSON lines":
        member = found.program.strip(".[]")
        hint = (
            f'pass `field="{member}"`, the member with the text'
            if member
            else "write its texts to a file"
        )
    else:
        hint = f"write its objects on a line each: jq -c '.[]' {shlex.quote(_file_for(name))}"
    expected = "JSON lines" if is_json else "text"
    raise FormatError(f"this is {found.name}, not {expected}", hint=hint, place=f"{name}: ")


def check_start(start: bytes, name: str, command: str) -> None:
    r"""Raises FormatError for the first bytes of a file that is not text.

    Args:
        start: At least the first 512 bytes of the file, if it has them.
        name: The file, or ``"standard input"``.
        command: See :func:`check_text`.

    Raises:
        FormatError: The file is not text; the message contains the kind and a command that extracts the text.

    >>> check_start(b"(\xb5/\xfd", "corpus.zst", "train -")
    Traceback (most recent call last):
    ...
    piecework.errors.FormatError: corpus.zst: this is Zstandard-compressed data, not text; decompress it first: zstd -dc corpus.zst | piecework train -
    """
    for kind in _KINDS:
        if start[kind.offset :].startswith(kind.starts) and (
            not kind.is_spelled or _CONTROL.search(start[:_HEADER])
        ):
            raise _error(kind, name, command)


def _error(kind: _Kind, name: str, command: str) -> FormatError:
    """Returns the error for a kind of file."""
    file = _file_for(name)
    table = file.replace("'", "''")  # quoted for SQL here, for the shell below
    program = kind.command.format(
        file=shlex.quote(file),
        query=shlex.quote(f"select text from '{table}'"),
        select=shlex.quote("select text from TABLE"),
    )
    in_python = _IN_PYTHON if command.startswith("train") else ""
    remedy = kind.what.format(in_python=in_python)
    return _not_text(kind.name, remedy, program, name, command)


def _json_error(found: JsonTexts, name: str, command: str) -> FormatError:
    """Returns the error for JSON with texts."""
    program = f"jq -r {shlex.quote(found.program)} {shlex.quote(_file_for(name))}"
    return _not_text(found.name, "extract the texts first", program, name, command)


def _not_text(kind: str, what: str, program: str, name: str, command: str) -> FormatError:
    """Returns the error for a file that is not text; `program` extracts its text for `command`."""
    then = f" | piecework {command}" if command else ""
    hint = f"{what}: {program}{then}" if program else what
    return FormatError(f"this is {kind}, not text", hint=hint, place=f"{name}: ")


def _file_for(name: str) -> str:
    """Returns the name of a file for a command; ``"FILE"`` for standard input and pipes."""
    return "FILE" if name == "standard input" or may_block(name) else name
