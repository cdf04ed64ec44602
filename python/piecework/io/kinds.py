"""Files that are not text: compressed ones, tables and JSON lines, by their first bytes and lines."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from piecework.errors import FormatError
from piecework.io.files import checked, may_block

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework.io.files import Pathish

_START = 16
"""The first bytes of a file that tell its kind."""
_LONGEST_SAMPLE = 1 << 24
"""The bytes of a file in which JSON lines are looked for."""
_SAMPLE_LINES = 100
"""The lines of a file in which they are looked for, empty ones not counted."""
_LEAST_OBJECTS, _ENOUGH_OBJECTS = 2, 8
"""The objects after which a text without a name is JSON lines: at its end, and before it."""
_SUFFIXES = (".jsonl", ".ndjson")
_TEXT_CONTROLS = b"\t\n\v\f\r"


class _Kind(NamedTuple):
    """A kind of file: its first bytes, its name, and the shell command that prints text of it."""

    start: bytes
    name: str
    way_out: str


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
    """Refuse a file that is not text: compressed data, a Parquet file, or JSON lines by name and content.

    A file that cannot be read passes, as its reader says why; so does a pipe, whose reader calls :func:`check_start`.

    Args:
        path: The file.
        command: The command that would read its text from standard input, such as ``"train -"``; ``""`` if there is none.
        json_lines: Whether JSON lines are accepted.

    Raises:
        FormatError: It is not text; the message names the kind and the way out.
    """
    name = checked(path)
    if may_block(name):
        return
    try:
        with open(name, "rb") as file:
            start = file.read(_START)
            file.seek(0)
            is_named = name.lower().endswith(_SUFFIXES)
            found = _filter_for(file) if is_named and not json_lines else None
    except OSError:
        return
    check_start(start, name, command)
    if found is not None:
        raise _refusal(_JSON_LINES, name, command, found)


def unless_json_lines(lines: Iterator[str], name: str, command: str) -> Iterator[str]:
    """Pass on the lines of a text without a name, such as standard input, and refuse JSON lines.

    They are recognized by their first lines alone: all are objects with a string under the same name. One object is a
    text like any other. Lines are passed on before that is known, so the caller keeps nothing of them after the error.

    Args:
        lines: The lines, which may have their ends.
        name: As for :func:`check_start`.
        command: As for :func:`check_text`.

    Yields:
        The lines.

    Raises:
        FormatError: They are JSON lines; the message names the way out.
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
        raise _refusal(_JSON_LINES, name, command, f".{_text_member(texts)}")


def check_start(start: bytes, name: str, command: str) -> None:
    r"""Refuse bytes that begin a file that is not text.

    Args:
        start: The first bytes of the file, or more of them.
        name: The file, or ``"standard input"``.
        command: As for :func:`check_text`.

    Raises:
        FormatError: It is not text; the message names the kind and the way out.

    >>> check_start(b"(\xb5/\xfd", "corpus.zst", "train -")
    Traceback (most recent call last):
    ...
    piecework.errors.FormatError: corpus.zst: this is Zstandard-compressed data, not text; decompress it first: zstd -dc corpus.zst | piecework train -
    """
    for kind in _KINDS:
        if start.startswith(kind.start):
            raise _refusal(kind, name, command)
    # Text may begin with these four letters; what follows them in a Parquet file is a control character.
    after = start[len(_PARQUET.start) :][:1]
    if start.startswith(_PARQUET.start) and after < b" " and after not in _TEXT_CONTROLS:
        raise _refusal(_PARQUET, name, command)


def _refusal(kind: _Kind, name: str, command: str, program: str = "") -> FormatError:
    """Return the error for a file of a kind; `program` is what gets texts out of JSON, for `jq`."""
    file = "FILE" if name == "standard input" or may_block(name) else name
    table = file.replace("'", "''")  # a string of SQL, and then one of the shell
    way_out = kind.way_out.format(
        file=shlex.quote(file),
        filter=shlex.quote(program),
        query=shlex.quote(f"select text from '{table}'"),
        in_python=_IN_PYTHON if command.startswith("train") else "",
    )
    then = f" | piecework {command}" if command else ""
    return FormatError(f"{name}: this is {kind.name}; {way_out}{then}")


def _filter_for(file: BinaryIO) -> str | None:
    """Return the program for `jq` that gets texts out of a file called like JSON lines; None if it holds none."""
    program = None
    left, lines = _LONGEST_SAMPLE, 0
    while lines < _SAMPLE_LINES and (line := file.readline(left)):
        left -= len(line)
        if not (text := line.decode("utf-8", "replace").removeprefix("\ufeff")).strip():
            continue
        lines += 1
        found = _parsed(text)
        if isinstance(found, dict):
            return f".{_text_member(found)}"
        if found is _NOT_JSON:
            return None
        if program is None and isinstance(found, list | str):
            program = "." if isinstance(found, str) else ".[]"
    return program


def _strings(line: str) -> dict[str, str]:
    """Return the members of the JSON object that a line is whose values are strings."""
    found = _parsed(line)
    members = found.items() if isinstance(found, dict) else ()
    return {member: text for member, text in members if isinstance(text, str)}


def _shared(objects: list[dict[str, str]]) -> list[str]:
    """Return the members that all objects have, in the order of the first."""
    return [member for member in objects[0] if all(member in each for each in objects)]


def _text_member(found: dict[str, Any]) -> str:
    """Return the member of an object that most likely holds its text: `text`, or else the longest string of all."""
    texts = {name: len(text) for name, text in found.items() if isinstance(text, str)}
    plain = {name: length for name, length in texts.items() if name.isidentifier()}
    return "text" if "text" in texts or not plain else max(plain, key=plain.__getitem__)


_NOT_JSON = object()


def _parsed(line: str) -> Any:
    """Return the JSON value that a line is; `_NOT_JSON` if it is none."""
    import json  # few files are called like JSON lines

    try:
        return json.loads(line.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return _NOT_JSON
