"""Compiles and runs templates in Jinja's sandbox, with what transformers gives templates.

All that inspects a text, or could make a large one, calls a function of piecework: attributes, subscripts, calls and operators by
the hooks of the sandbox, filters and tests by wrapped functions, the others by :mod:`piecework.tokenizer._chat.syntax`.
"""

from __future__ import annotations

import functools
import re
import types
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from jinja2 import Template, TemplateSyntaxError, nodes
from jinja2.exceptions import SecurityError
from jinja2.ext import loopcontrols
from jinja2.runtime import Context, LoopContext, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Cycler, missing
from markupsafe import Markup

from piecework._settings.limiting import LONGEST_TEMPLATE
from piecework.errors import ChatTemplateError
from piecework.tokenizer._chat import filters
from piecework.tokenizer._chat.allowed import FILTERS, METHODS, refused
from piecework.tokenizer._chat.budget import CLASSIFIED, CONVERTED
from piecework.tokenizer._chat.functions import GLOBALS, ChatNamespace, Generation
from piecework.tokenizer._chat.marked import Marked
from piecework.tokenizer._chat.state import STATE, current_budget, lift
from piecework.tokenizer._chat.syntax import (
    INSERTED,
    Inserting,
    concatenate,
    contained,
    count_nodes,
    counted,
    inline_blocks,
    loop,
    note_key,
    operand,
    refuse_undeclared,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from piecework.tokenizer._chat.budget import Budget
    from piecework.tokenizer._chat.marked import MarkTable, Run
    from piecework.tokenizer._chat.state import State


_COMPARING = frozenset("eq == equalto ne != lt < lessthan le <= gt > greaterthan ge >=".split())
"""The tests that compare values."""
_CHEAP = frozenset("length count default d trim".split())
"""The filters that need no limit, or count themselves."""
_LAZY = frozenset("first map select reject selectattr rejectattr".split())
"""The filters that iterate over their input when their result is read, or not to its end."""
_NESTING = frozenset("batch slice".split())
"""The filters whose results are values in values, made one after the other."""
_STEPS_OF_CALL = 10
"""The steps of a call: it takes about the time of ten items of a loop."""
_OF_DICTS = frozenset(dir(dict))
_FORMATS = frozenset({"format", "format_map"})
_CHECKED_ONCE = frozenset({str, Marked, list, tuple, dict, LoopContext})
"""The classes whose attributes are safe, or not, for all objects."""
_ATTRIBUTES = {kind: frozenset(dir(kind)) for kind in _CHECKED_ONCE}
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
            optimized=False,  # the time of the search for constants is the cube of the depth of an expression
        )
        self.globals.update(GLOBALS)
        # The same chat always has the same text.
        del self.globals["lipsum"], self.filters["random"]
        self.filters.update(filters.replacing())
        self.filters = {
            name: _bounded(name, each) if name in FILTERS else _refusing(name)
            for name, each in self.filters.items()
        }
        self.filters.update(INSERTED)
        tests: dict[str, Any] = self.tests
        tests |= {name: _comparing(tests[name]) for name in _COMPARING}
        tests |= {"in": contained, "lower": _is_lower, "upper": _is_upper}
        self._safe: set[tuple[type, str]] = set()

    def _generate(self, source: nodes.Template, *args: Any, **keywords: Any) -> str:
        if count_nodes(source) > _MOST_NODES:
            raise ChatTemplateError(f"a template of over {_MOST_NODES:,} nodes")
        refuse_undeclared(source)
        source.body = inline_blocks(source.body)
        return super()._generate(Inserting(source).visit(source), *args, **keywords)

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
        if (
            is_known
            and attribute in _ATTRIBUTES[kind]
            and super().is_safe_attribute(obj, attribute, None)
        ):
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
        argument = operand(argument)
        return super().getitem(lift(obj), lift(argument))

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Returns the result of an operator, whose size is checked."""
        current_budget().check_operation(operator, left, right)
        return super().call_binop(context, operator, left, right)

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Calls an object, and counts it."""
        budget = current_budget()
        budget.spend(_STEPS_OF_CALL + 2 * (len(args) + len(kwargs)))
        hidden: dict[str, Any] = {}
        if isinstance(obj, _METHODS):
            for name in _OF_LOOPS:
                given = kwargs.pop(name, None)
                if given is not None and not isinstance(obj.__self__, str):
                    hidden[name] = given
            obj, args = _method(budget, obj, args, kwargs)
            if isinstance(obj.__self__, str):  # needs none of the checks of the sandbox
                return budget.check_result(obj(*args, **kwargs))
        elif isinstance(obj, LoopContext):
            args = tuple(loop(value) for value in args)
        elif not isinstance(obj, Macro):
            args = tuple(map(lift, args))
            if obj is Cycler:  # its attribute `items` has them in a tuple
                budget.measure(args)
            kwargs = {name: lift(value) for name, value in kwargs.items()}
        return budget.check_result(super().call(context, obj, *args, **hidden, **kwargs))

    def call_test(self, *args: Any, **keywords: Any) -> Any:
        """Returns the result of a test of a filter such as `select`, which is recorded."""
        holds = super().call_test(*args, **keywords)
        STATE.note(bool(holds))
        return holds

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """Returns ``str.format`` in the sandbox, with checked lengths."""
        wrapped = super().wrap_str_format(value)
        if wrapped is None:
            return None
        owner = value.__self__

        def bounded(*args: Any, **keywords: Any) -> str:
            current_budget().check_format(owner, "{", (*args, *keywords.values()))
            return wrapped(*args, **keywords)

        return value if isinstance(owner, Marked) else bounded


def _method(
    budget: Budget, method: Any, args: tuple[Any, ...], others: Any
) -> tuple[Any, tuple[Any, ...]]:
    """Returns a method and its arguments, whose result is of a checked size."""
    owner, name = method.__self__, method.__name__
    allowed = METHODS.get(type(owner))
    bound = allowed.get(name) if allowed is not None else None
    if bound is None:
        raise refused("method", name)
    args = tuple(map(lift, args))
    bound(budget, owner, *args, *others.values())
    if type(owner) is Markup:  # escapes them
        budget.read(CONVERTED * sum(map(budget.measure, args)))
    if not isinstance(owner, str):
        if name == "get" and args:
            note_key(args[0])
        return method, args
    if name == "join":
        return method, (filters.parts_of(budget, owner, args[0]), *args[1:]) if args else args
    if type(owner) is str:
        marked = next((each for each in args if isinstance(each, Marked)), None)
        if marked is not None:  # a method of a text of the template, about one of a content
            method = getattr(marked._table.mark_runs(owner, ()), name)
    return method, args


def _refusing(name: str) -> Callable[..., Any]:
    """Returns a filter that is not supported."""

    def filtered(*args: Any, **keywords: Any) -> Any:
        raise refused("filter", name)

    return filtered


def _bounded(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a filter that takes texts without sentinels, and whose sizes are checked."""
    passed = int(getattr(function, "jinja_pass_arg", None) is not None)
    bound = FILTERS[name]
    if name in _CHEAP:
        return _lifting(function)

    @functools.wraps(function)
    def filtered(*args: Any, **keywords: Any) -> Any:
        budget = current_budget()
        budget.spend(_STEPS_OF_CALL + 2 * (len(args) + len(keywords)))
        first, *others = map(lift, args[passed:])
        if name not in _LAZY and isinstance(first, Iterator):
            first = list(counted(first))
        elif isinstance(first, Iterator):
            first = counted(first)
        bound(budget, first, *others, *keywords.values())
        result = function(*args[:passed], first, *others, **keywords)
        if name in _NESTING:
            result = list(result)
            budget.measure(result)
        return budget.check_result(result)

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
    return _text(value).islower()


def _is_upper(value: Any) -> bool:
    """Returns whether a value is in upper case."""
    return _text(value).isupper()


def _text(value: Any) -> str:
    """Returns a value as text, whose characters are counted."""
    value = operand(value)
    text = value if isinstance(value, str) else str(written(value))
    current_budget().read(CLASSIFIED * len(text))
    return text


@functools.cache
def _environment() -> ChatEnvironment:
    return ChatEnvironment()


_MOST_NODES = 20_000
_PLACE = "chat template"


@functools.lru_cache(maxsize=64)
def compile_template(source: str) -> Template:
    """Returns a compiled template, from a cache if it was compiled before.

    Raises:
        ChatTemplateError: The template has a syntax error, or is too long.
    """
    if len(source) > LONGEST_TEMPLATE:
        raise ChatTemplateError(
            f"a template of over {LONGEST_TEMPLATE:,} characters", place=f"{_PLACE}: "
        )
    try:
        return _environment().from_string(source)
    except TemplateSyntaxError as error:
        place = f"{_PLACE}: line {error.lineno}: "
        raise ChatTemplateError(f"syntax error: {error.message}", place=place) from None
    except ChatTemplateError as error:
        raise error.at(_PLACE) from None
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
    written, most = 0, current_budget().most_characters
    try:
        context = template.new_context(variables)
        for piece in template.root_render_func(context):
            pieces.append(piece)
            written += len(piece)
            state.written = written
            if written > most:
                current_budget().make(written)
    except ChatTemplateError as error:
        raise error.at(_place(error)) from None
    except Exception as error:
        # A template is a program of somebody else, which may raise whatever Python raises.
        kind = "" if isinstance(error, SecurityError) else f"{type(error).__name__}: "
        raise ChatTemplateError(f"{kind}{error}", place=f"{_place(error)}: ") from error
    return "".join(pieces)


def expand(table: MarkTable, text: str) -> tuple[str, tuple[Run, ...]]:
    """Returns the text behind the output of a template, and its untrusted runs.

    Raises:
        ChatTemplateError: It exceeds a limit.
    """
    try:
        return table.expand(text)
    except ChatTemplateError as error:
        raise error.at(_PLACE) from None


def _place(error: BaseException) -> str:
    """Returns the place of an error: the last line of the template that was running."""
    line, trace = None, error.__traceback__
    while trace is not None:
        template = trace.tb_frame.f_globals.get("__jinja_template__")
        if template is not None:
            line = template.get_corresponding_lineno(trace.tb_lineno)
        trace = trace.tb_next
    return f"{_PLACE}: line {line}" if line else _PLACE
