"""Lists the filters and methods that chat templates may call, with the bounds of what each may read and make.

All others are refused: what a template cannot call needs no bound.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from jinja2.runtime import LoopContext
from jinja2.utils import Cycler, Joiner
from markupsafe import Markup

from piecework.errors import ChatTemplateError
from piecework.tokenizer._chat.functions import Generation, GlobalDict
from piecework.tokenizer._chat.marked import Marked

if TYPE_CHECKING:
    from collections.abc import Callable

    from piecework.tokenizer._chat.budget import Budget

_LONGEST_CHANGE = 12
"""The number of characters that one becomes at most, such as in JSON."""
_MOST_DIGITS = 1300
_MOST_DECIMALS = 300
_MOST_NAMES = 16


def _free(bounds: Budget, value: Any, *args: Any) -> None:
    """Allows what takes the same time for each value."""


def _read(bounds: Budget, *values: Any) -> None:
    """Counts what is read."""
    for value in values:
        bounds.measure(value)


def _change(bounds: Budget, value: Any, *args: Any) -> None:
    """Counts a text of which each character becomes a few."""
    _read(bounds, *args)
    bounds.check_room(_LONGEST_CHANGE * bounds.measure(value))


def _iterate(bounds: Budget, value: Any, *args: Any) -> None:
    """Counts the items of a value."""
    if isinstance(value, str | dict | range):
        bounds.spend(4 * len(value))
    _read(bounds, value, *args)


def _order(bounds: Budget, value: Any, *args: Any) -> None:
    """Counts the comparisons of the items of a value."""
    _check_names(*args)
    _iterate(bounds, value, *args)
    if hasattr(value, "__len__"):
        bounds.spend(4 * len(value))
        bounds.make(bounds.measure(value))  # the texts in lower case


def _each(bounds: Budget, value: Any, *args: Any) -> None:
    """Counts the calls of another filter or a test for each item; the calls count themselves."""
    _check_names(*args)
    if hasattr(value, "__len__"):
        bounds.spend(10 * len(value))


def _check_names(*args: Any) -> None:
    for value in args:
        if isinstance(value, str) and value.count(".") + value.count(",") > _MOST_NAMES:
            raise ChatTemplateError(f"an attribute of over {_MOST_NAMES} names")


def _sum(bounds: Budget, value: Any, *args: Any) -> None:
    _check_names(*args)
    if any(isinstance(each, list | tuple | dict) for each in args):
        raise ChatTemplateError("`sum` of lists is not supported in chat templates")
    _iterate(bounds, value)


def _row(bounds: Budget, value: Any, *args: Any) -> None:
    bounds.check_width(args)
    bounds.spend(sum(each for each in args if isinstance(each, int) and each > 0))
    _iterate(bounds, value, *args)


def _number(bounds: Budget, value: Any, *args: Any) -> None:
    if isinstance(value, str) and len(value) > _MOST_DIGITS:
        raise ChatTemplateError(f"a number of over {_MOST_DIGITS:,} characters")


def _round(bounds: Budget, value: Any, *args: Any) -> None:
    if any(isinstance(each, int) and abs(each) > _MOST_DECIMALS for each in args):
        raise ChatTemplateError(f"`round` to over {_MOST_DECIMALS} digits")


def _join(bounds: Budget, value: Any, *args: Any) -> None:
    _check_names(*args[1:])
    _iterate(bounds, value)
    separator = bounds.measure(args[0]) if args else 0
    if hasattr(value, "__len__"):
        bounds.check_room(_LONGEST_CHANGE * bounds.measure(value) + separator * len(value))


def _indent(bounds: Budget, value: Any, *args: Any) -> None:
    width = args[0] if args else 4
    bounds.check_width([width])
    margin = len(width) if isinstance(width, str) else width
    text = value if isinstance(value, str) else ""
    # Lines end at one of ten characters; most end at this one.
    lines = len(text.splitlines()) if margin * len(text) > bounds.most_characters else len(text)
    if isinstance(margin, int) and margin > 0:
        bounds.check_room(margin * lines)
    bounds.measure(value)


def _format(bounds: Budget, value: Any, *args: Any) -> None:
    bounds.check_format(str(value), "%", args)


def _split(bounds: Budget, value: Any, *args: Any) -> None:
    """Counts the parts of a text, before there are any."""
    separator = next((each for each in args if isinstance(each, str)), None)
    parts = (len(value) + 1) // 2 if separator is None else value.count(separator or " ")
    most = next((each for each in args if type(each) is int and each >= 0), math.inf)
    bounds.spend(int(min(parts, most)))
    bounds.check_room(len(value))


def _lines(bounds: Budget, value: Any, *args: Any) -> None:
    bounds.check_room(len(value))
    bounds.spend(sum(map(value.count, "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")))


def _replace(bounds: Budget, value: Any, *args: Any) -> None:
    check_replaced(bounds, value, *args[:2])


def _cycle(bounds: Budget, value: Any, *args: Any) -> None:
    _read(bounds, *args)


def check_replaced(bounds: Budget, text: Any, old: Any, new: Any) -> None:
    """Checks the length of what ``replace`` makes."""
    if isinstance(text, str) and isinstance(old, str) and isinstance(new, str):
        _read(bounds, text, old, new)
        number = len(text) // (len(old) or 1) + 1
        if len(new) > len(old) and number * len(new) > bounds.most_characters:
            number = text.count(old)
        length = len(text) + number * max(len(new) - len(old), 0)
        if length > bounds.most_characters:
            bounds.make(length)


def _table(bounds: Callable[..., None], names: str) -> dict[str, Callable[..., None]]:
    return dict.fromkeys(names.split(), bounds)


FILTERS: dict[str, Callable[..., None]] = {
    **_table(_free, "length count default d first last items abs tojson trim replace"),
    **_table(_change, "upper lower capitalize title string safe e escape truncate reverse"),
    **_table(_iterate, "list"),
    **_table(_order, "sort dictsort unique min max groupby"),
    **_table(_each, "map select reject selectattr rejectattr"),
    **_table(_row, "batch slice"),
    **_table(_number, "int float"),
    "sum": _sum,
    "round": _round,
    "join": _join,
    "indent": _indent,
    "format": _format,
}
"""The bounds of each filter; those of `tojson`, `trim` and `replace` are in the filters themselves."""

_OF_TEXTS: dict[str, Callable[..., None]] = {
    **_table(_read, "startswith endswith find rfind index rindex count"),
    **_table(
        _read,
        "isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper",
    ),
    **_table(_change, "strip lstrip rstrip removeprefix removesuffix partition rpartition"),
    **_table(_change, "upper lower title capitalize casefold swapcase"),
    **_table(_split, "split rsplit"),
    "splitlines": _lines,
    "replace": _replace,
    "join": _free,  # bounded where its parts are collected
}
_OF_SEQUENCES = _table(_read, "index count copy")

METHODS: dict[type, dict[str, Callable[..., None]]] = {
    str: _OF_TEXTS,
    Marked: _OF_TEXTS,
    Markup: _OF_TEXTS,
    list: _OF_SEQUENCES,
    tuple: _OF_SEQUENCES,
    dict: {**_table(_free, "items keys values"), **_table(_cycle, "get"), **_table(_read, "copy")},
    range: {},
    LoopContext: _table(_cycle, "cycle changed"),
    Cycler: _table(_free, "next reset"),
    Joiner: {},
    GlobalDict: _table(_iterate, "fromkeys"),
    Generation: _table(_free, "_record"),
}
"""The bounds of each method, by the class of its object."""

CHEAP_IF_SHORT = frozenset({_read, _change})
"""The bounds that short texts cannot exceed."""


def refused(what: str, name: str) -> ChatTemplateError:
    """Returns the error of a call that is not supported."""
    return ChatTemplateError(f"the {what} `{name}` is not supported in chat templates")
