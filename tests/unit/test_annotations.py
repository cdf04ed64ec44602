"""The annotations of public calls, which type checkers read; `tests/typing` has whole programs."""

import inspect
import re
from functools import cached_property
from types import FunctionType, ModuleType

import piecework as pw
import piecework.hf
from piecework import analysis, tokenizer
from piecework.tokenizer._udf import ArrowUdf, SparkUdf

NAMES = (pw, piecework.hf, analysis, tokenizer, ArrowUdf, SparkUdf)
CALLED = {"__call__", "__getitem__", "__init__", "__iter__"}
JSON = re.compile(r"dict\[str, Any\]")
"""The type of JSON objects, whose members have types that only their readers know."""
EXCEPTIONS = {
    r"hf\..*\.(model|normalizer|pre_tokenizer|post_processor|decoder|__getitem__)": (
        "of `tokenizers`, so that programs may read attributes of the class that they know"
    ),
    r"hf\..*\.(__init__|from_file|enable_\w+|pad)": (
        "of `tokenizers`, which ignores unknown keywords with a warning"
    ),
}
"""The functions whose annotations are `Any`, with the reasons."""


def public_functions() -> dict[str, FunctionType]:
    """Returns the functions and methods that users call, by their names within the package."""
    found: dict[str, FunctionType] = {}
    waiting: list[object] = [*NAMES]
    seen: list[object] = []
    while waiting:
        each = waiting.pop()
        if each in seen or not is_ours(each):
            continue
        seen.append(each)
        if isinstance(each, ModuleType):
            waiting += [getattr(each, name) for name in each.__all__]
        elif isinstance(each, type):
            members = inspect.getmembers_static(each)
            waiting += [
                function_of(value)
                for name, value in members
                if name in CALLED or not name.startswith("_")
            ]
        elif isinstance(each, FunctionType):
            found[f"{each.__module__}.{each.__qualname__}".removeprefix("piecework.")] = each
    return found


def is_ours(each: object) -> bool:
    name = each.__name__ if isinstance(each, ModuleType) else getattr(each, "__module__", None)
    return str(name).startswith("piecework")


def function_of(member: object) -> object:
    """Returns the function of a method or property."""
    if isinstance(member, property):
        return member.fget
    if isinstance(member, cached_property):
        return member.func
    return getattr(member, "__func__", member)


def is_exact(function: FunctionType) -> bool:
    """Returns whether neither the result nor the keywords that the function passes on are `Any`."""
    signature = inspect.signature(function)
    types = [signature.return_annotation]
    types += [p.annotation for p in signature.parameters.values() if p.kind is p.VAR_KEYWORD]
    assert inspect.Signature.empty not in types
    return not any(re.search(r"\bAny\b", JSON.sub("", str(each))) for each in types)


def test_results_and_keywords_have_exact_types() -> None:
    functions = public_functions()
    assert {"training._train.train", "tokenizer._tokenizer.Tokenizer.count"} <= functions.keys()
    inexact = sorted(name for name, function in functions.items() if not is_exact(function))
    patterns = [re.compile(pattern) for pattern in EXCEPTIONS]
    assert [name for name in inexact if not any(p.fullmatch(name) for p in patterns)] == []
    unused = [p.pattern for p in patterns if not any(map(p.fullmatch, inexact))]
    assert unused == [], "these exceptions are not needed"
