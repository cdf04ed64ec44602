"""Fixtures of the command line: a small tokenizer, its text, and two ways to run a command."""

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import piecework as pw
from piecework.cli import main

TEXT = "the cat sat on the mat\nthe hat of the cat\n\nnaïve cats\n"


class Ended(NamedTuple):
    """The exit code and output of a command."""

    code: int
    out: str
    err: str


Run = Callable[..., Ended]


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Returns a function that runs a command in this process: `run("encode", path, stdin="text")`."""

    def run_command(*words: object, stdin: str | bytes = b"") -> Ended:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        with pytest.raises(SystemExit) as end:
            main([str(word) for word in words])
        out, err = capfdbinary.readouterr()
        assert isinstance(end.value.code, int)
        return Ended(end.value.code, out.decode(), err.decode())

    return run_command


@pytest.fixture
def text_file(tmp_path: Path) -> Path:
    """Returns a file of four lines, one of them empty, one with an accent."""
    path = tmp_path / "text.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def tok() -> pw.Tokenizer:
    """Returns a tokenizer trained on the text."""
    return pw.train(TEXT.splitlines(), pw.WordPieceTrainer(50))


@pytest.fixture
def tok_file(tok: pw.Tokenizer, tmp_path: Path) -> Path:
    """Returns the tokenizer as a file."""
    path = tmp_path / "tokenizer.json"
    tok.save(path)
    return path


@pytest.fixture
def vocab_file(tok: pw.Tokenizer, tmp_path: Path) -> Path:
    """Returns its vocabulary as a file."""
    path = tmp_path / "vocab.txt"
    path.write_text("".join(f"{token}\n" for token in tok.vocab), encoding="utf-8")
    return path


@pytest.fixture
def shell(tmp_path: Path) -> Callable[[str], Ended]:
    """Returns a function that runs a line of bash with the command `piecework` in a new process."""

    def run_line(line: str) -> Ended:
        script = f'piecework() {{ "{sys.executable}" -m piecework "$@"; }}\nset -o pipefail\n{line}'
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=tmp_path,
            env=os.environ | {"COLUMNS": "100"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    return run_line
