"""Recognizes files that are not text by their first bytes and lines: compressed data, tables, documents, JSON."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from piecework._io.files import Pathish, checked, may_block
from piecework.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._io.json_texts import JsonTexts

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
        suffix: The end of the name by which documents are read from such a file; ``""`` if they cannot be.
    """

    name: str
    starts: tuple[bytes, ...]
    what: str
    command: str = ""
    is_spelled: bool = False
    offset: int = 0
    suffix: str = ""


_WORD_COUNTS = b'{"format":"piecework.word_counts"'
"""The first bytes of a file of word counts."""
_UNPACK = "decompress it first"
_QUERY = "duckdb -noheader -list -c {query}"
_SQL = "sqlite3 {file} {select}"


def _loaded(function: str) -> str:
    """Returns the remedy for a file of texts that a function of Python loads."""
    return f"load its texts in Python ({function}) and pass these"


_KINDS = (
    _Kind("gzip-compressed data", (b"\x1f\x8b\x08",), _UNPACK, "gzip -dc {file}", suffix=".gz"),
    _Kind(
        "Zstandard-compressed data",
        (b"\x28\xb5\x2f\xfd",),
        _UNPACK,
        "zstd -dc {file}",
        suffix=".zst",
    ),
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
        "a Parquet file",
        (b"PAR1",),
        "extract its column of texts first",
        _QUERY,
        is_spelled=True,
        suffix=".parquet",
    ),
    _Kind(
        "an Arrow file",
        (b"ARROW1\0", b"\xff\xff\xff\xff"),
        _loaded("pyarrow.ipc.open_file"),
        suffix=".arrow",
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


def check_text(path: Pathish, command: str | None = None, *, json_lines: bool = False) -> None:
    """Raises FormatError for a file that is not text: compressed data, a table, a document, or JSON.

    An unreadable file passes, since its reader raises the error; so does a pipe, whose reader calls :func:`check_start`.

    Args:
        path: The file.
        command: None for a file of documents, whose format is known by its name: the remedy is a name or `field`. For a file of
            other lines, the command that reads them from standard input, such as ``"train -"``; ``""`` if there is none.
        json_lines: Whether JSON is accepted.

    Raises:
        FormatError: The file is not text; the message contains the kind and a remedy.
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


def _json_texts(file: BinaryIO, name: str) -> JsonTexts | None:
    """Returns the kind of JSON with texts in a file; None for another file."""
    from piecework._io.json_texts import JsonTexts, find_json_texts, program_for_lines

    if name.lower().endswith(_SUFFIXES):
        program = program_for_lines(_first_lines(file))
        return JsonTexts("JSON lines", program) if program else None
    return find_json_texts(_first_lines(file))


def _first_lines(file: BinaryIO) -> Iterator[str]:
    """Iterates over the lines of the first bytes of a file."""
    from piecework._io.json_texts import SAMPLE

    remaining = SAMPLE
    while remaining and (line := file.readline(remaining)):
        remaining -= len(line)
        yield line.decode("utf-8", "replace")


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
    if (
        not start.removeprefix(b"\xef\xbb\xbf")
        .lstrip()
        .startswith((b"[",) if is_json else (b"[", b"{", b'"'))
    ):
        return
    if start.startswith(_WORD_COUNTS):
        hint = "load it with WordCounts.load in Python, or pass `--counts` to the command"
        raise FormatError("this is a file of word counts, not text", hint=hint, place=f"{name}: ")
    from piecework._io.json_texts import SAMPLE, find_json_texts

    lines = (line.decode("utf-8", "replace") for line in start[:SAMPLE].split(b"\n"))
    found = find_json_texts(lines)
    if found is None or (is_json and found.name == "JSON lines"):
        return
    raise _json_error(found, name, None, "JSON lines" if is_json else "text")


def check_start(start: bytes, name: str, command: str | None = None) -> None:
    r"""Raises FormatError for the first bytes of a file that is not text.

    Args:
        start: At least the first 512 bytes of the file, if it has them.
        name: The file, or ``"standard input"``.
        command: See :func:`check_text`.

    Raises:
        FormatError: The file is not text; the message contains the kind and a remedy.

    >>> check_start(b"(\xb5/\xfd", "corpus")
    Traceback (most recent call last):
    ...
    piecework.errors.FormatError: corpus: this is Zstandard-compressed data, not text; give it a name that ends with .zst, or decompress it first: zstd -dc corpus
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


def _error(kind: _Kind, name: str, command: str | None) -> FormatError:
    """Returns the error for a kind of file."""
    from piecework._io.remedies import file_for

    file = file_for(name)
    table = file.replace("'", "''")  # quoted for SQL here, for the shell below
    program = kind.command.format(
        file=shlex.quote(file),
        query=shlex.quote(f"select text from '{table}'"),
        select=shlex.quote("select text from TABLE"),
    )
    if command is not None or not kind.suffix:
        return _not_text(kind.name, kind.what, program, name, command)
    ending = f"a name that ends with {kind.suffix}"
    if kind.what != _UNPACK:
        hint = f"write it to a file with {ending}" if file == "FILE" else f"give it {ending}"
        return _not_text(kind.name, f"{hint} to read its column of texts", "", name, None)
    hint = kind.what if file == "FILE" else f"give it {ending}, or {kind.what}"
    return _not_text(kind.name, hint, program, name, None)


def _json_error(
    found: JsonTexts, name: str, command: str | None, expected: str = "text"
) -> FormatError:
    """Returns the error for JSON with texts."""
    from piecework._io.remedies import file_for, json_remedy

    if command is not None:
        program = f"jq -r {shlex.quote(found.program)} {shlex.quote(file_for(name))}"
        return _not_text(found.name, "extract the texts first", program, name, command)
    hint = json_remedy(found.program, name, is_array=found.name != "JSON lines")
    return FormatError(f"this is {found.name}, not {expected}", hint=hint, place=f"{name}: ")


def _not_text(kind: str, what: str, program: str, name: str, command: str | None) -> FormatError:
    """Returns the error for a file that is not text; `program` extracts its text for `command`."""
    then = f" | piecework {command}" if command else ""
    hint = f"{what}: {program}{then}" if program else what
    return FormatError(f"this is {kind}, not text", hint=hint, place=f"{name}: ")
