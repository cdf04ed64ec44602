"""Usage errors of all commands: one line and exit code 2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import pytest

from piecework.cli import main
from piecework.cli.app import app

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def commands(command: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Iterates over the names of all commands."""
    command = command or app
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, (*path, name))
    if not isinstance(command, click.Group):
        yield path


COMMANDS = list(commands())
OTHERS = [
    ("frobnicate",),
    ("--frobnicate",),
    ("encode",),
    ("encode", "VOCAB", "--threads"),
    ("encode", "VOCAB", "--threads", "x"),
    ("encode", "VOCAB", "--threads", "-1"),
    ("encode", "VOCAB", "--max-length", "1e3"),
    ("train", "VOCAB", "-o", "x.json", "--model", "foo"),
    ("train", "VOCAB", "-o", "x.json", "--vocab"),
    ("inspect", "VOCAB", "extra"),
    ("evaluate", "VOCAB", "--fail-over", "x"),
    ("corpus", "frobnicate"),
]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[Any, str, str]:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    captured = capsys.readouterr()
    return end.value.code, captured.out, captured.err


def assert_one_line(result: tuple[Any, str, str]) -> None:
    code, out, err = result
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: ")


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_an_unknown_option_of_each_command(
    command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert_one_line(run(capsys, *command, "--frobnicate"))


@pytest.mark.parametrize("arguments", OTHERS, ids=" ".join)
def test_other_usage_errors(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    vocab = tmp_path / "vocab.txt"
    vocab.write_text("[UNK]\nhug\n")
    assert_one_line(run(capsys, *(str(vocab) if each == "VOCAB" else each for each in arguments)))


@pytest.mark.parametrize("arguments", [(), ("corpus",)], ids=["program", "group"])
def test_without_arguments_the_help_is_an_error(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"Usage: {' '.join(('piecework', *arguments))} ")


@pytest.mark.parametrize("command", [(), ("corpus",), *COMMANDS], ids=" ".join)
def test_help_of_each_command(command: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *command, "--help")
    assert (code, err) == (0, "")
    assert out.startswith("Usage: piecework")
    assert "--help" in out
