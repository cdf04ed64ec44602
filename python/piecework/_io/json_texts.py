"""Recognizes texts within JSON by the first lines of a file: JSON lines, and an array of objects."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SAMPLE = 1 << 24
"""The maximum number of characters or bytes of a file that are searched for JSON."""
_SAMPLE_LINES = 100
"""The maximum number of lines that are searched in a file named like JSON lines, without empty ones."""
_LEAST, _ENOUGH = 2, 8
"""The number of objects from which on a text is JSON: at its end, and before its end."""


class JsonTexts(NamedTuple):
    """Describes JSON that contains texts.

    Attributes:
        name: The kind of file: ``"JSON lines"`` or ``"a JSON array of objects"``.
        program: The `jq` program that extracts the texts.
    """

    name: str
    program: str


def find_json_texts(lines: Iterable[str]) -> JsonTexts | None:
    """Returns the kind of JSON that the first lines of a text are; None if they are no JSON that contains texts.

    A text is JSON lines if its lines are objects with a string of the same name (two are enough at the end of the text, eight
    before), or if its first eight lines are strings or arrays of strings. It is an array of objects if these have a string
    of the same name. A single object is text.

    Args:
        lines: The lines, with or without line ends; those of an array are read up to `SAMPLE` characters.
    """
    values: list[Any] = []
    iterator = iter(lines)
    for line in iterator:
        text = line.removeprefix("\ufeff")
        if not text.strip():
            continue
        if not values and text.lstrip().startswith("["):
            value = _parsed(text)
            if value is _NOT_JSON or _shared(value):
                return _find_array(text, iterator)
        values.append(_parsed(text))
        if not _is_uniform(values):
            return None
        if len(values) == _ENOUGH:
            break
    return _of_lines(values)


def _of_lines(values: list[Any]) -> JsonTexts | None:
    """Returns the kind of the first values of a text, each on a line; None if they are too few."""
    if len(values) >= _LEAST and isinstance(values[0], dict):
        members = {name: values[0][name] for name in _shared(values)}
        return JsonTexts("JSON lines", f".{_text_member(members)}")
    if len(values) >= _ENOUGH:
        return JsonTexts("JSON lines", "." if isinstance(values[0], str) else ".[]")
    return None


def _is_uniform(values: list[Any]) -> bool:
    """Returns whether all values are strings, lists of strings, or objects with a string of the same name."""
    if isinstance(values[0], dict):
        return bool(_shared(values))
    if isinstance(values[0], str):
        return all(isinstance(value, str) for value in values)
    return all(
        isinstance(value, list) and value and all(isinstance(each, str) for each in value)
        for value in values
    )


def _find_array(text: str, lines: Iterator[str]) -> JsonTexts | None:
    """Returns the kind of a text that begins like an array of objects, by its further lines."""
    if _objects(text)[0] is None:
        return None
    parts, length = [text], len(text)
    for line in lines:
        parts.append(line if line.endswith("\n") else f"{line}\n")
        length += len(line)
        if length > SAMPLE:
            break
    objects, is_whole = _objects("".join(parts))
    if objects and (is_whole or len(objects) >= _LEAST) and (shared := _shared(objects)):
        members = {name: objects[0][name] for name in shared}
        return JsonTexts("a JSON array of objects", f".[].{_text_member(members)}")
    return None


def _objects(text: str) -> tuple[list[Any] | None, bool]:
    """Returns the first objects of a JSON array, and whether the array ends; None if the text is no array of objects."""
    read, objects = json.JSONDecoder().raw_decode, list[Any]()
    at = _next(text, text.index("[") + 1)
    if text[at : at + 1] not in ("{", ""):
        return None, False
    while len(objects) < _ENOUGH and text[at : at + 1] == "{":
        try:
            value, end = read(text, at)
        except (ValueError, RecursionError):
            break
        objects.append(value)
        at = _next(text, end)
        if text[at : at + 1] == "]":
            return objects, not text[at + 1 :].strip()
        if text[at : at + 1] not in (",", ""):
            return None, False
        at = _next(text, at + 1)
    return objects, False


def _next(text: str, at: int) -> int:
    """Returns the index of the next character that is not white space."""
    while text[at : at + 1].isspace():
        at += 1
    return at


def program_for_lines(lines: Iterable[str]) -> str | None:
    """Returns the `jq` program that extracts texts from a file named like JSON lines; None if it has none.

    Args:
        lines: The lines of the file.
    """
    program, number = None, 0
    for line in lines:
        if number == _SAMPLE_LINES:
            break
        if not (text := line.removeprefix("\ufeff")).strip():
            continue
        number += 1
        value = _parsed(text)
        if isinstance(value, dict):
            return f".{_text_member(value)}"
        if value is _NOT_JSON:
            return None
        if program is None and isinstance(value, list | str):
            program = "." if isinstance(value, str) else ".[]"
    return program


def _shared(values: Any) -> list[str]:
    """Returns the names of strings that all values have if they are objects, in the order of the first; otherwise none."""
    if (
        not isinstance(values, list)
        or not values
        or not all(isinstance(each, dict) for each in values)
    ):
        return []
    return [
        name
        for name in values[0]
        if all(isinstance(each.get(name), str) for each in values[:_ENOUGH])
    ]


def _text_member(members: dict[str, Any]) -> str:
    """Returns the name of the member that most likely contains the text: `text`, otherwise the longest string."""
    texts = {name: len(text) for name, text in members.items() if isinstance(text, str)}
    plain = {name: length for name, length in texts.items() if name.isidentifier()}
    return "text" if "text" in texts or not plain else max(plain, key=plain.__getitem__)


_NOT_JSON = object()


def _parsed(line: str) -> Any:
    """Returns the JSON value of a line; `_NOT_JSON` if it is not valid JSON."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return _NOT_JSON
