"""Writes docs/cli.md from the help texts of the commands.

python tools/make_cli_docs.py           write the page
python tools/make_cli_docs.py --check   exit with 1 if the page is out of date
"""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))

import pages

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from click import Command
    from click.testing import CliRunner


class Group(Protocol):
    """Describes a group of commands."""

    commands: "Mapping[str, Group]"


PAGE = Path(__file__).parents[1] / "docs" / "cli.md"

HEAD = """\
# Command line

<!-- Written by tools/make_cli_docs.py from the help texts: change those. -->

Data goes to standard output, everything else to standard error. A command that fails prints nothing to standard output,
except with `--stream`. `-`, or no file, is standard input. Text is UTF-8, read line by line; a line ends
at a line feed, and a carriage return before it is part of the line end. A file that is not text is an error that names its kind
and, where there is one, a command that extracts the text: compressed data, archives, tables such as Parquet and Arrow, and
documents are recognized by their first bytes, JSON lines and arrays of objects by the name (`.jsonl`, `.ndjson`) or the first
lines.

| exit code | |
|---|---|
| 0 | success, also if the reader of a pipe exits early |
| 1 | kept for findings, of commands that search for some; no error ends with 1 |
| 2 | any error, such as wrong usage or invalid input: one line on standard error says what is wrong, where, and what to do |
| 130 | interrupted |

Progress is shown only on a terminal, and never with `--no-progress`. `eval "$(piecework --show-completion bash)"` in
`~/.bashrc` lets the shell complete commands and options, likewise for `zsh` and `fish`.

"""

LOADING = """\
## Loading options

Every command that loads one tokenizer has these options. A tokenizer.json contains its normalizer and pre-tokenizer, so
the options that set them are errors there; they apply to files that contain only a vocabulary, such as a vocab.txt. A
folder with a BPE vocabulary takes `--normalizer` and `--pre-tokenizer` too.

"""


def page() -> str:
    """Returns the text of the page."""
    # Set before click is imported, so that every machine wraps lines alike.
    os.environ |= {"COLUMNS": "100", "TERMINAL_WIDTH": "100", "NO_COLOR": "1"}
    from click.testing import CliRunner

    from piecework.cli.app import app

    commands = list(names(cast("Group", app)))
    texts, shared = {}, set()
    for name in ["", *commands]:
        texts[name], loading = without_loading(helped(CliRunner(), app, name))
        shared |= {loading} - {""}
    (loading,) = shared  # all verbs have the same
    sections = [
        f"## `{f'piecework {name}'.strip()}`\n\n```text\n{text}\n```\n"
        for name, text in texts.items()
    ]
    links = "".join(
        f"* [`piecework {name}`](#piecework-{name.replace(' ', '-')})\n" for name in commands
    )
    return f"{HEAD}{links}\n{LOADING}```text\n{loading}\n```\n\n" + "\n".join(sections)


def names(group: "Group", before: str = "") -> "Iterator[str]":
    """Iterates over the names of the commands of a group, and of the groups in it."""
    for name, command in group.commands.items():
        yield f"{before}{name}"
        if hasattr(command, "commands"):
            yield from names(command, f"{before}{name} ")


def without_loading(text: str) -> tuple[str, str]:
    """Returns a help text with a reference in place of its loading options, and these options."""
    before, title, rest = text.partition("Loading options:\n")
    if not title:
        return text, ""
    loading, _, after = rest.partition("\n\n")
    return f"{before}{title}  See above.\n\n{after}", f"{title}{loading}"


def helped(runner: "CliRunner", app: "Command", name: str) -> str:
    """Returns the help text of a command, or of the program if the name is empty."""
    result = runner.invoke(app, [*name.split(), "--help"], prog_name="piecework")
    if result.exit_code:
        raise RuntimeError(
            f"piecework {name} --help: exit code {result.exit_code}\n{result.output}"
        )
    return "\n".join(line.rstrip() for line in result.output.strip().splitlines())


if __name__ == "__main__":
    pages.run(__doc__, PAGE, page)
