"""Defines the filters of chat templates that differ from Jinja's own."""

from __future__ import annotations

import json
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import TYPE_CHECKING, Any

from piecework.errors import ChatTemplateError
from piecework.tokenizer._chat.allowed import check_replaced, check_stripped
from piecework.tokenizer._chat.budget import CLASSIFIED, CONVERTED
from piecework.tokenizer._chat.marked import Marked
from piecework.tokenizer._chat.state import STATE, current_budget, lift
from piecework.tokenizer._chat.syntax import written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from piecework.tokenizer._chat.budget import Budget
    from piecework.tokenizer._chat.marked import MarkTable

_WIDEST_INDENT, _LONGEST_SEPARATOR = 100, 8
_LONGEST_ESCAPE = 12
_SHORT = 64
_STEPS_OF_JSON, _STEPS_OF_VALUE = 20, 6
"""The steps of a call of `tojson`, and of each value, which Python's encoder in C does not write if there is an indent."""


def replacing() -> dict[str, Callable[..., Any]]:
    """Returns the filters by name."""

    def tojson(
        value: Any,
        ensure_ascii: bool = False,
        indent: Any = None,
        separators: tuple[str, str] | None = None,
        sort_keys: bool = False,
    ) -> str:
        budget = current_budget()
        if indent is not None and (not isinstance(indent, int) or indent > _WIDEST_INDENT):
            raise ChatTemplateError(
                f"`tojson` with an indent that is no number up to {_WIDEST_INDENT}"
            )
        if any(len(each) > _LONGEST_SEPARATOR for each in separators or ()):
            raise ChatTemplateError(
                f"`tojson` with a separator of over {_LONGEST_SEPARATOR} characters"
            )
        budget.spend(_STEPS_OF_JSON)
        length = budget.measure(value, max(indent or 0, 0), _STEPS_OF_VALUE)
        budget.check_free(_LONGEST_ESCAPE * length)
        budget.read(CONVERTED * length)
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
        budget = current_budget()
        check_replaced(budget, text, old, new)
        if type(text) is str and isinstance(old, Marked):
            text = old._table.mark_runs(text, ())
        return text.replace(old, new, -1 if count is None else count)

    def trim(value: Any, chars: str | None = None) -> str:
        text: str = lift(_text(value))
        if chars is not None:
            check_stripped(current_budget(), text, chars := lift(chars))
        if (length := len(text)) > _SHORT:
            budget = current_budget()
            budget.read(CLASSIFIED * length)
            budget.make(length)
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
    return value if type(value) in {str, Marked} else str(written(value))


def _digits(value: Any) -> Any:
    return value if STATE.table is None else STATE.table.text_of(written(value))


def _int(value: Any, default: int = 0, base: int = 10) -> int:
    """Returns an integer, as Jinja's filter does; the digits of a content are no text of it."""
    from jinja2.filters import do_int

    return do_int(_digits(value), default, base)


def _float(value: Any, default: float = 0.0) -> float:
    from jinja2.filters import do_float

    return do_float(_digits(value), default)


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


def parts_of(budget: Budget, separator: str, values: Iterable[Any]) -> Any:
    """Returns the values that are joined, whose lengths are checked."""
    parts = values if isinstance(values, list | tuple | str) else list(_spending(budget, values))
    budget.spend(2 * len(parts))
    total = sum(len(part) + 1 for part in parts if isinstance(part, str))
    total += (len(separator) - 1) * len(parts) if separator else 0
    if total > budget.most_characters:
        budget.make(total)
    return parts


def _spending(budget: Budget, values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        budget.spend(1)
        yield value
