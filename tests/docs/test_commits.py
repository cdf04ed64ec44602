"""The hook for commit subjects, in .pre-commit-config.yaml, accepts what CONTRIBUTING.md describes."""

import re

import pytest

from paths import REPOSITORY

CONFIG = (REPOSITORY / ".pre-commit-config.yaml").read_text(encoding="utf-8")
PATTERNS = re.findall(r"entry: '(.*)'", CONFIG)
LONGEST = "core: " + "x" * 66


def accepted(message: str) -> bool:
    """Returns whether the hook accepts a message; pre-commit searches the whole file."""
    (pattern,) = PATTERNS
    return re.search(pattern, message, re.MULTILINE | re.DOTALL) is not None


@pytest.mark.parametrize(
    "message",
    ["core: read files in blocks", "docs: add a page\n", LONGEST, f"{LONGEST}\n\nA body.\n"],
)
def test_subjects_with_an_area_are_accepted(message: str) -> None:
    assert accepted(message)


@pytest.mark.parametrize(
    "message",
    ["", "Read files", "Core: read files", "core:", f"{LONGEST}x", "core: read\nfiles in blocks"],
)
def test_other_subjects_are_refused(message: str) -> None:
    assert not accepted(message)
