"""Kills, full disks, read-only folders, and workers without this piecework, on real engines."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from corpora import InProcess, texts, tokenizer, write_lines
from piecework.engines import Ray, Spark

TOK = tokenizer()
SETTINGS: dict[str, Any] = {"part_bytes": 20_000, "shard_tokens": 20_000}
PROGRAM = """
import json, sys
from piecework.engines import Ray, Spark
import piecework as pw
engine, tokenizer, source, output, settings = sys.argv[1:]
config = {"spark.speculation": "true", "spark.speculation.interval": "10ms", "spark.speculation.quantile": "0.1",
    "spark.speculation.multiplier": "1.1"}
engine = Ray(workers=2) if engine == "ray" else Spark(workers=2, config=config)
try:
    pw.corpus.tokenize(pw.Tokenizer.from_file(tokenizer), pw.Corpus(source), output, engine=engine, **json.loads(settings),
        progress=lambda progress: print(progress.stage, progress.done, flush=True))
except pw.PieceworkError as error:
    sys.exit(f"{type(error).__name__}: {error}")
"""


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "in" / "a.jsonl", texts(8000))


@contextmanager
def program(name: str, lines: Path, out: Path) -> Iterator[subprocess.Popen[str]]:
    """Starts a corpus run, and checks that nothing of it is left afterwards, unless it was killed."""
    tokenizer_file = lines.with_name("tokenizer.json")
    TOK.save(tokenizer_file)
    arguments = [name, str(tokenizer_file), str(lines), str(out), json.dumps(SETTINGS)]
    run = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, MARK: str(out)},
    )
    try:
        yield run
    finally:
        _end(run, out)


MARK = "PIECEWORK_TEST_RUN"
"""The variable by which the processes of a program are found; they inherit it."""


def _end(run: subprocess.Popen[str], out: Path) -> None:
    """Waits until no process of a program is left; those of a killed one, which end late, are killed."""
    if run.poll() is None:
        run.kill()
    run.communicate()
    deadline = time.monotonic() + 30
    while left := processes(out):
        assert run.returncode == -signal.SIGKILL or time.monotonic() < deadline, left
        if run.returncode == -signal.SIGKILL:
            for pid in left:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        time.sleep(0.1)


def processes(out: Path) -> dict[int, str]:
    """Returns the command lines of the processes of a program, by their ids."""
    mark = f"{MARK}={out}\0"
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):
                if mark in (entry / "environ").read_text(errors="replace"):
                    found[int(entry.name)] = (entry / "cmdline").read_text().replace("\0", " ")
    return found


WORKER = {"ray": "ray::call", "spark": "pyspark.daemon"}


def parts_done(run: subprocess.Popen[str], count: int) -> None:
    """Waits until the program has encoded some parts."""
    assert run.stdout is not None
    for _ in range(count):
        line = run.stdout.readline()
        assert line, run.communicate()[1]


def busy_worker(run: subprocess.Popen[str], name: str, out: Path) -> int:
    """Waits until a worker of a program runs a task, and returns its id; between tasks, the workers of Ray are idle."""
    while run.poll() is None:
        for pid, command in processes(out).items():
            if WORKER[name] in command:
                return pid
    pytest.fail("the program ended before any worker was found")


def whole(lines: Path, engine: Any = None, out: str = "whole") -> Any:
    folder = lines.parents[1] / out
    return pw.corpus.tokenize(
        TOK, pw.Corpus(lines), folder, engine=engine or InProcess(), **SETTINGS
    )


def test_a_killed_worker_is_replaced(name: str, lines: Path, tmp_path: Path) -> None:
    with program(name, lines, tmp_path / "out") as run:
        parts_done(run, 1)
        os.kill(busy_worker(run, name, tmp_path / "out"), signal.SIGKILL)
        _, errors = run.communicate(timeout=120)
        assert run.returncode == 0, errors
    assert pw.corpus.Dataset(tmp_path / "out").manifest.sha256 == whole(lines).sha256
    assert pw.corpus.verify(tmp_path / "out", TOK) == []


def test_a_killed_program_goes_on(name: str, lines: Path, tmp_path: Path) -> None:
    with program(name, lines, tmp_path / "out") as run:
        parts_done(run, 4)
        run.send_signal(signal.SIGKILL)
    receipts = {path.stem for path in (tmp_path / "out" / ".piecework").rglob("part-*.json")}
    assert len(receipts) >= 3
    engine = InProcess()
    manifest = whole(lines, engine, "out")
    assert manifest.sha256 == whole(lines).sha256
    assert not receipts & set(engine.names)
    names = [".sources.json", ".manifest.json", *(file.name for file in manifest.files)]
    assert sorted(os.listdir(tmp_path / "out")) == sorted(names)


@contextmanager
def mounted(folder: Path, options: str) -> Iterator[None]:
    """Mounts a file system in memory; the tests have a mount namespace of their own."""
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk(engine: Any, lines: Path, tmp_path: Path) -> None:
    with mounted(tmp_path / "full", "size=200k"):
        with pytest.raises(pw.errors.FileError, match="no space left"):
            pw.corpus.tokenize(
                TOK, pw.Corpus(lines), tmp_path / "full" / "out", engine=engine, **SETTINGS
            )
        assert os.listdir(tmp_path / "full" / "out") == [".piecework"]
        with pytest.raises(pw.errors.FileError, match="no space left"):
            pw.count_words(
                pw.Corpus(lines), engine=engine, work_dir=tmp_path / "full", part_bytes=2000
            )


def test_a_read_only_folder(engine: Any, lines: Path, tmp_path: Path) -> None:
    with mounted(tmp_path / "fixed", "ro"):
        with pytest.raises(pw.errors.FileError, match="the file system is read-only"):
            pw.corpus.tokenize(
                TOK, pw.Corpus(lines), tmp_path / "fixed" / "out", engine=engine, **SETTINGS
            )
        with pytest.raises(pw.errors.FileError, match="the file system is read-only"):
            pw.count_words(pw.Corpus(lines), engine=engine, work_dir=tmp_path / "fixed")


CHECK = """
import sys
from piecework.engines import Ray, Spark
env = {"PYTHONPATH": sys.argv[2]}
config = {f"spark.executorEnv.{name}": value for name, value in env.items()}
engine = Ray(workers=1, runtime_env={"env_vars": env}) if sys.argv[1] == "ray" else Spark(workers=1, config=config)
try:
    print(list(engine.run(len, ["abc"])))
except Exception as error:
    print(f"{type(error).__name__}: {error}")
"""


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("__version__ = '9.9'", f"has piecework 9.9; the program has {pw.__version__}"),
        ("raise ImportError('none here')", "cannot import piecework (none here)"),
    ],
    ids=["other", "none"],
)
def test_a_worker_with_another_piecework(
    name: str, code: str, problem: str, tmp_path: Path
) -> None:
    package = tmp_path / "piecework"
    package.mkdir()
    (package / "__init__.py").write_text(f"{code}\n")
    done = subprocess.run(
        [sys.executable, "-c", CHECK, name, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout.startswith("WorkerError: the worker on "), done.stdout + done.stderr
    assert problem in done.stdout


def test_engines_name_their_place() -> None:
    assert not Ray().is_remote
    assert not Spark(master="local[2]").is_remote
