"""The page of error classes has all of them, with the exceptions of Python that they are."""

from __future__ import annotations

import builtins
import re

import pytest

import piecework as pw
from paths import REPOSITORY

ROW = re.compile(r"^\| `(\w+)` \| `(\w+)` \|", re.MULTILINE)
ROWS = ROW.findall((REPOSITORY / "docs" / "errors.md").read_text(encoding="utf-8"))


def test_all_classes_have_a_row() -> None:
    assert sorted(name for name, _ in ROWS) == sorted(pw.errors.__all__)


@pytest.mark.parametrize(("name", "base"), ROWS)
def test_a_class_is_the_named_exception(name: str, base: str) -> None:
    known = getattr(builtins, base, None) or getattr(pw.errors, base)
    assert issubclass(getattr(pw.errors, name), known)
