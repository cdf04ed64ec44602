"""Files and folders that the pages name exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from paths import REPOSITORY

PAGES = sorted(
    page
    for pattern in ("*.md", "docs/*.md", "spec/*.md")
    for page in REPOSITORY.glob(pattern)
    if page.name != "CHANGELOG.md"  # its history names files that were removed
)
# Source files by name or path, and folders by a path that ends in a slash.
NAMED = re.compile(r"`([\w./-]+\.(?:rs|py|pyi|toml|sh|js)|[\w.-]+(?:/[\w.-]+)*/)`")
# Made by programs that the page names.
MADE = {"fuzz/artifacts/"}
FOLDERS = ("python", "crates", "tests", "tools", "bench", "examples", "fuzz", "docs", "spec")


def sources() -> set[str]:
    """Returns the paths of all source files, each from a slash on."""
    files = (file for folder in FOLDERS for file in (REPOSITORY / folder).rglob("*"))
    found = {f"/{file.relative_to(REPOSITORY).as_posix()}" for file in files if file.is_file()}
    return found | {f"/{file.name}" for file in REPOSITORY.iterdir() if file.is_file()}


@pytest.fixture(scope="module")
def all_sources() -> set[str]:
    return sources()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(REPOSITORY).as_posix())
def test_files_exist(page: Path, all_sources: set[str]) -> None:
    named = set(NAMED.findall(page.read_text(encoding="utf-8"))) - MADE
    missing = {
        name
        for name in named
        if not any(
            path.endswith(f"/{name}") or (name.endswith("/") and f"/{name}" in path)
            for path in all_sources
        )
    }
    assert missing == set()
