"""Counting in bounded memory, and files of word counts that add up."""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework._settings.arguments import as_bytes

LINES = 2400
LIMIT = "1MB"
"""The smallest limit, which leaves a table 64 KB: every few hundred lines are a run."""


@pytest.fixture(scope="module")
def lines() -> list[str]:
    rng = random.Random(7)
    letters = "abcdeéß中"
    new = ["".join(rng.choices(letters, k=rng.randrange(3, 12))) for _ in range(9000)]
    few = new[:40]
    return [
        " ".join([*rng.choices(few, k=6), *rng.choices(new, k=6), "Tab\there."])
        for _ in range(LINES)
    ]


@pytest.fixture(scope="module")
def text(lines: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("text") / "text"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def expected(text: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of counts without limit and on one thread."""
    path = tmp_path_factory.mktemp("counts") / "counts"
    pw.WordCounts.from_texts(pw.Corpus(text), threads=1).save(path)
    return path.read_bytes()


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("limit", [None, LIMIT, "64MiB"])
def test_limits_and_threads_do_not_change_the_file(
    threads: int, limit: str | None, text: Path, expected: bytes, tmp_path: Path
) -> None:
    out = tmp_path / "counts"
    summary = pw.WordCounts.count_to_file(pw.Corpus(text), out, max_memory=limit, threads=threads)
    assert out.read_bytes() == expected
    table = pw.WordCounts.from_texts(pw.Corpus(text), max_memory=limit, threads=threads)
    assert table.to_bytes() == expected
    assert table == pw.WordCounts.load(out)
    found = (summary.words, summary.total, summary.fingerprint)
    assert found == (len(table), table.total, table.fingerprint)
    assert os.listdir(tmp_path) == ["counts"]


def test_texts_and_other_encodings_are_limited_too(
    lines: list[str], expected: bytes, tmp_path: Path
) -> None:
    assert pw.WordCounts.from_texts(lines, max_memory=LIMIT).to_bytes() == expected
    path = tmp_path / "utf-16"
    path.write_text("\n".join(lines), encoding="utf-16")
    counts = pw.WordCounts.from_texts(pw.Corpus(path, encoding="utf-16"), max_memory=LIMIT)
    assert counts.to_bytes() == expected


def parts_of(lines: list[str], number: int, folder: Path, **settings: Any) -> list[Path]:
    """Counts the lines in parts, each with the number of its first document."""
    size = -(-len(lines) // number)
    files = []
    for first in range(0, len(lines), size):
        path = folder / f"{first}.txt"
        path.write_text("\n".join(lines[first : first + size]), encoding="utf-8")
        files.append(path.with_suffix(".counts"))
        pw.WordCounts.count_to_file(pw.Corpus(path), files[-1], first_document=first, **settings)
    return files


@pytest.mark.parametrize("number", [1, 2, 32])
@pytest.mark.parametrize("limit", [None, LIMIT])
def test_parts_in_any_order_add_up_to_the_whole(
    number: int, limit: str | None, lines: list[str], expected: bytes, tmp_path: Path
) -> None:
    files = parts_of(lines, number, tmp_path, max_memory=limit)
    assert len(files) == number
    random.Random(number).shuffle(files)
    out = tmp_path / "sum"
    pw.WordCounts.merge_files(files, out)
    assert out.read_bytes() == expected
    assert pw.WordCounts.load_files(files).to_bytes() == expected
    # A sum of sums is the sum.
    halves = [tmp_path / "one", tmp_path / "other"]
    pw.WordCounts.merge_files(files[: number // 2 or 1], halves[0])
    pw.WordCounts.merge_files([*files[number // 2 or 1 :], *halves[:1]], halves[1])
    assert halves[1].read_bytes() == expected


@pytest.mark.parametrize(
    ("trainer", "ties"),
    [
        (pw.WordPieceTrainer(300, ties="lex"), "lex"),
        (pw.BpeTrainer(300, ties="lex"), "lex"),
        (pw.BpeTrainer(300, ties="first"), "first"),
        (pw.UnigramTrainer(200), "lex"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_vocabularies_do_not_depend_on_limits_and_parts(
    trainer: Any, ties: str, lines: list[str], text: Path, tmp_path: Path
) -> None:
    whole = pw.train(pw.Corpus(text), trainer).to_str()
    counts = pw.WordCounts.from_texts(pw.Corpus(text), like=trainer, max_memory=LIMIT)
    assert pw.train(counts, trainer).to_str() == whole
    stages = {"normalizer": None, "pre_tokenizer": pw.pre_tokenizers.WhitespaceSplit()}
    one = pw.train(pw.WordCounts.from_texts(pw.Corpus(text), **stages), trainer).to_str()
    for number in (2, 32):
        folder = tmp_path / str(number)
        folder.mkdir()
        files = parts_of(lines, number, folder, max_memory=LIMIT, **stages)
        random.Random(number).shuffle(files)
        assert pw.train(pw.WordCounts.load_files(files), trainer).to_str() == one
    if ties == "lex":  # which part was first has no effect
        parts = [
            pw.WordCounts.from_texts(lines[first::2], **stages, max_memory=LIMIT)
            for first in (1, 0)
        ]
        assert pw.train(parts[0] + parts[1], trainer).to_str() == one


def test_more_files_than_are_open_at_once(tmp_path: Path) -> None:
    files = [tmp_path / f"{number}" for number in range(300)]
    for number, file in enumerate(files):
        pw.WordCounts({f"w{number % 7}": number + 1, "all": 2}).save(file)
    work = tmp_path / "work"
    work.mkdir()
    summary = pw.WordCounts.merge_files(files, tmp_path / "sum", work_dir=work)
    counts = pw.WordCounts.load(tmp_path / "sum")
    assert (summary.words, counts["all"], counts.total) == (8, 600, 600 + 300 * 301 // 2)
    assert pw.WordCounts.load_files(files, work_dir=work) == counts
    assert os.listdir(work) == []


def test_files_with_other_settings_are_named(tmp_path: Path) -> None:
    pw.WordCounts({"a": 1}).save(tmp_path / "one")
    pw.WordCounts.from_texts(["a"]).save(tmp_path / "other")
    for order in (["one", "other"], ["other", "one"]):
        with pytest.raises(pw.errors.CountsError, match=".*".join(order)):
            pw.WordCounts.merge_files([tmp_path / name for name in order], tmp_path / "sum")
    assert sorted(os.listdir(tmp_path)) == ["one", "other"]


def test_damaged_files_are_named(tmp_path: Path) -> None:
    good = tmp_path / "good"
    pw.WordCounts({"a": 1, "b": 2, "c": 3}).save(good)
    whole = good.read_text(encoding="utf-8")
    first, *words, last = whole.splitlines(keepends=True)
    damaged = {
        whole[: len(first) + 9]: "line 3: ",
        "".join([first, *words]): "line 5: the file ends without its last line",
        "".join([first, *words[::-1], last]): "line 3: the word 'b' is not after 'c'",
        "".join([first, words[0], *words, last]): "line 3: the word 'a' occurs twice",
        whole.replace("b\t2\t1", "b\t2\t2"): "line 5: the words do not agree with this line",
        whole + "x": "line 6: expected the end of the file",
        whole.replace('"version":2', '"version":4'): "reads the versions 1 to 3",
        "a\tb\n": "not valid JSON",
        "\x1f\x8b\x08": "gzip",
    }
    for text, message in damaged.items():
        (tmp_path / "bad").write_text(text, encoding="latin-1")
        calls: list[Callable[[], object]] = [
            lambda: pw.WordCounts.load(tmp_path / "bad"),
            lambda: pw.WordCounts.load_files([good, tmp_path / "bad"]),
            lambda: pw.WordCounts.merge_files([good, tmp_path / "bad"], tmp_path / "sum"),
        ]
        for call in calls:
            with pytest.raises(pw.PieceworkError) as raised:
                call()
            assert str(tmp_path / "bad") in str(raised.value)
            assert message in str(raised.value).replace('"', "'").replace(
                "'version':", '"version":'
            )
    assert sorted(os.listdir(tmp_path)) == ["bad", "good"]


def test_version_1_is_read_and_merged(tmp_path: Path) -> None:
    counts = pw.WordCounts({"a": 2, "b": 1})
    first = (
        '{"format":"piecework.word_counts","version":1,"words":2,"total":3,'
        f'"sha256":"{counts.fingerprint}","splitter":null}}'
    )
    (tmp_path / "old").write_text(f"{first}\na\t2\t0\t0\nb\t1\t1\t0\n", encoding="utf-8")
    assert pw.WordCounts.load(tmp_path / "old") == counts
    counts.save(tmp_path / "new")
    assert pw.WordCounts.merge_files([tmp_path / "old"], tmp_path / "sum").total == 3
    assert (tmp_path / "sum").read_bytes() == (tmp_path / "new").read_bytes()


# Disks

SCRIPT = """
import os, resource, signal, sys
import piecework as pw
what, text, folder = sys.argv[1:]
limit = "1MB" if "work" in what else None
if what.endswith("full"):
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))  # then writing fails, as on a full disk
if what == "killed with work":
    batches = iter(open(text, encoding="utf-8").read().splitlines() * 3 + [None])
    def texts():
        for line in batches:
            if line is None:
                os.kill(os.getpid(), signal.SIGKILL)
            yield line
    pw.WordCounts.from_texts(texts(), max_memory=limit, work_dir=folder)
try:
    pw.WordCounts.count_to_file(pw.Corpus(text), folder + "/counts", max_memory=limit, work_dir=folder)
except pw.errors.FileError as error:
    print(error)
"""


@pytest.mark.skipif(os.name == "nt", reason="limits of resources are those of POSIX")
@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("work full", "work_dir: {folder}: "),
        ("counts full", "{folder}/counts: "),
        ("killed with work", None),
    ],
)
def test_a_full_disk_and_a_kill_leave_no_file(
    what: str, message: str | None, text: Path, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", SCRIPT, what, str(text), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if message is None:
        assert done.returncode == -signal.SIGKILL
    else:
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(message.format(folder=tmp_path))
    assert os.listdir(tmp_path) == []


def test_an_old_file_stays_when_counting_fails(text: Path, tmp_path: Path) -> None:
    (tmp_path / "counts").write_text("old", encoding="utf-8")
    (tmp_path / "broken").write_bytes(b"a\n\xff\n")
    with pytest.raises(pw.errors.InvalidUtf8Error):
        pw.WordCounts.count_to_file(
            pw.Corpus([text, tmp_path / "broken"]),
            tmp_path / "counts",
            max_memory=LIMIT,
            work_dir=tmp_path,
        )
    assert (tmp_path / "counts").read_text(encoding="utf-8") == "old"
    assert sorted(os.listdir(tmp_path)) == ["broken", "counts"]


def test_work_folders_that_cannot_be_written(text: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    read_only = tmp_path / "read-only"
    read_only.mkdir()
    read_only.chmod(0o500)
    folders = [tmp_path / "missing", tmp_path / "file"]
    # Root may write into any folder, except into one of the kernel.
    folders.append(Path("/proc") if os.access(read_only, os.W_OK) else read_only)
    for folder in folders:
        with pytest.raises(pw.errors.FileError, match=str(folder)):
            pw.WordCounts.from_texts(pw.Corpus(text), max_memory=LIMIT, work_dir=folder)
    assert sorted(os.listdir(tmp_path)) == ["file", "read-only"]


# Arguments


def test_sizes() -> None:
    sizes = {
        "1MB": 10**6,
        "2 gib": 2**31,
        "1.5GB": 15 * 10**8,
        10**6: 10**6,
        "9000000B": 9 * 10**6,
        "1000000": 10**6,
    }
    for text, size in sizes.items():
        assert as_bytes("max_memory", text) == size
    assert as_bytes("max_memory", None) is None
    for wrong in ("", "MB", "1", "1M", "-1MB", "1 XB", "1iB", "0.5MB", "999kB", 5, "1e9B", "１MB"):
        with pytest.raises(pw.errors.ConfigError, match=r"^max_memory: expected"):
            as_bytes("max_memory", wrong)
    for other in (True, 1.5, b"1MB"):
        with pytest.raises(TypeError, match=r"^max_memory: expected"):
            as_bytes("max_memory", other)  # type: ignore[arg-type]


def test_no_files_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(pw.errors.ConfigError, match="at least one file"):
        pw.WordCounts.merge_files([], tmp_path / "sum")
    with pytest.raises(TypeError, match="paths"):
        pw.WordCounts.load_files(3)  # type: ignore[arg-type]
    with pytest.raises(pw.errors.MissingFileError, match="missing"):
        pw.WordCounts.load_files([tmp_path / "missing"])
