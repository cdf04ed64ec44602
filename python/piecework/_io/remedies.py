"""Writes the remedies of errors of reading: what to do about a line, a row or a file that is no text.

Each remedy belongs to a kind of fault. Settings stand between backticks, for which the command line writes its options.
"""

from __future__ import annotations

import json
import shlex
from contextlib import contextmanager
from typing import TYPE_CHECKING

from piecework._io.files import Pathish, may_block
from piecework._io.lines import encoding_at
from piecework._io.remote import is_url
from piecework._io.sources import describe_name
from piecework.errors import InvalidUtf8Error

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_OF_LINES = {
    "too long": "divide it",
    "invalid JSON": "correct the line",
    "unfinished JSON": "correct the line",
    "not an object": 'write an object such as {"text": "..."} on each line',
    "no text": "add its text",
    "repeated member": "remove one of them",
    "lone surrogate": "write the character as a pair of surrogates",
}
"""What to do about a line, by the kind of its fault (:class:`piecework._core.LineFault`), besides skipping it."""
_ESCAPED_POINT = r"\."
"""A point in a name, which does not lead to a member."""
_LONGEST_NAME = 60
"""The maximum number of characters of a name in a setting."""
_MAX_COLUMNS = 8
"""The maximum number of columns that a remedy lists."""


def line_remedy(kind: str, field: str | None = None) -> str:
    """Returns the remedy for a line of JSON lines or text that is no document.

    Args:
        kind: The kind of the fault.
        field: The field of another string of the object, if its text is missing or no string.

    >>> line_remedy("no text", "content")
    'pass `field="content"` to read that member, or `on_error="skip"` to skip such lines'
    """
    if field is not None:
        return f'pass {_field(field)} to read that member, or `on_error="skip"` to skip such lines'
    return f'{_OF_LINES[kind]}, or pass `on_error="skip"` to skip such lines'


def bytes_remedy(encoding: str | None) -> str:
    """Returns the remedy for a line with invalid bytes.

    Args:
        encoding: The encoding in which they are valid; None if it is unknown.

    >>> bytes_remedy("cp1252")
    'pass `encoding="auto"` (cp1252 here), `errors="replace"` to replace invalid bytes by U+FFFD, or `on_error="skip"` to skip such lines'
    """
    # Not the name of the encoding, which would apply to all files of the corpus.
    detected = f'`encoding="auto"` ({encoding} here), ' if encoding else ""
    return (
        f'pass {detected}`errors="replace"` to replace invalid bytes by U+FFFD, '
        'or `on_error="skip"` to skip such lines'
    )


@contextmanager
def naming_encoding(path: Pathish) -> Iterator[None]:
    """Writes the remedy for invalid bytes of a file, with its likely encoding, into an error of the block."""
    try:
        yield
    except InvalidUtf8Error as error:
        error.hint = bytes_remedy(encoding_at(path, error.byte or 0))
        raise


def column_remedy(columns: Sequence[str]) -> str | None:
    """Returns the remedy for a missing column of texts, given the columns of strings; None if there are none.

    >>> column_remedy(["content"])
    'pass `field="content"`'
    >>> column_remedy(["title", "content"])
    'pass `field=...`, one of the columns of strings: title, content'
    """
    if len(columns) == 1:
        return f"pass {_field(columns[0].replace('.', _ESCAPED_POINT))}"
    more = ", …" if len(columns) > _MAX_COLUMNS else ""
    names = ", ".join(columns[:_MAX_COLUMNS]) + more
    return f"pass `field=...`, one of the columns of strings: {names}" if columns else None


def several_lines_remedy(name: str) -> str:
    """Returns the remedy for a file of JSON lines in which a value stands on several lines.

    >>> several_lines_remedy("a.json.gz")
    'write each value on one line, to a file whose name ends with .jsonl: gzip -dc a.json.gz | jq -c .'
    """
    return f"write each value on one line, {_TO_JSON_LINES}: {_jq('.', name)}"


def json_remedy(program: str, name: str, *, is_array: bool) -> str:
    """Returns the remedy for a file that is JSON, but was not read as JSON lines.

    Args:
        program: The `jq` program that extracts the texts.
        name: The file.
        is_array: Whether it is one array of objects.

    >>> json_remedy(".content", "a.txt", is_array=False)
    'pass `field="content"`, the member with the text'
    >>> json_remedy(".[]", "a.txt", is_array=False)
    "write each string as an object, to a file whose name ends with .jsonl: jq -c '.[] | {text: .}' a.txt"
    """
    if is_array:
        return f"write its objects on a line each, {_TO_JSON_LINES}: {_jq('.[]', name)}"
    if member := program.strip(".[]"):
        return f"pass {_field(member)}, the member with the text"
    strings = "{text: .}" if program == "." else f"{program} | {{text: .}}"
    return f"write each string as an object, {_TO_JSON_LINES}: {_jq(strings, name)}"


def file_for(name: str) -> str:
    """Returns the name of a file for a shell command; ``"FILE"`` for standard input, pipes and URLs."""
    return "FILE" if name == "standard input" or is_url(name) or may_block(name) else name


_TO_JSON_LINES = "to a file whose name ends with .jsonl"


def _jq(program: str, name: str) -> str:
    """Returns the shell command that runs a `jq` program, compactly, on a file that may be compressed."""
    file, quoted = shlex.quote(file_for(name)), shlex.quote(program)
    _, compression = describe_name(name)
    return f"{compression} -dc {file} | jq -c {quoted}" if compression else f"jq -c {quoted} {file}"


def _field(name: str) -> str:
    """Returns the setting that chooses a field; without its value if that cannot stand between backticks."""
    is_plain = "`" not in name and name.isprintable() and len(name) <= _LONGEST_NAME
    return f"`field={json.dumps(name, ensure_ascii=False)}`" if is_plain else "`field=...`"
