"""Files that are not text: compressed ones, tables and JSON lines, by their first bytes."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, NamedTuple

from piecework.errors import FormatError
from piecework.io.files import checked, may_block

if TYPE_CHECKING:
    from piecework.io.files import Pathish

_START = 16
"""The first bytes of a file that tell its kind."""
_LONGEST_LINE = 1 << 24
"""No first line of JSON lines is looked for beyond."""
_JSON_LINES = (".jsonl", ".ndjson")
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
    'extract its column of texts first (in Python, pyarrow.parquet.read_table(...)["text"] can be passed to train): '
    "duckdb -noheader -list -c {query}",
)
_LINES = _Kind(b"{", "JSON lines, not text", "extract the texts first: jq -r {member} {file}")


def check_text(path: Pathish, command: str) -> None:
    """Refuse a file that is not text: compressed data, a Parquet file, or JSON lines.

    A file that cannot be read passes, as its reader says why; so does a pipe, whose reader calls :func:`check_start`.

    Args:
        path: The file.
        command: The command that would read its text from standard input, such as ``"train -"``.

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
            line = file.readline(_LONGEST_LINE) if name.lower().endswith(_JSON_LINES) else b""
    except OSError:
        return
    check_start(start, name, command)
    if (found := _object(line)) is not None:
        raise _refusal(_LINES, name, command, _text_member(found))


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


def _refusal(kind: _Kind, name: str, command: str, member: str = "text") -> FormatError:
    file = "FILE" if name == "standard input" else name
    table = file.replace("'", "''")  # a string of SQL, and then one of the shell
    way_out = kind.way_out.format(
        file=shlex.quote(file),
        member=shlex.quote(f".{member}"),
        query=shlex.quote(f"select text from '{table}'"),
    )
    return FormatError(f"{name}: this is {kind.name}; {way_out} | piecework {command}")


def _text_member(found: dict[str, Any]) -> str:
    """Return the member of an object that most likely holds its text: `text`, or else the longest string of all."""
    texts = {name: len(text) for name, text in found.items() if isinstance(text, str)}
    plain = {name: length for name, length in texts.items() if name.isidentifier()}
    return "text" if "text" in texts or not plain else max(plain, key=plain.__getitem__)


def _object(line: bytes) -> dict[str, Any] | None:
    """Return the JSON object that a line is; None if it is none."""
    import json  # few files are called like JSON lines

    if not line.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(_LINES.start):
        return None
    try:
        found = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
