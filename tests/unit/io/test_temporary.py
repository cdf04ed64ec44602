"""Temporary files: what is left of writers that are killed, and what a file keeps of the one that it replaces."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from piecework._io import temporary
from piecework._io.atomic import AtomicFile
from piecework._io.files import replacing, replacing_read_only, write_aside
from piecework._io.temporary import TemporaryFile
from piecework.errors import FilePermissionError

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has other files")

SUFFIX = ".piecework-part"
WRITER = """
import sys, time
from piecework._io import temporary
from piecework._io.files import replacing

if sys.argv[2] == "named":
    temporary._without_name = lambda folder, mode: None
with replacing(sys.argv[1]) as name, open(name, "wb") as file:
    file.write(b"half")
    file.flush()
    print("writing", flush=True)
    time.sleep(60)
"""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def started(path: Path, kind: str) -> subprocess.Popen[bytes]:
    """Returns a process that writes a file, when it is in the middle."""
    writer = subprocess.Popen([sys.executable, "-c", WRITER, path, kind], stdout=subprocess.PIPE)
    assert writer.stdout
    assert writer.stdout.readline() == b"writing\n"
    return writer


def killed(path: Path, kind: str, signum: signal.Signals) -> None:
    writer = started(path, kind)
    writer.send_signal(signum)
    assert writer.wait(30) == -signum
    writer.communicate()


needs_unnamed = pytest.mark.skipif(
    not hasattr(os, "O_TMPFILE"), reason="the system has no files without a name"
)


@needs_unnamed
@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("old", [None, b"old"])
def test_a_killed_writer_leaves_nothing(
    tmp_path: Path, signum: signal.Signals, old: bytes | None
) -> None:
    path = tmp_path / "new.json"
    if old is not None:
        path.write_bytes(old)
    killed(path, "unnamed", signum)
    assert names(tmp_path) == ([] if old is None else ["new.json"])
    assert old is None or path.read_bytes() == old


def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    killed(path, "named", signal.SIGKILL)
    (left,) = names(tmp_path)
    assert left.startswith(".a.json.")
    assert left.endswith(SUFFIX)
    (tmp_path / f"mine{SUFFIX}").touch()
    write_aside(tmp_path / "b.json", b"whole")
    assert names(tmp_path) == ["b.json", f"mine{SUFFIX}"]


def test_the_file_of_a_writer_that_lives_is_kept(tmp_path: Path) -> None:
    writer = started(tmp_path / "a.json", "named")
    try:
        write_aside(tmp_path / "b.json", b"whole")
        assert len(names(tmp_path)) == 2
    finally:
        writer.kill()
        writer.communicate()


def test_files_of_others_are_kept(tmp_path: Path) -> None:
    (tmp_path / "a.part").write_bytes(b"")
    own = f"{'0' * 16}{SUFFIX}"
    (tmp_path / f".link.{own}").symlink_to(tmp_path / "a.part")
    (tmp_path / f".folder.{own}").mkdir()
    os.mkfifo(tmp_path / f".pipe.{own}")
    before = names(tmp_path)
    write_aside(tmp_path / "b.json", b"whole")
    assert names(tmp_path) == sorted([*before, "b.json"])


@pytest.fixture(params=["unnamed", "named"])
def _kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "named":
        monkeypatch.setattr(temporary, "_without_name", lambda folder, mode: None)


@pytest.mark.usefixtures("_kind")
@pytest.mark.parametrize("old", [None, b"old"])
def test_content_and_mode(tmp_path: Path, old: bytes | None) -> None:
    path, mask = tmp_path / "a", os.umask(0o027)
    try:
        if old is not None:
            path.write_bytes(old)
            path.chmod(0o604)
        with replacing(path) as name:
            Path(name).write_bytes(b"new")
            assert old is None or path.read_bytes() == old
        assert path.read_bytes() == b"new"
        assert stat.S_IMODE(path.stat().st_mode) == (0o640 if old is None else 0o604)
        assert names(tmp_path) == ["a"]
    finally:
        os.umask(mask)


@pytest.mark.usefixtures("_kind")
@pytest.mark.skipif(os.name == "nt" or os.getuid() != 0, reason="root alone may give files away")
def test_the_owner_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    os.chown(path, 12345, 23456)
    write_aside(path, b"new")
    assert (path.read_bytes(), path.stat().st_uid, path.stat().st_gid) == (b"new", 12345, 23456)


@pytest.mark.usefixtures("_kind")
def test_a_relative_name_and_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for content in (b"one", b"two"):
        write_aside("a", content)
        assert Path("a").read_bytes() == content
    Path("link").symlink_to("a")
    write_aside("link", b"three")
    assert Path("link").is_symlink()
    assert Path("a").read_bytes() == b"three"
    assert names(tmp_path) == ["a", "link"]


@pytest.mark.usefixtures("_kind")
def test_a_block_that_raises_leaves_nothing(tmp_path: Path) -> None:
    def fail() -> None:
        with replacing(tmp_path / "a") as name:
            Path(name).write_bytes(b"half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with AtomicFile(tmp_path / "b", tmp_path) as file:
        file.write(b"half")
    assert names(tmp_path) == []


@pytest.mark.usefixtures("_kind")
def test_many_writers_of_one_file(tmp_path: Path) -> None:
    files = [TemporaryFile(str(tmp_path), str(tmp_path / "a")) for _ in range(8)]
    for number, file in enumerate(files):
        Path(file.name).write_text(str(number))
    for number, file in enumerate(files):
        file.publish(sync=False)
        assert (tmp_path / "a").read_text() == str(number)
        file.close()
    assert names(tmp_path) == ["a"]


def test_a_file_that_was_taken_for_one_that_was_left_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(temporary, "_without_name", lambda folder, mode: None)
    real, removed = temporary._lock, []

    def lock(handle: int) -> bool | None:
        if not removed:
            (name,) = names(tmp_path)
            (tmp_path / name).unlink()  # as another writer does that was faster
            removed.append(name)
        return real(handle)

    monkeypatch.setattr(temporary, "_lock", lock)
    write_aside(tmp_path / "a", b"whole")
    assert len(removed) == 1
    assert names(tmp_path) == ["a"]


SAVER = """
import sys, time
from piecework._io import temporary
from piecework._io.files import write_aside

temporary._without_name = lambda folder, mode: None
end = time.monotonic() + 2
while time.monotonic() < end:
    write_aside(sys.argv[1], b"x" * 1000)
"""


def test_savers_of_files_in_one_folder_do_not_disturb_each_other(tmp_path: Path) -> None:
    savers = [
        subprocess.Popen(
            [sys.executable, "-c", SAVER, tmp_path / f"{number % 2}"], stderr=subprocess.PIPE
        )
        for number in range(4)
    ]
    errors = [saver.communicate()[1] for saver in savers]
    assert errors == [b""] * 4
    assert names(tmp_path) == ["0", "1"]


def test_ctrl_c_after_a_file_was_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, real = tmp_path / "a", os.replace
    path.write_bytes(b"old")

    def interrupted(*names: str) -> None:
        real(*names)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_aside(path, b"new")
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["a"]


@pytest.mark.usefixtures("_kind")
def test_a_folder_after_a_link(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "a" / "b")
    for content in (b"one", b"two"):
        with AtomicFile(tmp_path / "link" / ".." / "y", tmp_path / "link" / "..") as file:
            file.write(content)
            file.commit()
        assert (tmp_path / "a" / "y").read_bytes() == content


def test_the_mode_of_new_files_depends_on_no_thread(tmp_path: Path) -> None:
    mask = os.umask(0o022)
    try:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda number: write_aside(tmp_path / str(number), b""), range(400)))
        assert os.umask(0o022) == 0o022
        assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o644}
    finally:
        os.umask(mask)


@pytest.mark.skipif(
    os.name == "nt" or os.getuid() != 0, reason="root alone may become another user"
)
def test_a_folder_that_may_not_be_listed(tmp_path: Path) -> None:
    for folder in (tmp_path, *tmp_path.parents):
        if folder.name.startswith(("pytest-", "popen-", "test_")):
            folder.chmod(0o755)
    folder = tmp_path / "folder"
    folder.mkdir()
    folder.chmod(0o733)
    temporary.remove_left(str(folder))
    child = os.fork()
    if not child:
        os.setuid(65534)
        try:
            write_aside(folder / "a", b"one")
            write_aside(folder / "a", b"two")
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert (folder / "a").read_bytes() == b"two"


def test_time_of_a_save_in_a_folder_with_many_files(tmp_path: Path) -> None:
    for number in range(5000):
        (tmp_path / str(number)).touch()
    start = time.process_time()
    write_aside(tmp_path / "a", b"whole")
    assert time.process_time() - start < 1


def test_a_read_only_file_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o444)
    with pytest.raises(
        FilePermissionError, match=r"a: is read-only; make it writable or remove it"
    ):
        write_aside(path, b"new")
    assert (path.read_bytes(), names(tmp_path)) == (b"old", ["a"])
    with replacing_read_only():
        write_aside(path, b"new")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new", 0o444)
    with pytest.raises(FilePermissionError):
        write_aside(path, b"newer")
