"""No tracked text file has a word that words.toml lists, except in files that it names."""

import re
import subprocess
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from paths import REPOSITORY

ROOT = REPOSITORY
LISTED = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
DOC_START = re.compile(r'^[ \t]*(?:[rR]?"""|//[/!] ?)', re.MULTILINE)


def pattern(entry: dict[str, Any]) -> re.Pattern[str]:
    """Compiles an entry; a space in it matches white space and comment marks."""
    spaced = entry["word"].replace(" ", r"[\s/#!*]+")
    return re.compile(spaced, 0 if entry.get("case") else re.IGNORECASE)


def doc_starts(text: str) -> Iterator[int]:
    """Yields where the text of each docstring and of each Rust doc comment begins."""
    for found in DOC_START.finditer(text):
        before = text[: found.start()].rpartition("\n")[0].rpartition("\n")[2]
        if not (found[0].lstrip().startswith("//") and before.lstrip().startswith(("///", "//!"))):
            yield found.end()


def lines_with(entry: dict[str, Any], text: str) -> list[int]:
    """Returns the numbers of the lines, from 1, at which the word of an entry begins."""
    word = pattern(entry)
    if entry.get("start"):
        places = [at for at in doc_starts(text) if word.match(text, at)]
    else:
        places = [found.start() for found in word.finditer(text)]
    return [text.count("\n", 0, at) + 1 for at in places]


def among(path: str, globs: list[str]) -> bool:
    """Returns whether a path matches one of the globs; `*` also matches slashes."""
    return any(fnmatchcase(path, glob) for glob in globs)


@cache
def texts() -> dict[str, str]:
    """Returns all tracked text files by path, without the ignored ones."""
    if not (ROOT / ".git").exists():
        pytest.skip("no repository, which lists the files")
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    paths = [path for path in done.stdout.decode().split("\0") if path and (ROOT / path).is_file()]
    return {
        path: (ROOT / path).read_text(encoding="utf-8")
        for path in paths
        if not among(path, LISTED["ignored"])
    }


def findings(entry: dict[str, Any], paths: dict[str, str]) -> list[str]:
    """Returns `path:line` for each place with the word of an entry."""
    return [f"{path}:{line}" for path, text in paths.items() for line in lines_with(entry, text)]


@pytest.mark.parametrize("entry", LISTED["words"], ids=lambda entry: entry["word"])
def test_the_word_is_not_written(entry: dict[str, Any]) -> None:
    excepted = entry.get("except", [])
    found = findings(entry, {p: text for p, text in texts().items() if not among(p, excepted)})
    assert not found, f"write {entry['instead']!r} in {', '.join(found)}"


def test_every_exception_is_needed() -> None:
    for entry in LISTED["words"]:
        for glob in entry.get("except", []):
            covered = {path: text for path, text in texts().items() if fnmatchcase(path, glob)}
            assert findings(entry, covered), f"{entry['word']}: {glob} is not needed"


def entry_of(word: str) -> dict[str, Any]:
    """Returns the entry with this word."""
    (entry,) = (entry for entry in LISTED["words"] if entry["word"] == word)
    return entry


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("the fast path", []),
        ("a broad road\n", [1]),
        ("line\nRoads\nROAD", [2, 3]),
        ("broadcast, abroad, railroad", []),
    ],
)
def test_a_word_is_found_with_its_line(text: str, lines: list[int]) -> None:
    assert lines_with(entry_of(r"\broads?\b"), text) == lines


@pytest.mark.parametrize("text", ["so many", "So\n    many", "/// so\n/// many", "# so\n# many"])
def test_a_phrase_is_found_across_lines(text: str) -> None:
    assert lines_with(entry_of(r"\bso many\b"), text) == [1]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('def f():\n    """The same, reversed."""\n', [2]),
        ('def f():\n    r"""The same."""\n', [2]),
        ("/// The same of a range.\nfn f() {}\n", [1]),
        ("//! The same.\n", [1]),
        ("/// Returns a text.\n/// The same text is returned twice.\nfn f() {}\n", []),
        ('"""Returns the same text."""\n', []),
        ("// The same as above.\n", []),
    ],
)
def test_a_start_is_found_only_at_the_start_of_a_doc(text: str, lines: list[int]) -> None:
    assert lines_with(entry_of(r"The same\b"), text) == lines


def test_the_case_of_letters_counts_where_the_list_says_so() -> None:
    entry = entry_of(r"`Encodings`|\.Encodings\b|\bclass Encodings\b")
    text = "`Encodings`\n`encodings`\npw.Encodings\nEncodings have names"
    assert lines_with(entry, text) == [1, 3]


@pytest.mark.parametrize(
    ("text", "lines"),
    [("save(nearest=True)", [1]), ("convert --nearest", [1]), ("the nearest decoder", [])],
)
def test_former_names_are_found(text: str, lines: list[int]) -> None:
    (entry,) = (e for e in LISTED["words"] if e["instead"].startswith("approximate="))
    assert lines_with(entry, text) == lines


def test_every_entry_says_what_to_write() -> None:
    for entry in LISTED["words"]:
        assert entry["instead"]
        assert set(entry) <= {"word", "instead", "case", "start", "except"}
