"""The code blocks of README.md, README.zh-CN.md and docs/ run and print what they show.

The blocks of one file run in order, in one folder that is empty at first and, for Python, in one namespace:

* ```` ```python ```` is executed; one with `>>>` is a doctest, so what it prints is compared.
* ```` ```console ```` holds `$ piecework ...` commands, each followed by what it prints, if that is
  shown; `...` matches anything. A command that fails is a failure.
* Any other block (```` ```sh ````, ```` ```text ````) is for the reader and is not run.
"""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from paths import REPOSITORY

READMES = ("README.md", "README.zh-CN.md")
EXECUTED = ("python", "console")
FENCE = re.compile(
    r"^```(?P<language>[\w-]*)[^\n]*\n(?P<text>.*?)^```[ ]*$", re.MULTILINE | re.DOTALL
)
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Block(NamedTuple):
    """A fenced block: its language, its text, and the line of the file where its text begins."""

    language: str
    text: str
    line: int


class Command(NamedTuple):
    """A command of a console block, and the output shown below it."""

    words: str
    shown: str


def blocks_of(text: str) -> list[Block]:
    """Returns the executable blocks of a Markdown text."""
    found = (
        Block(match["language"], match["text"], text.count("\n", 0, match.start("text")) + 1)
        for match in FENCE.finditer(text)
    )
    return [block for block in found if block.language in EXECUTED]


def commands_of(block: Block) -> list[Command]:
    """Returns the commands of a console block; a `\\` at the end of a line continues it."""
    _, *parts = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
    split = (re.fullmatch(r"((?:[^\n]*\\\n)*[^\n]*)\n?(.*)", part, re.DOTALL) for part in parts)
    return [Command(found[1], found[2]) for found in split if found]


def run_python(block: Block, place: str, namespace: dict[str, Any]) -> None:
    """Executes a Python block; a traceback names the line of the README."""
    if ">>> " not in block.text:
        padded = "\n" * (block.line - 1) + block.text
        exec(compile(padded, place, "exec"), namespace)
        return
    test = doctest.DocTestParser().get_doctest(block.text, {}, place, place, block.line - 1)
    test.globs = namespace
    report: list[str] = []
    failed, _ = doctest.DocTestRunner(optionflags=OPTIONS).run(
        test, out=report.append, clear_globs=False
    )
    assert not failed, "".join(report)


def run_console(block: Block, place: str, folder: Path) -> None:
    """Runs the commands of a console block and compares what they print."""
    commands = commands_of(block)
    assert commands, f"{place}:{block.line}: a console block without a `$ ` line"
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "NO_COLOR": "1", "COLUMNS": "100", "PYTHONUTF8": "1"}
    for words, shown in commands:
        where = f"{place}:{block.line}: $ {words}"
        assert re.search(r"\bpiecework\b", words), f"{where}\nset-up belongs into a ```sh block"
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", words],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, f"{where}\nexit code {done.returncode}\n{done.stderr}"
        same = doctest.OutputChecker().check_output(shown, done.stdout, OPTIONS)
        assert same or not shown.strip(), f"{where}\nshown:\n{shown}\nprinted:\n{done.stdout}"


def text_of(name: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8")


PAGES = [f"docs/{path.name}" for path in sorted((REPOSITORY / "docs").glob("*.md"))]
EXECUTED_PAGES = [name for name in PAGES if blocks_of(text_of(name))]


@pytest.mark.parametrize("name", [*READMES, *EXECUTED_PAGES])
def test_blocks_print_what_they_show(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = blocks_of(text_of(name))
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks:
        if block.language == "python":
            run_python(block, name, namespace)
        else:
            run_console(block, name, tmp_path)


def skeleton(text: str) -> list[str]:
    """Returns the kinds of the parts of a page in order: headings, blocks, tables with their size."""
    rows = re.compile(r"(?:^\|[^\n]*\n)+", re.MULTILINE)
    blocks = list(FENCE.finditer(text))
    parts = [(match.start(), f"```{match['language']}") for match in blocks]
    parts += [
        (match.start(), match[0])
        for match in re.finditer(r"^#+(?= )", text, re.MULTILINE)
        if not any(block.start() <= match.start() < block.end() for block in blocks)
    ]
    parts += [
        (match.start(), f"table of {match[0].count(chr(10))}") for match in rows.finditer(text)
    ]
    return [kind for _, kind in sorted(parts)]


def test_both_languages_have_equal_sections_and_blocks() -> None:
    english, chinese = (skeleton(text_of(name)) for name in READMES)
    assert english == chinese
    assert {"##", "```python", "```console"} <= set(english)


@pytest.mark.parametrize("name", READMES)
def test_readme_is_short(name: str) -> None:
    assert text_of(name).count("\n") <= 120


@pytest.mark.parametrize("name", [*READMES, *PAGES])
def test_relative_links_exist(name: str) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#\s]+)", text_of(name))
    folder = (REPOSITORY / name).parent
    assert [link for link in links if not (folder / link).exists()] == []


def test_every_page_is_in_the_index() -> None:
    named = set(re.findall(r"\]\((\w[\w-]*\.md)\)", text_of("docs/index.md")))
    assert {f"docs/{name}" for name in named} == set(PAGES) - {"docs/index.md"}


MARKDOWN = """Text.

```python
x = 1
```

```sh
false
```

```console
$ piecework a \\
    b
one
two
$ piecework c
```
"""


def test_blocks_have_line_numbers() -> None:
    python, console = blocks_of(MARKDOWN)
    assert python == Block("python", "x = 1\n", 4)
    assert console.line == 12
    assert commands_of(console) == [
        Command("piecework a \\\n    b", "one\ntwo\n"),
        Command("piecework c", ""),
    ]


@pytest.mark.parametrize("text", ["x = 1 / 0\n", ">>> 1 + 1\n3\n"])
def test_wrong_python_block_fails(text: str) -> None:
    with pytest.raises((ZeroDivisionError, AssertionError)):
        run_python(Block("python", text, 1), "README.md", {})


@pytest.mark.parametrize(
    "text",
    [
        "piecework --help\n",  # no prompt
        "$ make demo\n",  # not the project's command
        "$ piecework no-such-verb\n",  # fails
        "$ echo piecework\nsomething else\n",  # prints another text
    ],
)
def test_wrong_console_block_fails(text: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        run_console(Block("console", text, 1), "README.md", tmp_path)


def test_correct_console_block_passes(tmp_path: Path) -> None:
    text = "$ echo piecework and more\npiecework ... more\n$ echo piecework >file\n"
    run_console(Block("console", text, 1), "README.md", tmp_path)
    assert (tmp_path / "file").read_text(encoding="utf-8") == "piecework\n"
