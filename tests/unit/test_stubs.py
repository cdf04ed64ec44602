"""The stubs have exactly the public names of the compiled core.

`mypy.stubtest`, which `make lint` runs, compares signatures, but ignores names missing in the stubs.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import piecework
from piecework import _core

STUBS = sorted((Path(piecework.__file__).parent / "_core").glob("_[a-z]*.pyi"))


def public(names: set[str]) -> set[str]:
    """Returns the names that a stub must have: no private names, and none that every object has."""
    inherited = {
        "__new__",
        "__eq__",
        "__ne__",
        "__lt__",
        "__le__",
        "__gt__",
        "__ge__",
        "__hash__",
        "__repr__",
    }
    return {
        n for n in names if not n.startswith("_") or (n.startswith("__") and n not in inherited)
    }


def stubbed() -> dict[str, ast.stmt]:
    """Returns the public classes and functions of all stubs by name; others are types for stubs alone."""
    bodies = [ast.parse(stub.read_text(encoding="utf-8")).body for stub in STUBS]
    return {
        s.name: s
        for body in bodies
        for s in body
        if isinstance(s, ast.ClassDef | ast.FunctionDef) and not s.name.startswith("_")
    }


def test_every_name_has_a_stub() -> None:
    compiled = {name for name in vars(_core) if not name.startswith("_")}
    assert compiled == stubbed().keys()


@pytest.mark.parametrize(
    "name", sorted(n for n, s in stubbed().items() if isinstance(s, ast.ClassDef))
)
def test_every_method_has_a_stub(name: str) -> None:
    statement = stubbed()[name]
    assert isinstance(statement, ast.ClassDef)
    methods = {s.name for s in statement.body if isinstance(s, ast.FunctionDef)}
    skipped = {"__doc__", "__module__"}
    assert public(set(vars(getattr(_core, name)))) - skipped == public(methods)


@pytest.mark.parametrize("name", sorted(stubbed()))
def test_everything_is_documented(name: str) -> None:
    statement = stubbed()[name]
    assert ast.get_docstring(statement)
    for method in getattr(statement, "body", []):
        if isinstance(method, ast.FunctionDef) and not method.name.startswith("__"):
            assert ast.get_docstring(method), method.name
