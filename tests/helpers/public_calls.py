"""The public functions, classes, methods and properties, as calls to try."""

import builtins
import functools
import importlib
import inspect
import random
import re
import typing
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import call_arguments
import call_objects
from piecework import models, normalizers
from piecework.corpus import _counts
from piecework.tokenizer import _options, _settings
from piecework.training._tracing import record
from public_names import public_modules

RESULT = "a result, which callers do not create"
LEFT_OUT = {
    "EncodedBatch": RESULT,
    "TokenBytes": RESULT,
    "TruncatedText": RESULT,
    "analysis.TextSums.of": RESULT,
    "training.MergeTrace": RESULT,
    "hf.OffsetReferential": "an enumeration of Python",
    "hf.OffsetType": "an enumeration of Python",
    "hf.SplitDelimiterBehavior": "an enumeration of Python",
    "engines.Local.run": "starts processes",
    "hf.Tokenizer.from_pretrained": "asks a server",
}
"""Calls that are not tried, with the reason."""

PROTOCOLS = """
__getitem__ __contains__ __len__ __iter__ __next__ __eq__ __lt__ __hash__ __repr__ __str__ __call__ __add__ __radd__ __or__
__reduce__ __getstate__ __setattr__ __delattr__ __copy__ __deepcopy__ __enter__ __exit__ __arrow_c_array__
__arrow_c_stream__ __arrow_c_schema__ __array__ __getattr__ _repr_html_ _repr_pretty_
""".split()


class Subject(NamedTuple):
    """A call to try: its name, what to call, its parameters, and arguments that fit it better than others of their names."""

    name: str
    choices: list[Any]
    attribute: str | None
    known: dict[str, list[Any]]

    def target(self, draw: random.Random) -> Callable[..., Any]:
        """Returns what is called: a function or class, or the method of an object."""
        chosen = draw.choice(self.choices)
        if self.attribute is None:
            return chosen
        if self.attribute in {"__setattr__", "__delattr__", "__getattr__"}:  # as Python calls them
            function = getattr(builtins, self.attribute.strip("_"))
            return functools.partial(function, call_objects.fresh(chosen))
        return method(call_objects.fresh(chosen), self.attribute)


def method(value: Any, name: str) -> Callable[..., Any]:
    """Returns a method, or a function that reads a property."""
    owner = value if inspect.isclass(value) else type(value)
    if callable(getattr(owner, name, None)):
        return getattr(value, name)
    return lambda: getattr(value, name)


def public_callables() -> dict[str, Any]:
    """Returns the public functions and classes, each under its first name."""
    found: dict[str, Any] = {}
    seen = set[int]()
    for module in public_modules():
        imported = importlib.import_module(f"piecework.{module}".rstrip("."))
        for name in imported.__all__:
            value = getattr(imported, name)
            is_alias = value is str or type(value).__module__ == "typing"
            if callable(value) and not is_alias and id(value) not in seen:
                seen.add(id(value))
                found[f"{module}.{name}".lstrip(".")] = value
    return found


def subjects() -> list[Subject]:
    """Returns all calls to try; a method that classes inherit is one call, of objects of all of them."""
    objects = call_objects.objects()
    found: list[Subject] = []
    methods: dict[tuple[type[Any], str], Subject] = {}
    for name, value in public_callables().items():
        made = objects.get(value, []) if inspect.isclass(value) else []
        if not typing.is_typeddict(value):
            found.append(Subject(name, [value], None, fields(made) | given(name)))
        for owner, attribute in members(value) if inspect.isclass(value) else ():
            of_class = isinstance(vars(owner)[attribute], classmethod | staticmethod)
            subject = methods.setdefault(
                (owner, attribute),
                Subject(f"{name}.{attribute}", [], attribute, given(f"{name}.{attribute}")),
            )
            subject.choices.extend([value] if of_class else made)
    return found + [subject for subject in methods.values() if subject.choices]


def given(name: str) -> dict[str, list[Any]]:
    """Returns the well-formed arguments of a single call."""
    found: dict[str, list[Any]] = {}
    for end, values in call_arguments.special_arguments().items():
        found |= values if f".{name}".endswith(f".{end}") else {}
    return found


def members(kind: type[Any]) -> Iterator[tuple[type[Any], str]]:
    """Yields the names of the methods and properties of a class, with the class of piecework that defines them."""
    is_hf = kind.__module__.startswith("piecework.hf")
    for name in dir(kind):
        owner = next((base for base in kind.__mro__ if name in vars(base)), object)
        is_public = (
            not name.startswith("_") or name in PROTOCOLS or (is_hf and name == "__setstate__")
        )
        if is_public and owner.__module__.startswith("piecework"):
            yield owner, name


def fields(made: list[Any]) -> dict[str, list[Any]]:
    """Returns the values that objects have under the names of parameters of their class."""
    if not made:
        return {}
    return {
        name: [call_objects.attempt(functools.partial(getattr, each, name)) for each in made]
        for name in parameters(type(made[0]))
        if hasattr(type(made[0]), name) or hasattr(made[0], name)
    }


@functools.lru_cache(None)
def keywords() -> dict[str, list[str]]:
    """Returns the keyword arguments by the names of the `TypedDict` that lists them."""
    modules = [_options, _settings, models, normalizers, _counts, record]
    kinds = [
        value for module in modules for value in vars(module).values() if typing.is_typeddict(value)
    ]
    return {kind.__name__: [*kind.__annotations__] for kind in kinds}


def parameters(call: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Returns the named parameters of a call; one named `value` where none are known."""
    try:
        found = inspect.signature(call).parameters.values()
    except (ValueError, TypeError):
        return {"value": inspect.Parameter("value", inspect.Parameter.POSITIONAL_ONLY)}
    made: dict[str, inspect.Parameter] = {}
    for each in found:
        if each.kind is each.VAR_KEYWORD:
            names = keywords().get(
                re.sub(r".*Unpack\[(.*)\].*", r"\1", str(each.annotation)), ["other"]
            )
            made |= {
                name: inspect.Parameter(name, each.KEYWORD_ONLY, default=None) for name in names
            }
        elif each.kind is each.VAR_POSITIONAL:
            made["value"] = inspect.Parameter("value", each.POSITIONAL_ONLY)
        else:
            made[each.name] = each
    return made
