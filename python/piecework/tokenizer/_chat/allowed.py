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
from piecework.tokenizer._chat.budget import CASED, CLASSIFIED, CONVERTED
from piecework.tokenizer._chat.functions import Generation, GlobalDict
from piecework.tokenizer._chat.marked import Marked
from piecework.tokenizer._chat.syntax import written

if TYPE_CHECKING:
    from collections.abc import Callable

    from piecework.tokenizer._chat.budget import Budget

_LONGEST_CHANGE = 12
"""The number of characters that one becomes at most, such as in JSON."""
_MOST_DIGITS = 1300
_MOST_DECIMALS = 300
_MOST_NAMES = 16
_STEPS_OF_ITEM, _HASHES_PER_STEP = 6, 64
_TITLED = 512
"""The comparisons that take the time of a character in Jinja's `title`, which splits texts in words."""


def _free(budget: Budget, value: Any, *args: Any) -> None:
    """Allows what takes the same time for each value."""


def _read(budget: Budget, *values: Any) -> None:
    """Counts what is read."""
    for value in values:
        budget.measure(value)


def _arguments(budget: Budget, value: Any, *args: Any) -> None:
    """Counts the arguments, which alone are compared with a part of the value."""
    _read(budget, *args)


def _searching(*, backwards: bool) -> Callable[..., None]:
    """Returns the bound of a search from the start, or from the end."""

    def search(budget: Budget, value: Any, needle: Any = "", *args: Any) -> None:
        length = len(needle) if isinstance(needle, str) else 0
        budget.search(len(value), length, backwards=backwards)

    return search


_find, _find_last = _searching(backwards=False), _searching(backwards=True)


def _classify(budget: Budget, value: Any, *args: Any) -> None:
    """Counts the characters whose class is tested."""
    budget.read(CLASSIFIED * len(value))


def check_stripped(budget: Budget, text: str, characters: Any = None) -> None:
    """Counts the comparisons of ``strip``: of each character with all that are removed."""
    budget.read(len(text) * (len(characters) if isinstance(characters, str) else CLASSIFIED))


def _changing(comparisons: int) -> Callable[..., None]:
    """Returns the bound of a change of each character to a few, which takes the time of some comparisons."""

    def change(budget: Budget, value: Any, *args: Any) -> None:
        _read(budget, *args)
        length = budget.measure(value)
        budget.check_free(_LONGEST_CHANGE * length)
        budget.read(comparisons * length)

    return change


_convert, _change_case = _changing(CONVERTED), _changing(CASED)


def _iterate(budget: Budget, value: Any, *args: Any) -> None:
    """Counts the items of a value."""
    if isinstance(value, str | dict | range):
        budget.spend(4 * len(value))
    _read(budget, value, *args)


def _collect(budget: Budget, value: Any, *args: Any) -> None:
    """Counts the items of a value, which are not read themselves."""
    if isinstance(value, str | range):
        budget.spend(4 * len(value))
    elif hasattr(value, "__len__"):
        budget.spend(len(value))


def _order(budget: Budget, value: Any, *args: Any) -> None:
    """Counts the comparisons of the items of a value, in one of which an item is read and its attribute found."""
    _check_names(*args)
    if not hasattr(value, "__len__"):
        return
    _iterate(budget, value, *args)
    number = len(value)
    comparisons = number.bit_length()
    length = budget.measure(value)
    budget.spend((4 + comparisons) * number)
    budget.read(comparisons * length)
    budget.read(CASED * length)
    budget.make(length)  # the texts in lower case


def _distinct(budget: Budget, value: Any, *args: Any) -> None:
    """Counts the comparisons of items by their hashes, which are equal at worst."""
    _order(budget, value, *args)
    if any(isinstance(each, str | int) and not isinstance(each, bool) for each in args):
        budget.spend(len(value) * len(value) // _HASHES_PER_STEP)  # of the values of an attribute
    elif not isinstance(value, str):
        budget.check_keys(value)


def _each(budget: Budget, value: Any, *args: Any) -> None:
    """Counts the calls of another filter or a test for each item; the calls count themselves."""
    _check_names(*args)
    if hasattr(value, "__len__"):
        budget.spend(_STEPS_OF_ITEM * len(value))


def _check_names(*args: Any) -> None:
    for value in args:
        if isinstance(value, str) and value.count(".") + value.count(",") > _MOST_NAMES:
            raise ChatTemplateError(f"an attribute of over {_MOST_NAMES} names")


def _sum(budget: Budget, value: Any, *args: Any) -> None:
    _check_names(*args)
    if any(isinstance(each, list | tuple | dict) for each in args):
        raise ChatTemplateError("`sum` of lists is not supported in chat templates")
    _iterate(budget, value)


def _row(budget: Budget, value: Any, *args: Any) -> None:
    budget.check_width(args)
    budget.spend(sum(each for each in args if isinstance(each, int) and each > 0))
    _iterate(budget, value, *args)


def _number(budget: Budget, value: Any, *args: Any) -> None:
    if isinstance(value, str) and len(value) > _MOST_DIGITS:
        raise ChatTemplateError(f"a number of over {_MOST_DIGITS:,} characters")
    if isinstance(value, str):
        budget.read(CONVERTED * len(value))


def _round(budget: Budget, value: Any, *args: Any) -> None:
    if any(isinstance(each, int) and abs(each) > _MOST_DECIMALS for each in args):
        raise ChatTemplateError(f"`round` to over {_MOST_DECIMALS} digits")


def _join(budget: Budget, value: Any, *args: Any) -> None:
    _check_names(*args[1:])
    _iterate(budget, value)
    separator = budget.measure(args[0]) if args else 0
    if hasattr(value, "__len__"):
        length = budget.measure(value)
        budget.spend(_STEPS_OF_ITEM * len(value))
        budget.check_free(_LONGEST_CHANGE * length + separator * len(value))


def _indent(budget: Budget, value: Any, *args: Any) -> None:
    width = args[0] if args else 4
    budget.check_width([width])
    margin = len(width) if isinstance(width, str) else width
    lines = _count_lines(budget, value) if isinstance(value, str) else 0
    if isinstance(margin, int) and margin > 0:
        budget.check_free(margin * lines)
    budget.measure(value)


def _format(budget: Budget, value: Any, *args: Any) -> None:
    budget.check_format(str(written(value)), "%", args)


def _splitting(*, backwards: bool) -> Callable[..., None]:
    """Returns the bound of ``split`` or ``rsplit``, which counts the parts of a text before there are any."""

    def split(budget: Budget, value: Any, *args: Any) -> None:
        separator = next((each for each in args if isinstance(each, str)), None)
        budget.check_free(len(value))
        if separator is None:
            budget.read(CONVERTED * len(value))
            parts = (len(value) + 1) // 2
        else:
            budget.search(len(value), len(separator), backwards=backwards)
            parts = value.count(separator or " ")
        most = next((each for each in args if type(each) is int and each >= 0), math.inf)
        budget.spend(int(min(parts, most)))

    return split


def _lines(budget: Budget, value: Any, *args: Any) -> None:
    """Counts the lines of a text."""
    budget.check_free(len(value))
    _count_lines(budget, value)


def _count_lines(budget: Budget, text: str) -> int:
    """Returns the number of line ends of a text, each of which is a step."""
    budget.read(CONVERTED * len(text))
    number = sum(map(text.count, "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"))
    budget.spend(number)
    return number


def _replace(budget: Budget, value: Any, *args: Any) -> None:
    check_replaced(budget, value, *args[:2])


def _cycle(budget: Budget, value: Any, *args: Any) -> None:
    _read(budget, *args)


def check_replaced(budget: Budget, text: Any, old: Any, new: Any) -> None:
    """Counts the places at which ``replace`` searches and may replace, and checks the length of what it makes."""
    if not (isinstance(text, str) and isinstance(old, str) and isinstance(new, str)):
        return
    number = len(text) // (len(old) or 1) + 1
    budget.search(len(text), len(old))
    budget.read(CONVERTED * number + len(new))
    if len(new) > len(old) and number * len(new) > budget.most_characters:
        number = text.count(old)
    length = len(text) + number * max(len(new) - len(old), 0)
    if length > budget.most_characters:
        budget.make(length)


def _table(bound: Callable[..., None], names: str) -> dict[str, Callable[..., None]]:
    return dict.fromkeys(names.split(), bound)


FILTERS: dict[str, Callable[..., None]] = {
    **_table(_free, "length count default d first last items abs tojson trim replace"),
    **_table(_convert, "string safe e escape truncate reverse"),
    **_table(_change_case, "upper lower capitalize"),
    "title": _changing(_TITLED),
    "list": _collect,
    **_table(_order, "sort dictsort min max groupby"),
    "unique": _distinct,
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
    **_table(_arguments, "startswith endswith removeprefix removesuffix"),
    **_table(_find, "find index count partition"),
    **_table(_find_last, "rfind rindex rpartition"),
    **_table(
        _classify,
        "isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper",
    ),
    **_table(check_stripped, "strip lstrip rstrip"),
    **_table(_change_case, "upper lower title capitalize casefold swapcase"),
    "split": _splitting(backwards=False),
    "rsplit": _splitting(backwards=True),
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


def refused(what: str, name: str) -> ChatTemplateError:
    """Returns the error of a call that is not supported."""
    return ChatTemplateError(f"the {what} `{name}` is not supported in chat templates")
