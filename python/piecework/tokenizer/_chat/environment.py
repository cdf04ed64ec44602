"""Compiles and runs templates in Jinja's sandbox, with what transformers gives templates.

All that inspects a text, or could make a large one, calls a function of piecework: attributes, subscripts, calls and operators by
the hooks of the sandbox, filters and tests by wrapped functions, the others by :mod:`piecework.tokenizer._chat.syntax`.
"""

from __future__ import annotations

import functools
import re
import types
from typing import TYPE_CHECKING, Any

from jinja2 import Template, TemplateSyntaxError, nodes
from jinja2.exceptions import SecurityError
from jinja2.ext import loopcontrols
from jinja2.runtime import Context, LoopContext, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import missing

from piecework.errors import ChatTemplateError
from piecework.tokenizer._chat import filters
from piecework.tokenizer._chat.functions import GLOBALS, ChatNamespace, Generation
from piecework.tokenizer._chat.marked import Marked
from piecework.tokenizer._chat.state import lift, limits
from piecework.tokenizer._chat.syntax import (
    INSERTED,
    Inserting,
    concatenate,
    contained,
    counted,
    inline_blocks,
    loop,
    operand,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from piecework.tokenizer._chat.limits import Limits
    from piecework.tokenizer._chat.state import State


_WIDTHS = frozenset(
    "center ljust rjust zfill expandtabs batch indent round slice truncate wordwrap".split()
)
"""The methods and filters with a number that sets the size of their result."""
_DEEP = frozenset(
    "join map pprint string sum unique xmlattr format sort groupby dictsort e escape".split()
)
"""The filters that may write or compare nested values."""
_NESTING = frozenset("batch groupby slice".split())
"""The filters whose results contain values in values."""
_CHEAP = frozenset("length count default d trim".split())
"""The filters that need no limit."""
_LAZY = frozenset("map select reject selectattr rejectattr".split())
"""The filters that call another filter or a test for each item."""
_COMPARING = frozenset("eq == equalto ne != lt < lessthan le <= gt > greaterthan ge >=".split())
"""The tests that compare values."""
_STEPS_OF_CALL = 10
"""The steps of a call: it takes about the time of ten items of a loop."""
_OF_DICTS = frozenset(dir(dict))
_FORMATS = frozenset({"format", "format_map"})
_CHECKED_ONCE = frozenset({str, Marked, list, tuple, dict, LoopContext})
"""The classes whose attributes are safe, or not, for all objects."""
_OF_LOOPS = ("_loop_vars", "_block_vars")
"""The keywords that Jinja passes to functions that take its context."""
_METHODS = (types.BuiltinMethodType, types.MethodType)


class ChatEnvironment(ImmutableSandboxedEnvironment):
    """Serves as the sandbox of chat templates."""

    intercepted_binops = frozenset({"*", "**", "%"})
    concat = staticmethod(concatenate)  # of macros and blocks

    def __init__(self) -> None:
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            extensions=[Generation, loopcontrols],
            finalize=written,
        )
        self.globals.update(GLOBALS)
        del self.globals["lipsum"]  # writes random texts of any length
        self.filters.update(filters.replacing())
        self.filters = {
            name: _lifting(each) if name in _CHEAP else _bounded(name, each)
            for name, each in self.filters.items()
        }
        self.filters.update(INSERTED)
        tests: dict[str, Any] = self.tests
        tests |= {name: _comparing(tests[name]) for name in _COMPARING}
        tests |= {"in": contained, "lower": _is_lower, "upper": _is_upper}
        self._safe: set[tuple[type, str]] = set()

    def _generate(self, source: nodes.Template, *args: Any, **keywords: Any) -> str:
        source.body = inline_blocks(source.body)
        return super()._generate(Inserting().visit(source), *args, **keywords)

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Returns an attribute or a member; members of dictionaries first, which are most."""
        kind = type(obj)
        if kind is dict and attribute not in _OF_DICTS:
            return obj[attribute] if attribute in obj else self.undefined(obj=obj, name=attribute)
        if kind is str:
            obj = lift(obj)
            kind = type(obj)
        if (kind, attribute) in self._safe:
            # The checks of the sandbox take most of the time of an access.
            return getattr(obj, attribute)
        is_known = kind in _CHECKED_ONCE and attribute not in _FORMATS
        if is_known and attribute in dir(kind) and super().is_safe_attribute(obj, attribute, None):
            self._safe.add((kind, attribute))
        if kind is ChatNamespace and attribute[0] != "_":
            value = getattr(obj, attribute, missing)
            if value is not missing:
                return value
        return super().getattr(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Returns a member or an attribute."""
        if type(obj) is dict and type(argument) is str and argument in obj:
            return obj[argument]
        return super().getitem(lift(obj), lift(argument))

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Returns the result of an operator, whose size is checked."""
        limits().check_operation(operator, left, right)
        return super().call_binop(context, operator, left, right)

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Calls an object, and counts it."""
        bounds = limits()
        bounds.spend(_STEPS_OF_CALL)
        if isinstance(obj, _METHODS):
            obj, args = _method(bounds, obj, args)
            if isinstance(obj.__self__, str):  # needs none of the checks of the sandbox
                for name in _OF_LOOPS:
                    kwargs.pop(name, None)
                return bounds.check_result(obj(*args, **kwargs))
        elif isinstance(obj, LoopContext):
            args = tuple(loop(value) for value in args)
        elif not isinstance(obj, Macro):
            args = tuple(map(lift, args))
        return bounds.check_result(super().call(context, obj, *args, **kwargs))

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """Returns ``str.format`` in the sandbox, with checked lengths."""
        wrapped = super().wrap_str_format(value)
        if wrapped is None:
            return None
        owner = value.__self__

        def bounded(*args: Any, **keywords: Any) -> str:
            limits().check_format(owner, "{", (*args, *keywords.values()))
            return wrapped(*args, **keywords)

        return value if isinstance(owner, Marked) else bounded


def _method(bounds: Limits, method: Any, args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """Returns a method and its arguments, whose result is of a checked size."""
    owner, name = getattr(method, "__self__", None), method.__name__
    bounds.count_input(owner)
    if not isinstance(owner, str):
        return method, args
    args = tuple(map(lift, args))
    if name in _WIDTHS:
        bounds.check_width(args)
    elif name == "join" and args:
        args = (filters.parts_of(bounds, owner, args[0]),)
    elif name == "replace" and len(args) > 1:
        filters.check_replaced(bounds, owner, *args[:2])
    elif name == "translate" or name in _FORMATS:  # the sandbox replaces these where it finds them
        raise ChatTemplateError(f"the template calls `{name}` in a way that is not supported")
    if type(owner) is str and name != "join" and any(isinstance(each, Marked) for each in args):
        # A method of a text of the template, about one of a content.
        table = next(each for each in args if isinstance(each, Marked))._table
        method = getattr(table.mark_runs(owner, ()), name)
    return method, args


def _bounded(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a filter that takes texts without sentinels, and whose sizes are checked."""
    passed = int(getattr(function, "jinja_pass_arg", None) is not None)
    has_width, is_deep, is_lazy = name in _WIDTHS, name in _DEEP, name in _LAZY

    @functools.wraps(function)
    def filtered(*args: Any, **keywords: Any) -> Any:
        bounds = limits()
        bounds.spend(_STEPS_OF_CALL)
        first, *others = map(lift, args[passed:])
        bounds.count_input(first)
        if is_deep:
            bounds.measure(first)
        if name == "format":
            bounds.check_format(str(first), "%", (*others, *keywords.values()))
        if is_lazy and hasattr(first, "__len__"):
            bounds.spend(_STEPS_OF_CALL * len(first))
        if has_width:
            bounds.check_width((*others, *keywords.values()))
        if isinstance(first, types.GeneratorType):
            first = counted(first)
        result = function(*args[:passed], first, *others, **keywords)
        if name in _NESTING:
            result = list(result)
            bounds.measure(result)
        return bounds.check_result(result)

    return filtered


def _lifting(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a filter whose time does not depend on the size of its input, which may be a text with sentinels."""

    @functools.wraps(function)
    def filtered(value: Any, *args: Any, **keywords: Any) -> Any:
        return function(lift(value), *args, **keywords)

    return filtered


def _comparing(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a test that compares texts without sentinels; others ask for the type alone."""

    @functools.wraps(function)
    def test(*args: Any) -> Any:
        return function(*map(operand, args))

    return test


def _is_lower(value: Any) -> bool:
    """Returns whether a value is in lower case."""
    value = operand(value)
    return value.islower() if isinstance(value, str) else str(value).islower()


def _is_upper(value: Any) -> bool:
    """Returns whether a value is in upper case."""
    value = operand(value)
    return value.isupper() if isinstance(value, str) else str(value).isupper()


@functools.cache
def _environment() -> ChatEnvironment:
    return ChatEnvironment()


_LONGEST_TEMPLATE = 1 << 20
_PLACE = "chat template"


@functools.lru_cache(maxsize=64)
def compile_template(source: str) -> Template:
    """Returns a compiled template, from a cache if it was compiled before.

    Raises:
        ChatTemplateError: The template has a syntax error, or is too long.
    """
    if len(source) > _LONGEST_TEMPLATE:
        raise ChatTemplateError(
            f"a template of over {_LONGEST_TEMPLATE:,} characters", place=f"{_PLACE}: "
        )
    try:
        return _environment().from_string(source)
    except TemplateSyntaxError as error:
        place = f"{_PLACE}: line {error.lineno}: "
        raise ChatTemplateError(f"syntax error: {error.message}", place=place) from None
    except (RecursionError, MemoryError, SyntaxError, ValueError) as error:
        raise ChatTemplateError(f"cannot be compiled: {error}", place=f"{_PLACE}: ") from None


_GENERATION = re.compile(r"\{%-?\s*generation\s*-?%\}")


def has_generation(source: str) -> bool:
    """Returns whether a template says which text is the assistant's."""
    return _GENERATION.search(source) is not None


def run(template: Template, variables: dict[str, Any], state: State) -> str:
    """Returns the output of a template.

    Raises:
        ChatTemplateError: The template raised an error, or exceeds a limit; the message contains the line.
    """
    pieces: list[str] = []
    written, most = 0, limits().most_characters
    try:
        context = template.new_context(variables)
        for piece in template.root_render_func(context):
            pieces.append(piece)
            written += len(piece)
            state.written = written
            if written > most:
                limits().check_length(written)
    except ChatTemplateError as error:
        raise error.at(_place(error)) from None
    except Exception as error:
        # A template is a program of somebody else, which may raise whatever Python raises.
        kind = "" if isinstance(error, SecurityError) else f"{type(error).__name__}: "
        raise ChatTemplateError(f"{kind}{error}", place=f"{_place(error)}: ") from error
    return "".join(pieces)


def _place(error: BaseException) -> str:
    """Returns the place of an error: the last line of the template that was running."""
    line, trace = None, error.__traceback__
    while trace is not None:
        template = trace.tb_frame.f_globals.get("__jinja_template__")
        if template is not None:
            line = template.get_corresponding_lineno(trace.tb_lineno)
        trace = trace.tb_next
    return f"{_PLACE}: line {line}" if line else _PLACE
