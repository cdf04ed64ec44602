"""Defines the functions, the blocks and the classes that transformers gives templates."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar

from jinja2 import nodes
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension
from jinja2.utils import Namespace

from piecework.errors import ChatTemplateError
from piecework.tokenizer._chat.budget import CASED
from piecework.tokenizer._chat.state import STATE, current_budget
from piecework.tokenizer._chat.syntax import written

if TYPE_CHECKING:
    from collections.abc import Callable

    from jinja2.parser import Parser


_LONGEST_FORM = 1000
_WIDTH = re.compile(r"%[^a-zA-Z%]*\d")


class Generation(Extension):
    """Finds the blocks ``{% generation %}``, which contain what the assistant wrote."""

    tags: ClassVar[set[str]] = {"generation"}  # type: ignore[misc]  # the base has an instance attribute

    def parse(self, parser: Parser) -> nodes.Node:
        """Parses a block."""
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        call = self.call_method("_record")
        return nodes.CallBlock(call, [], [], body).set_lineno(line)

    def _record(self, caller: Callable[[], str]) -> str:
        text = caller()
        STATE.blocks.append((STATE.written, STATE.written + len(text)))
        return text


class GlobalDict:
    """Serves as the global `dict`, without the attributes of the class."""

    def __call__(self, *args: Any, **keywords: Any) -> dict[Any, Any]:
        if args and not isinstance(args[0], dict):
            pairs = [tuple(pair) for pair in args[0]]
            current_budget().check_keys(pair[0] for pair in pairs if pair)
            args = (pairs, *args[1:])
        return dict(*args, **keywords)

    def fromkeys(self, *args: Any) -> dict[Any, Any]:
        """Returns a dictionary of the given keys."""
        keys = list(args[0]) if args else []
        current_budget().check_keys(keys)
        return dict.fromkeys(keys, *args[1:])


class ChatNamespace(Namespace):
    """Serves as the global `namespace`, without names that begin with an underscore."""

    def __init__(*args: Any, **keywords: Any) -> None:  # a template may write namespace(self=...)
        self, *given = args
        values = dict(*given, **keywords)
        for name in values:
            _check_name(name)
        Namespace.__init__(self, values)

    def __setitem__(self, name: str, value: Any) -> None:
        _check_name(name)
        super().__setitem__(name, value)


def _check_name(name: object) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise SecurityError(f"a namespace has no name that begins with an underscore: {name!r}")


def _raise_exception(message: object) -> None:
    raise ChatTemplateError(str(written(message)))


def _strftime_now(form: str) -> str:
    if len(form) > _LONGEST_FORM or _WIDTH.search(form):
        raise ChatTemplateError("the form of a time is too long, or has a width")
    current_budget().read(CASED * len(form))
    now = STATE.now or datetime.now()  # noqa: DTZ005  # the local time, as in transformers
    return now.strftime(form)


GLOBALS = {
    "raise_exception": _raise_exception,
    "strftime_now": _strftime_now,
    "dict": GlobalDict(),
    "namespace": ChatNamespace,
}
"""The global names of templates, in addition to Jinja's."""
