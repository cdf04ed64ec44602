"""The public names of `tokenizers`, those of `piecework.hf`, and the page that compares them."""

import importlib
import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from paths import REPOSITORY

PAGE = REPOSITORY / "docs" / "hf.md"
BEGIN, END = "<!-- names: made by tools/make_hf_docs.py -->\n", "<!-- end of names -->\n"
MODULES = (
    "",
    ".decoders",
    ".implementations",
    ".models",
    ".normalizers",
    ".pre_tokenizers",
    ".processors",
    ".tools",
    ".trainers",
)
_TYPING = {"Enum", "List", "Tuple", "Union"}
"""The names that `tokenizers` imports for its own use."""


def _module(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _public(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Yields the public names of a module, without those of other modules."""
    for name in sorted(dir(module)):
        value = getattr(module, name)
        if name.startswith("_") or inspect.ismodule(value) or name in _TYPING:
            continue
        yield name, value


def _members(value: Any) -> list[str]:
    """Returns the public attributes and methods of a class."""
    if not inspect.isclass(value) or value in {str, int}:
        return []
    return [name for name in dir(value) if not name.startswith("_")]


def names() -> dict[str, bool]:
    """Returns each public name of `tokenizers`, and whether `piecework.hf` has it."""
    found = {}
    for suffix in MODULES:
        theirs, ours = (_module(f"{root}{suffix}") for root in ("tokenizers", "piecework.hf"))
        assert theirs is not None
        for name, value in _public(theirs):
            own = getattr(ours, name, None) if ours is not None else None
            full = f"{suffix}.{name}".removeprefix(".")
            found[full] = own is not None
            for member in _members(value):
                found[f"{full}.{member}"] = own is not None and hasattr(own, member)
    return found


def table() -> str:
    """Returns the rows of all names outside classes, each with its members."""
    every = names()
    groups: dict[str, list[str]] = {}
    for name in every:
        owner = max(
            (other for other in groups if name.startswith(f"{other}.")), default=None, key=len
        )
        if owner is None:
            groups[name] = []
        else:
            groups[owner].append(name)
    rows = ["| name | there | attributes and methods |\n|---|---|---|\n"]
    for name, members in groups.items():
        shown = [
            f"`{member.rpartition('.')[2]}`" + ("" if every[member] else " (no)")
            for member in members
        ]
        rows.append(f"| `{name}` | {'yes' if every[name] else 'no'} | {', '.join(shown)} |\n")
    there = sum(every.values())
    return f"{there} of the {len(every)} public names of `tokenizers` are there.\n\n{''.join(rows)}"


def page() -> str:
    """Returns the page with the current table."""
    text = PAGE.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    return f"{head}{BEGIN}\n{table()}\n{END}{rest.split(END)[1]}"
