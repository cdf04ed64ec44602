"""Defines the filters of chat templates that differ from Jinja's own."""

from __future__ import annotations

import json
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import TYPE_CHECKING, Any

from piecework.tokenizer._chat.marked import Marked
from piecework.tokenizer._chat.state import STATE, lift, limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from piecework.tokenizer._chat.limits import Limits
    from piecework.tokenizer._chat.marked import MarkTable

_DEEPEST_INDENT, _LONGEST_SEPARATOR = 100, 1000


def replacing() -> dict[str, Callable[..., Any]]:
    """Returns the filters by name."""

    def tojson(
        value: Any,
        ensure_ascii: bool = False,
        indent: int | None = None,
        separators: tuple[str, str] | None = None,
        sort_keys: bool = False,
    ) -> str:
        bounds = limits()
        bounds.check_length(bounds.measure(value))
        bounds.check_width([each * _DEEPEST_INDENT for each in (indent,) if isinstance(each, int)])
        bounds.check_width([len(each) * 10 for each in separators or ()])
        if (table := STATE.table) is not None:
            value = _escaped(value, table, bool(ensure_ascii), bool(sort_keys))
            ensure_ascii = sort_keys = False
        return json.dumps(
            value,
            ensure_ascii=ensure_ascii,
            indent=indent,
            separators=separators,
            sort_keys=sort_keys,
        )

    def replace(value: Any, old: Any, new: Any, count: int | None = None) -> str:
        text, old, new = _text(value), _text(old), _text(new)
        bounds = limits()
        check_replaced(bounds, text, old, new)
        if type(text) is str and isinstance(old, Marked):
            text = old._table.mark_runs(text, ())
        return text.replace(old, new, -1 if count is None else count)

    def trim(value: Any, chars: str | None = None) -> str:
        text: str = lift(_text(value))
        limits().count_input(text)
        return text.strip(chars)

    return {
        "tojson": tojson,
        "trim": trim,
        "replace": replace,
        "int": _int,
        "float": _float,
        "indent": _indent,
    }


def _escaped(value: Any, table: MarkTable, ensure_ascii: bool, sort_keys: bool) -> Any:
    """Returns a JSON value whose texts with sentinels are escaped, so that their sentinels stand for the escaped texts."""
    if type(value) is str:
        value = lift(value)
    if type(value) is Marked:
        return value._mapped(_ascii_escaped if ensure_ascii else _json_escaped)
    if isinstance(value, str):
        # Written with ensure_ascii=False, in which a text of the template's own must be escaped here.
        if ensure_ascii and not value.isascii():
            return table.mark_runs(json.dumps(value)[1:-1], ())
        return value
    if isinstance(value, dict):
        items: Iterable[tuple[Any, Any]] = sorted(value.items()) if sort_keys else value.items()
        return {
            _escaped(key, table, ensure_ascii, sort_keys): _escaped(
                item, table, ensure_ascii, sort_keys
            )
            for key, item in items
        }
    if isinstance(value, list | tuple):
        return [_escaped(item, table, ensure_ascii, sort_keys) for item in value]
    return value


def _json_escaped(text: str) -> str:
    return encode_basestring(text)[1:-1]


def _ascii_escaped(text: str) -> str:
    return encode_basestring_ascii(text)[1:-1]


def _text(value: Any) -> str:
    return value if type(value) in {str, Marked} else str(value)


def _behind(value: Any) -> Any:
    return value._text if isinstance(value, Marked) else value


def _int(value: Any, default: int = 0, base: int = 10) -> int:
    """Returns an integer, as Jinja's filter does; the digits of a content are no text of it."""
    from jinja2.filters import do_int

    return do_int(_behind(value), default, base)


def _float(value: Any, default: float = 0.0) -> float:
    from jinja2.filters import do_float

    return do_float(_behind(value), default)


def _indent(value: Any, width: int | str = 4, first: bool = False, blank: bool = False) -> str:
    """Returns a text with indented lines, as Jinja's filter does."""
    margin = width if isinstance(width, str) else " " * width
    text = _text(value)
    lines = text.splitlines()
    # Jinja appends a line end first, so that a text which ends in one keeps it.
    if not lines or text.splitlines(keepends=True)[-1] != lines[-1]:
        lines.append("")
    indented = [
        line if number == 0 or not (line or blank) else f"{margin}{line}"
        for number, line in enumerate(lines)
    ]
    return ("" if not first else margin) + "\n".join(indented)


def parts_of(bounds: Limits, separator: str, values: Iterable[Any]) -> Any:
    """Returns the values that are joined, whose lengths are checked."""
    parts = values if isinstance(values, list | tuple | str) else list(_spending(bounds, values))
    bounds.spend(str.__len__(parts) if isinstance(parts, str) else len(parts))
    total = sum(str.__len__(part) for part in parts if isinstance(part, str))
    bounds.check_length(total + str.__len__(separator) * len(parts))
    return parts


def _spending(bounds: Limits, values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        bounds.spend(1)
        yield value


def check_replaced(bounds: Limits, text: Any, old: Any, new: Any) -> None:
    """Checks the length of what ``replace`` makes."""
    if isinstance(text, str) and isinstance(old, str) and isinstance(new, str):
        number = len(text) // (len(old) or 1) + 1
        if len(new) > len(old) and number * len(new) > bounds.most_characters:
            number = text.count(old)
        bounds.check_length(len(text) + number * max(len(new) - len(old), 0))
