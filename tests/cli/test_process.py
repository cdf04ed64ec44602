"""What only a process of its own shows: pipes, signals, start-up, completion."""

import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import piecework as pw

if sys.platform != "win32":
    import pty

terminals = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")

Shell = Callable[[str], Any]


def test_both_ways_to_start(shell: Shell) -> None:
    assert shell("piecework --version").out == f"piecework {pw.__version__}\n"
    assert (
        shell(f"{sys.executable} -c 'from piecework.cli import main; main()' --version").code == 0
    )


def test_help_is_light(shell: Shell) -> None:
    script = "import sys\nfrom piecework.cli import main\ntry:\n    main(['train', '--help'])\nexcept SystemExit:\n    print(*sys.modules)"
    loaded = shell(f'{sys.executable} -c "{script}"').out.split()
    assert "piecework.cli.app" in loaded
    assert not {"numpy", "piecework._core", "rich"}.intersection(loaded)


def test_no_command(shell: Shell) -> None:
    ended = shell("piecework")
    assert ended.code in (0, 2)
    assert "Usage: piecework" in ended.out + ended.err


def test_an_unknown_command(shell: Shell) -> None:
    ended = shell("piecework frobnicate")
    assert (ended.code, ended.out) == (2, "")
    assert "frobnicate" in ended.err


@pytest.mark.parametrize("stream", ["", "--stream"])
def test_a_broken_pipe_is_no_error(shell: Shell, tok_file: Path, stream: str) -> None:
    lines = tok_file.parent / "many.txt"
    lines.write_text("the cat sat on the mat\n" * 20_000, encoding="utf-8")
    ended = shell(f"piecework encode {tok_file} {lines} {stream} | head -1")
    assert ended.code == 0, ended.err
    assert ended.out.count("\n") == 1
    assert ended.err == ""


def test_a_help_text_that_nobody_reads(shell: Shell) -> None:
    ended = shell("piecework train --help | true")
    assert (ended.code, ended.err) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this machine")
def test_a_full_disk(shell: Shell, tok_file: Path) -> None:
    ended = shell(f"echo cat | piecework encode {tok_file} >/dev/full")
    assert ended.code == 2
    assert ended.err.startswith("error: ")
    assert ended.err.count("\n") == 1


def test_a_pipeline(shell: Shell, tok_file: Path) -> None:
    ended = shell(f"echo the cat | piecework encode {tok_file} - | piecework decode {tok_file} -")
    assert (ended.code, ended.out, ended.err) == (0, "the cat\n", "")


def test_stream_does_not_wait_for_the_end(tok_file: Path) -> None:
    words = [sys.executable, "-m", "piecework", "encode", tok_file, "--stream", "--tokens"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"the cat\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"[CLS] the cat [SEP]\n"
        process.stdin.close()
        assert process.wait(60) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals of another kind")
def test_ctrl_c(tok_file: Path) -> None:
    words = [sys.executable, "-m", "piecework", "encode", tok_file, "--stream"]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"the cat\n")
        process.stdin.flush()
        process.stdout.readline()
        started = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert time.monotonic() - started < 5
        assert process.stderr
        assert b"Traceback" not in process.stderr.read()


def test_colours_and_progress_are_for_terminals(
    shell: Shell, tok_file: Path, text_file: Path
) -> None:
    for words in (f"inspect {tok_file}", f"count {tok_file} {text_file}"):
        ended = shell(f"piecework {words}")
        assert "\x1b" not in ended.out + ended.err


def on_a_terminal(words: list[object], **environment: str) -> str:
    """Gives what Python writes, given these words, to a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, *map(str, words)],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env={k: v for k, v in os.environ.items() if k != "NO_COLOR"}
        | {"TERM": "xterm"}
        | environment,
    ) as process:
        os.close(theirs)
        shown = b"".join(iter(lambda: read_some(ours), b""))
        assert process.wait(60) == 0
    os.close(ours)
    return shown.decode()


@terminals
def test_progress_is_shown_on_a_terminal() -> None:
    script = """
        from piecework import Progress
        from piecework.cli.progress import bar
        with bar(hidden=%s) as show:
            show(Progress("counting", 1, 2))
    """
    words, hidden = (["-c", textwrap.dedent(script % value)] for value in (False, True))
    colour = re.compile(r"\x1b\[[39]\d")
    shown = on_a_terminal(words)
    assert "counting" in shown
    assert colour.search(shown)
    assert not colour.search(on_a_terminal(words, NO_COLOR="1"))
    assert on_a_terminal(hidden) == ""


@terminals
def test_no_progress(text_file: Path, tmp_path: Path) -> None:
    words = ["train", text_file, "-o", tmp_path / "t.json", "--vocab-size", 40, "--no-progress"]
    assert "\x1b" not in on_a_terminal(["-m", "piecework", *words])


@terminals
def test_a_table_on_a_terminal(tok_file: Path) -> None:
    shown = on_a_terminal(["-m", "piecework", "inspect", tok_file, "--token", "cat"])
    assert "\x1b[1mprobability" in shown


def read_some(terminal: int) -> bytes:
    """Gives what a program wrote to a terminal; nothing when it has ended."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""


def test_completion(shell: Shell) -> None:
    assert "piecework" in shell("_PIECEWORK_COMPLETE=source_bash piecework").out
    completed = shell(
        "COMP_WORDS='piecework ins' COMP_CWORD=1 _PIECEWORK_COMPLETE=complete_bash piecework"
    )
    assert completed.out.split() == ["inspect"]
