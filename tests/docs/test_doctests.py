"""Stubs of the compiled core: their examples run, and every public name is documented.

The docstrings of Python modules are run by `pytest --doctest-modules` (`make docs-check`), which
sees neither a stub nor a compiled module.
"""

import ast
import doctest
from collections.abc import Iterator
from pathlib import Path

import pytest

from paths import REPOSITORY

STUBS = sorted((REPOSITORY / "python" / "piecework" / "_core").glob("*.pyi"))
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
Documented = ast.ClassDef | ast.FunctionDef


def definitions(body: list[ast.stmt], within: str = "") -> Iterator[tuple[str, Documented]]:
    """Returns each class, function and method of a stub with its dotted name."""
    for node in body:
        if isinstance(node, Documented):
            name = f"{within}{node.name}"
            yield name, node
            if isinstance(node, ast.ClassDef):
                yield from definitions(node.body, f"{name}.")


def documented(stub: Path) -> Iterator[tuple[str, str, int]]:
    """Returns the name, docstring and line of everything in a stub that has a docstring."""
    tree = ast.parse(stub.read_text(encoding="utf-8"))
    nodes: list[tuple[str, ast.Module | Documented]] = [("module", tree)]
    for name, node in [*nodes, *definitions(tree.body)]:
        if text := ast.get_docstring(node):
            yield name, text, node.body[0].lineno


def is_overload_or_setter(node: Documented) -> bool:
    """Returns whether another definition of the same name has the docstring."""
    return any(
        "overload" in (text := ast.unparse(d)) or "setter" in text for d in node.decorator_list
    )


def test_stubs_exist() -> None:
    assert STUBS


@pytest.mark.parametrize("stub", STUBS, ids=lambda stub: stub.name)
def test_every_public_name_is_documented(stub: Path) -> None:
    tree = ast.parse(stub.read_text(encoding="utf-8"))
    silent = [
        name
        for name, node in definitions(tree.body)
        if not any(part.startswith("_") for part in name.split("."))
        and not is_overload_or_setter(node)
        and not ast.get_docstring(node)
    ]
    assert not silent


@pytest.mark.parametrize("stub", STUBS, ids=lambda stub: stub.name)
def test_examples_of_stubs_run(stub: Path) -> None:
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    report: list[str] = []
    for name, text, line in documented(stub):
        example = doctest.DocTestParser().get_doctest(text, {}, name, str(stub), line)
        runner.run(example, out=report.append)
    assert not runner.summarize(verbose=False).failed, "".join(report)
