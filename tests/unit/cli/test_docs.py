"""Help texts: every command has one with an example, and docs/cli.md is generated from them."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from paths import REPOSITORY
from piecework.cli import verbs
from piecework.cli.app import app

PAGE = REPOSITORY / "docs" / "cli.md"


def commands(group: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """Iterates over the names of all commands and the commands, groups left out."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{before}{name} ")
        else:
            yield f"{before}{name}", command


COMMAND = dict(commands(app))
COMMANDS = sorted(COMMAND)


def test_every_file_is_a_command() -> None:
    folder = Path(verbs.__path__[0])
    files = (file.relative_to(folder).with_suffix("") for file in folder.rglob("[a-z]*.py"))
    assert sorted(str(file).replace("_", "-").replace("/", " ") for file in files) == COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented(name: str) -> None:
    assert f"\n## `piecework {name}`\n" in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_text_has_an_example(name: str, run: Callable[..., Any]) -> None:
    help_text = run(*name.split(), "--help")
    assert help_text.code == 0
    assert f"Examples:\n    piecework {name} " in help_text.out.replace("cat *.txt | ", "")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_a_help_text(name: str) -> None:
    command = COMMAND[name]
    assert [param.name for param in command.params if not getattr(param, "help", None)] == []


LOADERS = [
    "convert",
    "corpus tokenize",
    "count",
    "decode",
    "encode",
    "evaluate",
    "explain",
    "extend",
    "inspect",
    "lint",
    "play",
    "normalize",
    "prune",
]


@pytest.mark.parametrize("name", COMMANDS)
def test_loading_options_have_their_own_section(name: str, run: Callable[..., Any]) -> None:
    help_text = run(*name.split(), "--help").out
    assert ("\nLoading options:\n" in help_text) is (name in LOADERS)
    if name in LOADERS:
        _, loading = help_text.split("\nLoading options:\n")
        loading, _ = loading.split("\n\n", 1)
        assert "--unk-token" in loading
        assert loading in run("encode", "--help").out
    assert help_text.rstrip().rpartition("\n\n")[2].startswith("Global options:\n")


def test_loading_options_are_documented_once() -> None:
    assert PAGE.read_text(encoding="utf-8").count("  --max-input-chars-per-word") == 1


def test_special_tokens_option_means_the_same_everywhere(run: Callable[..., Any]) -> None:
    commands = app.commands
    options = {
        (tuple(param.opts), tuple(param.secondary_opts), param.help)
        for command in commands.values()
        for param in command.params
        if "--special-tokens" in param.opts
    }
    assert len(options) == 1
    assert "--special-tokens " not in run("train", "--help").out


def test_cli_page_is_current() -> None:
    tool = REPOSITORY / "tools" / "make_cli_docs.py"
    done = subprocess.run(
        [sys.executable, tool, "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
