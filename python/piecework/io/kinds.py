"""Recognizes files that are not text by their first bytes and lines: compressed data, Parquet and JSON lines."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from piecework.errors import FormatError
from piecework.io.files import checked, may_block

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework.io.files import Pathish

_START = 16
"""The number of bytes at the start of a file that identify its kind."""
_LONGEST_SAMPLE = 1 << 24
"""The maximum number of bytes of a file that are searched for JSON lines."""
_SAMPLE_LINES = 100
"""The maximum number of lines of a file that are searched for JSON lines, without empty ones."""
_LEAST_OBJECTS, _ENOUGH_OBJECTS = 2, 8
"""The number of objects from which on a text without a name is JSON lines: at its end, and before its end."""
_SUFFIXES = (".jsonl", ".ndjson")
_TEXT_CONTROLS = b"\t\n\v\f\r"


class _Kind(NamedTuple):
    """Describes a kind of file: its first bytes, its name, and the shell command that extracts its text."""

    start: bytes
    name: str
    remedy: str


_KINDS = tuple(
    _Kind(start, f"{name}, not text", f"decompress it first: {tool} {{file}}")
    for start, name, tool in (
        (b"\x1f\x8b\x08", "gzip-compressed data", "gzip -dc"),
        (b"\x28\xb5\x2f\xfd", "Zstandard-compressed data", "zstd -dc"),
        (b"\xfd7zXZ\0", "xz-compressed data", "xz -dc"),
        (b"PK\x03\x04", "a ZIP archive", "unzip -p"),
        *((b"BZh%d1AY&SY" % level, "bzip2-compressed data", "bzip2 -dc") for level in range(1, 10)),
    )
)
_PARQUET = _Kind(
    b"PAR1",
    "a Parquet file, not text",
    "extract its column of texts first{in_python}: duckdb -noheader -list -c {query}",
)
_IN_PYTHON = ' (in Python, pyarrow.parquet.read_table(...)["text"] can be passed to train)'
_JSON_LINES = _Kind(b"{", "JSON lines, not text", "extract the texts first: jq -r {filter} {file}")


def check_text(path: Pathish, command: str, *, json_lines: bool = False) -> None:
    """Raises FormatError for a file that is not text: compressed data, a Parquet file, or JSON lines.

    An unreadable file passes, since its reader raises the error; so does a pipe, whose reader calls :func:`check_start`.

    Args:
        path: The file.
        command: The command that reads text from standard input, such as ``"train -"``; ``""`` if there is none.
        json_lines: Whether JSON lines are accepted.

    Raises:
        FormatError: The file is not text; the message contains the kind and a command that extracts the text.
    """
    name = checked(path)
    if may_block(name):
        return
    try:
        with open(name, "rb") as file:
            start = file.read(_START)
            file.seek(0)
            has_suffix = name.lower().endswith(_SUFFIXES)
            program = _filter_for(file) if has_suffix and not json_lines else None
    except OSError:
        return
    check_start(start, name, command)
    if program is not None:
        raise _error(_JSON_LINES, name, command, program)


def unless_json_lines(lines: Iterator[str], name: str, command: str) -> Iterator[str]:
    """Iterates over the lines of a text without a name, such as standard input, unless they are JSON lines.

    JSON lines are recognized by their first lines: all are objects with a string of the same name. A single object is
    text. Lines are yielded before the kind is known, so the caller must discard them on error.

    Args:
        lines: The lines, with or without line ends.
        name: See :func:`check_start`.
        command: See :func:`check_text`.

    Yields:
        The lines.

    Raises:
        FormatError: The lines are JSON lines; the message contains a command that extracts the text.
    """
    objects: list[dict[str, str]] = []
    for line in lines:
        yield line
        if not line.strip():
            continue
        objects.append(_strings(line))
        if not _shared(objects):
            yield from lines
            return
        if len(objects) == _ENOUGH_OBJECTS:
            break
    if len(objects) >= _LEAST_OBJECTS:
        texts = {member: objects[0][member] for member in _shared(objects)}
        raise _error(_JSON_LINES, name, command, f".{_text_member(texts)}")


def check_start(start: bytes, name: str, command: str) -> None:
    r"""Raises FormatError for the first bytes of a file that is not text.

    Args:
        start: At least the first 16 bytes of the file.
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
        if start.startswith(kind.start):
            raise _error(kind, name, command)
    # Text may start with these four letters too, but in a Parquet file a control character follows.
    after = start[len(_PARQUET.start) :][:1]
    if start.startswith(_PARQUET.start) and after < b" " and after not in _TEXT_CONTROLS:
        raise _error(_PARQUET, name, command)


def _error(kind: _Kind, name: str, command: str, program: str = "") -> FormatError:
    """Returns the error for a kind of file; `program` is the `jq` program that extracts texts from JSON."""
    file = "FILE" if name == "standard input" or may_block(name) else name
    table = file.replace("'", "''")  # quoted for SQL here, for the shell below
    remedy = kind.remedy.format(
        file=shlex.quote(file),
        filter=shlex.quote(program),
        query=shlex.quote(f"select text from '{table}'"),
        in_python=_IN_PYTHON if command.startswith("train") else "",
    )
    then = f" | piecework {command}" if command else ""
    return FormatError(f"this is {kind.name}", hint=f"{remedy}{then}", place=f"{name}: ")


def _filter_for(file: BinaryIO) -> str | None:
    """Returns the `jq` program that extracts texts from a file named like JSON lines; None if it has none."""
    program = None
    remaining, lines = _LONGEST_SAMPLE, 0
    while lines < _SAMPLE_LINES and (line := file.readline(remaining)):
        remaining -= len(line)
        if not (text := line.decode("utf-8", "replace").removeprefix("\ufeff")).strip():
            continue
        lines += 1
        value = _parsed(text)
        if isinstance(value, dict):
            return f".{_text_member(value)}"
        if value is _NOT_JSON:
            return None
        if program is None and isinstance(value, list | str):
            program = "." if isinstance(value, str) else ".[]"
    return program


def _strings(line: str) -> dict[str, str]:
    """Returns the string members of a line that is a JSON object; otherwise none."""
    value = _parsed(line)
    members = value.items() if isinstance(value, dict) else ()
    return {member: text for member, text in members if isinstance(text, str)}


def _shared(objects: list[dict[str, str]]) -> list[str]:
    """Returns the names of members that all objects have, in the order of the first object."""
    return [member for member in objects[0] if all(member in each for each in objects)]


def _text_member(members: dict[str, Any]) -> str:
    """Returns the name of the member that most likely contains the text: `text`, otherwise the longest string."""
    texts = {name: len(text) for name, text in members.items() if isinstance(text, str)}
    plain = {name: length for name, length in texts.items() if name.isidentifier()}
    return "text" if "text" in texts or not plain else max(plain, key=plain.__getitem__)


_NOT_JSON = object()


def _parsed(line: str) -> Any:
    """Returns the JSON value of a line; `_NOT_JSON` if it is not valid JSON."""
    import json  # few files are named like JSON lines

    try:
        return json.loads(line.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return _NOT_JSON
