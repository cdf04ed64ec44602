"""Imports the names of a package on their first use, so that a program loads only what it calls."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def lazily(
    package: str, modules: Mapping[str, str], others: Mapping[str, str] | None = None
) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Returns `__getattr__`, `__dir__` and `__all__` of a package, whose `__init__.pyi` imports the same names.

    Args:
        package: The name of the package.
        modules: The modules below the package, each with the names that the package has of it, separated by spaces. A module
            without underscore or point in its name is public, too.
        others: Names of other libraries, with what replaces them.

    >>> get, _, names = lazily("piecework", {"errors": "", "patterns": "Regex"})
    >>> names, get("Regex").__name__
    (['Regex', 'errors', 'patterns'], 'Regex')
    """
    module_of = {
        name: f"{package}.{module}" for module, names in modules.items() for name in names.split()
    }
    public = {module for module in modules if module.isidentifier() and module[0] != "_"}

    def get(name: str) -> object:
        if name in public:
            return importlib.import_module(f"{package}.{name}")
        if name not in module_of:
            problem = f"module {package!r} has no attribute {name!r}"
            hint = (others or {}).get(name)
            raise AttributeError(f"{problem}; {hint}" if hint else problem, name=name)
        value: object = getattr(importlib.import_module(module_of[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    every = sorted([*module_of, *public])
    return get, lambda: every, every
