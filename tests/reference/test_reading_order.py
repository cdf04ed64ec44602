"""The head of `piecework.reference` lists its files in an order in which each builds on earlier ones."""

import ast
import re
from pathlib import Path

import pytest

from piecework import reference

PACKAGE = "piecework.reference"
FOLDER = Path(reference.__file__).parent
NOT_IN_ORDER = {"mini"}  # to be read first, and independent of the rest


def listed() -> list[str]:
    """Returns the files in the order of the docstring, as `folder.file`, or `file` outside folders."""
    names: list[str] = []
    folder = ""
    for line in (reference.__doc__ or "").splitlines():
        if heading := re.match(r" {4}(\w+)/ +\S", line):
            folder = heading[1]
        elif entry := re.match(r" {6}(\w+) +\S", line):
            names.append(f"{folder}.{entry[1]}")
        elif entry := re.match(r" {4}(\w+) +\S", line):
            names.append(entry[1])
    return names


def imported(name: str) -> set[str]:
    """Returns the listed files that a file imports, as `folder.file`."""
    tree = ast.parse((FOLDER / f"{name.replace('.', '/')}.py").read_text(encoding="utf-8"))
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE):
            module = (node.module or "").removeprefix(PACKAGE).removeprefix(".")
            inside = {f"{module}.{alias.name}" for alias in node.names}
            found |= {module} if "." in module or module == "tokenizer" else inside
    return found


def test_every_file_is_listed_once() -> None:
    files = {
        ".".join(path.relative_to(FOLDER).with_suffix("").parts)
        for path in FOLDER.rglob("*.py")
        if not path.stem.startswith("__") and path.parent.name not in NOT_IN_ORDER
    }
    assert sorted(listed()) == sorted(files)


@pytest.mark.parametrize("name", listed())
def test_a_file_imports_only_files_above_it(name: str) -> None:
    order = listed()
    below = order[order.index(name) :]
    assert not imported(name) & set(below)
    assert imported(name) <= set(order)


def test_imports_are_found() -> None:
    assert {"numbers.floats", "model.lattice"} <= imported("learn.unigram_train")
    assert "model.wordpiece" in imported("tokenizer")
