"""The command as a process: pipes, signals, start-up, completion."""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import piecework as pw

if sys.platform != "win32":
    import pty

pytestmark = pytest.mark.slow  # each test starts processes
terminals = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")

Shell = Callable[[str], Any]


def test_command_and_entry_point_start(shell: Shell) -> None:
    assert shell("piecework --version").out == f"piecework {pw.__version__}\n"
    assert (
        shell(f"{sys.executable} -c 'from piecework.cli import main; main()' --version").code == 0
    )


def test_help_imports_few_modules(shell: Shell) -> None:
    script = "import sys\nfrom piecework.cli import main\ntry:\n    main(['train', '--help'])\nexcept SystemExit:\n    print(*sys.modules)"
    loaded = shell(f'{sys.executable} -c "{script}"').out.split()
    assert "piecework.cli.app" in loaded
    assert not {"numpy", "piecework._core", "rich"}.intersection(loaded)


def test_no_command_prints_usage(shell: Shell) -> None:
    ended = shell("piecework")
    assert ended.code in (0, 2)
    assert "Usage: piecework" in ended.out + ended.err


def test_unknown_command_is_refused(shell: Shell) -> None:
    ended = shell("piecework frobnicate")
    assert (ended.code, ended.out) == (2, "")
    assert "frobnicate" in ended.err


@pytest.mark.parametrize("stream", ["", "--stream"])
def test_broken_pipe_is_no_error(shell: Shell, tok_file: Path, stream: str) -> None:
    lines = tok_file.parent / "many.txt"
    lines.write_text("the cat sat on the mat\n" * 20_000, encoding="utf-8")
    ended = shell(f"piecework encode {tok_file} {lines} {stream} | head -1")
    assert ended.code == 0, ended.err
    assert ended.out.count("\n") == 1
    assert ended.err == ""


def test_unread_help_text_is_no_error(shell: Shell) -> None:
    ended = shell("piecework train --help | true")
    assert (ended.code, ended.err) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this machine")
def test_full_disk_is_an_error(shell: Shell, tok_file: Path) -> None:
    ended = shell(f"echo cat | piecework encode {tok_file} >/dev/full")
    assert ended.code == 2
    assert ended.err.startswith("error: ")
    assert ended.err.count("\n") == 1


def test_encode_piped_to_decode(shell: Shell, tok_file: Path) -> None:
    ended = shell(f"echo the cat | piecework encode {tok_file} - | piecework decode {tok_file} -")
    assert (ended.code, ended.out, ended.err) == (0, "the cat\n", "")


def test_stream_prints_each_line_at_once(tok_file: Path) -> None:
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
def test_ctrl_c_ends_the_process(tok_file: Path) -> None:
    words = [sys.executable, "-m", "piecework", "encode", tok_file, "--stream"]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"the cat\n")
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr
        assert b"Traceback" not in process.stderr.read()


def test_output_without_terminal_has_no_escape_codes(
    shell: Shell, tok_file: Path, text_file: Path
) -> None:
    for words in (f"inspect {tok_file}", f"count {tok_file} {text_file}"):
        ended = shell(f"piecework {words}")
        assert "\x1b" not in ended.out + ended.err


def on_a_terminal(words: list[object], **environment: str) -> str:
    """Runs Python with these arguments on a terminal and returns its output."""
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
        output = b"".join(iter(lambda: read_some(ours), b""))
        assert process.wait(60) == 0
    os.close(ours)
    return output.decode()


@terminals
def test_progress_is_shown_on_a_terminal() -> None:
    script = """
        from piecework import Progress
        from piecework.cli.progress import bar
        with bar(hidden=%s) as show:
            show(Progress("counting", 1, 2))
    """
    words, hidden = (["-c", textwrap.dedent(script % value)] for value in (False, True))
    output = on_a_terminal(words)
    assert "counting: 1 of 2 (50%), 0:00:00" in output
    assert output.endswith("\r\x1b[K")
    assert on_a_terminal(hidden) == ""


@terminals
def test_no_progress_option(text_file: Path, tmp_path: Path) -> None:
    words = ["train", text_file, "-o", tmp_path / "t.json", "--vocab-size", 40, "--no-progress"]
    assert "\x1b" not in on_a_terminal(["-m", "piecework", *words])


@terminals
def test_a_table_on_a_terminal_is_that_in_a_pipe(tok_file: Path) -> None:
    output = on_a_terminal(["-m", "piecework", "inspect", tok_file, "--token", "cat"])
    assert "\nprobability  " in output.replace("\r", "")
    assert "\x1b" not in output


@terminals
def test_a_comparison_is_divided_on_a_narrow_terminal(tok_file: Path) -> None:
    words = ["-m", "piecework", "compare", "the cat sat on the mat", "-t", tok_file]
    assert "count" in on_a_terminal(words, COLUMNS="300")
    width = len(tok_file.name) + 20
    output = on_a_terminal(words, COLUMNS=str(width))
    title, *lines = output.splitlines()
    parts = "\n".join(lines).rstrip().split("\n\n")
    assert title == "the cat sat on the mat"
    assert len(parts) > 1
    assert all(part.startswith(tok_file.name) for part in parts)
    assert max(map(len, output.splitlines())) <= width


def read_some(terminal: int) -> bytes:
    """Returns new output on a terminal; empty if the program has ended."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""


def test_shell_completion(shell: Shell) -> None:
    assert "piecework" in shell("_PIECEWORK_COMPLETE=bash_source piecework").out
    completed = shell(
        "COMP_WORDS='piecework ins' COMP_CWORD=1 _PIECEWORK_COMPLETE=bash_complete piecework"
    )
    assert completed.out.split() == ["plain,inspect"]


# Closed and full streams, and files that are not text

CLOSED_INPUT = {
    "encode": "encode {tok}",
    "encode, stream": "encode {tok} --stream",
    "count": "count {tok}",
    "decode": "decode {tok}",
    "count-words": "count-words",
    "count-words, latin-1": "count-words --encoding latin-1",
    "train": "train - -o new.json --vocab-size 50",
    "train, counts": "train --counts - -o new.json --vocab-size 50",
    "train, symbols": "train {text} -o new.json --vocab-size 50 --user-defined-symbols-file -",
}


@pytest.mark.skipif(sys.platform == "win32", reason="shells of another kind")
@pytest.mark.parametrize("name", CLOSED_INPUT)
def test_closed_standard_input_is_an_error(
    name: str, shell: Shell, tok_file: Path, text_file: Path
) -> None:
    command = CLOSED_INPUT[name].format(tok=tok_file, text=text_file)
    ended = shell(f"piecework {command} <&-")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "error: standard input: the stream is closed\n"


OUTPUT = {
    "version": "--version",
    "help": "--help",
    "help of a verb": "train --help",
    "encode": "encode {tok} {text}",
    "encode, stream": "encode {tok} {text} --stream",
    "count": "count {tok} {text}",
    "count-words": "count-words {text}",
    "decode": "decode {tok} {ids}",
    "decode, stream": "decode {tok} {ids} --stream",
    "inspect": "inspect {tok}",
    "explain": "explain {tok} cat",
    "compare": "compare cat -t {tok}",
    "train": "train {text} -o new.json --vocab-size 50 --trace",
}


@pytest.mark.skipif(sys.platform == "win32", reason="shells of another kind")
@pytest.mark.parametrize("target", [">/dev/full", ">&-"])
@pytest.mark.parametrize("name", OUTPUT)
def test_unwritable_standard_output_is_an_error(
    name: str, target: str, shell: Shell, tok_file: Path, text_file: Path
) -> None:
    if "full" in target and not Path("/dev/full").exists():
        pytest.skip("no /dev/full on this machine")
    ids = tok_file.with_name("ids")
    ids.write_text("1 2 3\n", encoding="utf-8")
    command = OUTPUT[name].format(tok=tok_file, text=text_file, ids=ids)
    ended = shell(f"piecework {command} {target}")
    why = "No space left on device" if "full" in target else "the stream is closed"
    assert ended.code == 2
    assert [line for line in ended.err.splitlines() if not line.startswith("warning")] == [
        f"error: standard output: {why}"
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="shells of another kind")
def test_unused_closed_streams_are_no_error(shell: Shell, tok_file: Path, text_file: Path) -> None:
    train = f"piecework train {text_file} -o new.json --vocab-size 50"
    assert shell(f"{train} <&- >&-").code == 0
    assert shell(f"{train} 2>&-").out == ""
    # Messages are lost then, and never mixed with the data.
    ended = shell("piecework encode no-such-file 2>&-")
    assert (ended.code, ended.out, ended.err) == (2, "", "")
    ended = shell(f"piecework encode {tok_file} {text_file} 2>&- <&-")
    assert (ended.code, ended.out.count("\n")) == (0, 4)


LONG = "x" * 5000


@pytest.mark.skipif(sys.platform == "win32", reason="shells of another kind")
@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("encode {tok} {text} --threads 99999999999999999999", "--threads: expected an integer"),
        ("count {tok} {text} --threads 99999999999999999999", "--threads: expected an integer"),
        (
            "train {text} -o n.json --vocab-size 50 --threads 99999999999999999999",
            "--threads: expected",
        ),
        ("count-words {text} --threads 99999999999999999999", "--threads: expected an integer"),
        ("train {text} -o loop --vocab-size 50", "loop: a cycle of symbolic links"),
        ("convert {tok} loop", "loop: a cycle of symbolic links"),
        ("count-words {text} -o loop", "loop: a cycle of symbolic links"),
        ("encode loop {text}", "loop: a cycle of symbolic links"),
        ("encode {tok} loop", "loop: a cycle of symbolic links"),
        (f"train {{text}} -o {LONG} --vocab-size 50", "the file name is too long"),
        (f"train {LONG} -o n.json --vocab-size 50", "the file name is too long"),
        (f"count-words {{text}} -o {LONG}", "the file name is too long"),
        (f"encode {LONG} {{text}}", "the file name is too long"),
        (f"encode {{tok}} {LONG}", "the file name is too long"),
        (f"explain {{tok}} cat --bad{LONG}", "no such option: --bad"),
        (f"--bad{LONG}", "see piecework --help"),
        (f"frobnicate{LONG}", "no such command 'frobnicate"),
        (f"encode {{tok}} {{text}} --errors {LONG}", "'strict', 'replace'; see piecework encode"),
        (f"encode {{tok}} {{text}} {LONG}", "got unexpected extra argument (xxx"),
        (
            "encode {tok} {text} --thread 1",
            "(did you mean --threads?); see piecework encode --help",
        ),
        ("encode {tok} {text} --threads", "option '--threads' requires an argument"),
        ("encode", "missing argument 'TOKENIZER'; see piecework encode --help"),
        ("encode {tok} --stride 1 --max-length 9", "--stride: requires --json"),
        ("encode {tok} {text} $'--bad\\noption'", "no such option: --bad"),
        ("$'no\\nverb'", "no such command"),
        (f"inspect {{tok}} --token {LONG}", "is not in the vocabulary"),
    ],
)
def test_errors_have_one_short_line(
    command: str, message: str, shell: Shell, tok_file: Path, text_file: Path
) -> None:
    tok_file.with_name("loop").symlink_to("loop")
    ended = shell(f"piecework {command.format(tok=tok_file, text=text_file)}")
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err
    assert ended.err.startswith("error: ")
    assert ended.err.index("\n") == len(ended.err) - 1
    assert len(ended.err.encode()) <= 1010  # with "error: " and the line end


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this machine")
@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("train {text} -o new.json --vocab-size 50", 0),
        ("train {text} -o new.json --vocab-size 50 --model bpe --unk-token ''", 0),  # and a warning
        ("encode {tok} {text}", 0),
        ("encode {tok} no-such-file", 2),
        ("encode {tok} {text} --no-such-option", 2),
        ("frobnicate", 2),
        ("", 2),
        ("--help >/dev/full", 2),
    ],
)
def test_full_standard_error_changes_no_exit_code(
    command: str, code: int, shell: Shell, tok_file: Path, text_file: Path
) -> None:
    """A message that cannot be written changes neither the work nor its exit code."""
    command = command.format(tok=tok_file, text=text_file)
    normal = shell(f"piecework {command}")
    ended = shell(f"piecework {command} 2>/dev/full")
    assert ended.code == code
    assert normal.out == ended.out
    assert ("new.json" in command) == tok_file.with_name("new.json").exists()


def test_unexpected_errors_do_not_end_with_the_code_of_findings(
    run: Callable[..., Any], tok_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("unexpected")

    monkeypatch.setattr(pw.Tokenizer, "encode_batch", fail)
    ended = run("encode", tok_file, stdin="a\n")
    assert (ended.code, ended.out) == (2, "")
    assert "RuntimeError: unexpected" in ended.err
    assert ended.err.endswith("please report it with the lines above\n")


@pytest.mark.skipif(sys.platform == "win32", reason="shells of another kind")
@pytest.mark.parametrize("errors", ["", "--errors replace"])
@pytest.mark.parametrize("encoding", ["", "--encoding latin-1"])
def test_compressed_standard_input_is_refused(
    shell: Shell, tok_file: Path, text_file: Path, errors: str, encoding: str
) -> None:
    for command in (
        "train - -o new.json --vocab-size 50",
        "count-words -",
        f"train - {text_file} -o new.json --vocab-size 50",
        f"encode {tok_file} -",
        f"count {tok_file}",
    ):
        ended = shell(f"gzip -c {text_file} | piecework {command} {errors} {encoding}")
        message = "this is gzip-compressed data, not text; decompress it first: gzip -dc FILE"
        assert ended == (2, "", f"error: standard input: {message}\n")
    assert not tok_file.with_name("new.json").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="shells of another kind")
def test_non_text_files_are_refused(shell: Shell, tok_file: Path, text_file: Path) -> None:
    shell(
        f'gzip -c {text_file} >packed; echo \'{{"text": "the cat"}}\' >t.txt; cp t.txt u.txt; cat u.txt >>t.txt'
    )
    for command in (
        "train packed -o new.json --vocab-size 50 --errors replace",
        "count-words packed --errors replace",
        f"encode {tok_file} packed --errors replace",
        f"count {tok_file} packed",
    ):
        message = "this is gzip-compressed data, not text; give it a name that ends with .gz, or decompress it first: gzip -dc packed"
        ended = shell(f"piecework {command}")
        assert ended == (2, "", f"error: packed: {message}\n")
        ended = shell(f"piecework {command.replace('packed', 't.txt')}")
        message = "this is JSON lines, not text; pass --field text, the member with the text"
        assert ended == (2, "", f"error: t.txt: {message}\n")
    # The output of `encode --json` is read under any file name.
    done = shell(
        f"echo the cat | piecework encode {tok_file} --json >ids.jsonl && piecework decode {tok_file} ids.jsonl"
    )
    assert (done.code, done.out) == (0, "the cat\n")
