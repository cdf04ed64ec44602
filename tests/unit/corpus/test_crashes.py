"""Kills, full disks and folders that cannot be written."""

import errno
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from corpora import InProcess, texts, tokenizer, write_lines
from piecework.corpus import Dataset, tokenize, verify
from piecework.engines import Local
from piecework.errors import FileError

pytestmark = pytest.mark.slow

TOK = tokenizer()
PROGRAM = """
import sys
sys.path[:] = sys.argv[4:]
import piecework as pw
from piecework.engines import Local
tok = pw.Tokenizer.from_file(sys.argv[1])
pw.corpus.tokenize(tok, pw.Corpus(sys.argv[2]), sys.argv[3], engine=Local(2), part_bytes=20_000, shard_tokens=20_000,
    end_of_document="[SEP]", progress=lambda progress: print(progress.stage, progress.done, flush=True))
"""


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "in" / "a.jsonl", texts(6000))


def arguments(lines: Path, out: Path) -> list[str]:
    tokenizer_file = lines.with_name("tokenizer.json")
    TOK.save(tokenizer_file)
    return [sys.executable, "-c", PROGRAM, str(tokenizer_file), str(lines), str(out), *sys.path]


def whole(lines: Path, engine: Any = None, name: str = "whole") -> Any:
    settings: Any = {"part_bytes": 20_000, "shard_tokens": 20_000, "end_of_document": "[SEP]"}
    return tokenize(
        TOK, pw.Corpus(lines), lines.parents[1] / name, engine=engine or InProcess(), **settings
    )


def children(pid: int) -> list[int]:
    """Returns the processes that the threads of a process have started."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


@pytest.mark.parametrize("after", [3, 12])
def test_a_killed_program_goes_on(lines: Path, tmp_path: Path, after: int) -> None:
    program = subprocess.Popen(arguments(lines, tmp_path / "out"), stdout=subprocess.PIPE)
    assert program.stdout is not None
    for _ in range(after):
        assert program.stdout.readline()
    workers = children(program.pid)
    assert len(workers) == 2
    program.send_signal(signal.SIGKILL)
    program.wait()
    program.stdout.close()
    deadline = time.monotonic() + 10
    while any(Path(f"/proc/{worker}").exists() for worker in workers):  # they end after their part
        assert time.monotonic() < deadline, "a worker outlives its program"
        time.sleep(0.02)
    receipts = sorted((tmp_path / "out" / ".piecework").rglob("part-*.json"))
    assert len(receipts) >= after - 1
    engine = InProcess()
    manifest = whole(lines, engine, "out")
    assert manifest.sha256 == whole(lines).sha256
    assert not {path.stem for path in receipts} & set(engine.names)
    assert sorted(os.listdir(tmp_path / "out")) == sorted(
        [".sources.json", ".manifest.json", *(file.name for file in manifest.files)]
    )


def test_a_killed_worker_is_replaced(lines: Path, tmp_path: Path) -> None:
    program = subprocess.Popen(arguments(lines, tmp_path / "out"), stdout=subprocess.PIPE)
    assert program.stdout is not None
    program.stdout.readline()
    os.kill(children(program.pid)[0], signal.SIGKILL)
    output, _ = program.communicate(timeout=60)
    assert program.returncode == 0, output
    assert Dataset(tmp_path / "out").manifest.sha256 == whole(lines).sha256
    assert verify(tmp_path / "out") == []


def test_ctrl_c_leaves_what_is_done(lines: Path, tmp_path: Path) -> None:
    program = subprocess.Popen(
        arguments(lines, tmp_path / "out"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert program.stdout is not None
    for _ in range(3):
        program.stdout.readline()
    workers = children(program.pid)
    program.send_signal(signal.SIGINT)
    _, errors = program.communicate(timeout=60)
    assert b"KeyboardInterrupt" in errors
    assert not any(Path(f"/proc/{worker}").exists() for worker in workers)
    assert whole(lines, Local(1), "out").sha256 == whole(lines).sha256


def test_a_full_disk(lines: Path, tmp_path: Path) -> None:
    """Files are limited to 40,000 bytes, beyond which writing fails as on a full disk."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))

    done = subprocess.run(
        arguments(lines, tmp_path / "out"),
        capture_output=True,
        preexec_fn=limit,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "piecework.errors.FileError: " in done.stderr
    assert os.strerror(errno.EFBIG) in done.stderr
    names = set(os.listdir(tmp_path / "out"))
    assert all(name == ".piecework" or name.startswith("shard-") for name in names)
    assert whole(lines, None, "out").sha256 == whole(lines).sha256


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder(lines: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir(mode=0o555)
    with pytest.raises(FileError, match="permission denied"):
        whole(lines, None, "out")
    assert os.listdir(tmp_path / "out") == []


def test_an_output_in_a_missing_or_impossible_place(lines: Path, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="is a file; expected a folder"):
        tokenize(TOK, pw.Corpus(lines), lines)
    for place in ("/proc/none", "/sys/none"):
        with pytest.raises(FileError):
            tokenize(TOK, pw.Corpus(lines), place)
